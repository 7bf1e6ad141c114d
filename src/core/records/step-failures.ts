import type { JobId, WorkerId } from '../ids.ts';

/** Genuine failures of one step's tasks on one worker. `lastAt` is milliseconds since the epoch. */
export interface StepFailuresRecord {
  readonly version: 1;
  readonly workerId: WorkerId;
  readonly failures: number;
  readonly lastAt: number;
}

/** Genuine failures on one worker, by step, the latest last. The number of steps is limited. */
export interface WorkerFailuresRecord {
  readonly version: 1;
  /** All failures, including those of dropped steps. */
  readonly total: number;
  readonly steps: readonly {
    readonly jobId: JobId;
    readonly stepOrder: number;
    readonly failures: number;
    readonly lastAt: number;
  }[];
}
