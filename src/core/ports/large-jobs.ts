import type { JobId } from '../ids.ts';
import type { JobPlan, StepPlan } from '../../openjd/template/plan.ts';

/** Plan and template of a large job, each as the store encodes a row. */
export interface LargeRows {
  readonly plan: Uint8Array<ArrayBuffer>;
  readonly template: Uint8Array<ArrayBuffer>;
}

/** What a step runs: nearly all that is large of a plan. */
export type StepBody = Pick<StepPlan, 'environments' | 'script'>;

/** A plan that goes from thread to thread without what its steps run being copied. */
export interface PlanInParts {
  readonly shape: Omit<JobPlan, 'steps'> & { readonly steps: readonly Omit<StepPlan, keyof StepBody>[] };
  /** Of each step its body, encoded, one after the other. Nobody writes to it any more. */
  readonly bodies: Uint8Array<SharedArrayBuffer>;
  /** Where each body ends. */
  readonly ends: readonly number[];
}

/** A job whose template is large. */
export interface LargeJob {
  readonly rows: LargeRows;
  readonly plan: PlanInParts;
}

/** Stores rows of large jobs before the jobs are made (docs/decisions/large-jobs.md). */
export interface LargeJobs {
  /**
   * Resolves when the rows are on disk, with a row of `comingJob`, which whoever makes the job removes; who cannot make it
   * calls `discardProvisionalJob`. The buffers are given away.
   */
  storeProvisionalJob(job: JobId, rows: LargeRows): Promise<void>;
  /** The job does not come: its rows are removed. Nothing happens when it is there. */
  discardProvisionalJob(job: JobId): void;
}
