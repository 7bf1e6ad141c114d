import type { JobId } from '../ids.ts';

/** Cores of a worker that tasks of one job hold. */
export interface JobCores {
  readonly jobId: JobId;
  readonly cores: number;
}

/**
 * The cores of a worker by job. A list, because a worker has tasks of few jobs, and a map that is emptied and refilled
 * is reallocated each time (docs/performance.md).
 */
export class WorkerUses {
  private readonly held: { readonly jobId: JobId; cores: number }[] = [];

  constructor(uses: readonly JobCores[] = []) {
    for (const { jobId, cores } of uses) this.add(jobId, cores);
  }

  /** Adds cores of a job; negative: removes them. */
  add(jobId: JobId, cores: number): void {
    const at = this.held.findIndex((use) => use.jobId === jobId);
    const use = this.held[at];
    if (use === undefined) {
      this.held.push({ jobId, cores });
      return;
    }
    use.cores += cores;
    if (use.cores !== 0) return;
    const last = this.held.pop();
    if (last !== undefined && last !== use) this.held[at] = last;
  }

  all(): readonly JobCores[] {
    return this.held;
  }
}
