import { spawn, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { packageRoot } from '../../src/adapters/system/package-root.ts';
import { call, type BenchService } from './service.ts';

const POLL_MS = 100;

/** `callsheet worker` in a separate process. */
export interface WorkerProcess {
  readonly pid: number;
  /** Resolves with its exit code. */
  stop(): Promise<number | null>;
}

/** Starts one on the bus of a service. Resolves when `workers` workers of its name are online. */
export async function startWorkerProcess(
  service: BenchService,
  name: string,
  flags: readonly string[],
  workers = 1,
): Promise<WorkerProcess> {
  const child = spawn(
    process.execPath,
    [
      fileURLToPath(new URL('bin/callsheet.js', packageRoot)),
      'worker',
      `--bus-url=nats://127.0.0.1:${service.busPort}`,
      `--worker-name=${name}`,
      '--worker-allow-root',
      '--log-level=error',
      '--log-format=text',
      ...flags,
    ],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  const ended = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));
  while ((await onlineWorkers(service)) < workers) await pause(child);
  return {
    pid: child.pid ?? 0,
    stop: () => {
      child.kill('SIGTERM');
      return ended;
    },
  };
}

const pause = (child: ChildProcess): Promise<void> =>
  new Promise((resolve, reject) => {
    if (child.exitCode !== null) reject(new Error('the worker ended before it was registered'));
    else setTimeout(resolve, POLL_MS);
  });

async function onlineWorkers(service: BenchService): Promise<number> {
  const { total } = await call<{ total: number }>(`${service.url}/api/v1/workers?status=online&limit=1`);
  return total;
}

/** Resolves when n tasks of a job have succeeded. */
export async function untilSucceeded(service: BenchService, jobId: string, tasks: number): Promise<void> {
  for (;;) {
    const { task_counts: counts } = await call<{ task_counts: { succeeded: number } }>(
      `${service.url}/api/v1/jobs/${jobId}`,
    );
    if (counts.succeeded >= tasks) return;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
