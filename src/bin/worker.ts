import type { WorkerConfig } from '../core/config/worker-config.ts';

/** Placeholder of this branch, so that the command compiles: the composition root takes its place. */
export function runWorker(config: WorkerConfig): Promise<void> {
  return Promise.reject(new Error(`not built yet: the worker ${config.worker.name}`));
}
