import type { JobId } from '../ids.ts';
import type { JobPlan, StepPlan } from '../../openjd/template/plan.ts';

/** Plan and template of a large job, each as the store encodes a row. */
export interface LargeRows {
  readonly plan: Uint8Array<ArrayBuffer>;
  readonly template: Uint8Array<ArrayBuffer>;
}

/** The script of a step and its environments: most of the size of a plan. */
export type StepBody = Pick<StepPlan, 'environments' | 'script'>;

/** A plan as it crosses threads: without copying the bodies of its steps. */
export interface PlanInParts {
  readonly shape: Omit<JobPlan, 'steps'> & { readonly steps: readonly Omit<StepPlan, keyof StepBody>[] };
  /** Encoded bodies of all steps, concatenated. They are not written to any more. */
  readonly bodies: Uint8Array<SharedArrayBuffer>;
  /** End offset of each body. */
  readonly ends: readonly number[];
}

/** Stores rows of large jobs before the jobs are created (docs/decisions/large-jobs.md). */
export interface LargeJobs {
  /**
   * Resolves when the rows are on disk, together with a row of `comingJob`. The creation of the job removes that row.
   * If the job cannot be created, the caller must call `discardProvisionalJob`. The buffers are transferred.
   */
  storeProvisionalJob(job: JobId, rows: LargeRows): Promise<void>;
  /** Removes the rows of a job that is not created. Does nothing if the job exists. */
  discardProvisionalJob(job: JobId): void;
}
