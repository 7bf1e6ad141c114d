import type { JobId } from '../ids.ts';

/** Plan and template of a large job, each as the store encodes a row. */
export interface LargeRows {
  readonly plan: Uint8Array<ArrayBuffer>;
  readonly template: Uint8Array<ArrayBuffer>;
}

/** Stores rows of large jobs before the jobs are made (docs/decisions/large-jobs.md). */
export interface LargeJobs {
  /**
   * Resolves when the rows are on disk, with a row of `comingJob`, which whoever makes the job removes; who cannot make it
   * calls `removeComing`. The buffers are given away.
   */
  storeAhead(job: JobId, rows: LargeRows): Promise<void>;
  /** The job does not come: its rows are removed. Nothing happens when it is there. */
  removeComing(job: JobId): void;
}
