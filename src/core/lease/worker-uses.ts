import type { JobId } from '../ids.ts';
import type { StepName } from './candidate-order.ts';

/** Cores of a worker that tasks of one step hold. */
export interface StepCores extends StepName {
  readonly cores: number;
}

/**
 * The cores of a worker by step. A list, because a worker has tasks of few steps, and a map that is emptied and refilled
 * is reallocated each time (docs/performance.md).
 */
export class WorkerUses {
  private readonly held: { readonly jobId: JobId; readonly stepOrder: number; cores: number }[] = [];

  constructor(uses: readonly StepCores[] = []) {
    for (const { jobId, stepOrder, cores } of uses) this.add(jobId, stepOrder, cores);
  }

  /** Adds cores of a step; negative: removes them. */
  add(jobId: JobId, stepOrder: number, cores: number): void {
    const at = this.held.findIndex((use) => use.stepOrder === stepOrder && use.jobId === jobId);
    const use = this.held[at];
    if (use === undefined) {
      this.held.push({ jobId, stepOrder, cores });
      return;
    }
    use.cores += cores;
    if (use.cores !== 0) return;
    const last = this.held.pop();
    if (last !== undefined && last !== use) this.held[at] = last;
  }

  all(): readonly StepCores[] {
    return this.held;
  }
}
