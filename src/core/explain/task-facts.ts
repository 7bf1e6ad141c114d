import type { FarmId, JobId, QueueId, WorkerId } from '../ids.ts';
import type { Holder, LeaseExplanation } from '../lease/explanation.ts';
import type { RetryPolicy } from '../lifecycle/retry-policy.ts';
import type { StepRequirements } from '../../openjd/template/plan.ts';
import type { AttemptRecord } from '../records/attempt.ts';
import type { JobRecord } from '../records/job.ts';
import type { StepRecord } from '../records/step.ts';
import type { TaskState } from '../records/task-page.ts';

/** All that an explanation of a task is made from. */
export interface TaskFacts {
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly job: JobRecord;
  /** All steps of the job, by order. */
  readonly steps: readonly StepRecord[];
  readonly step: StepRecord;
  readonly requirements: StepRequirements;
  readonly task: TaskState;
  /** Empty when there is none. */
  readonly failureReason: string;
  /** The latest; null before the first. */
  readonly attempt: AttemptRecord | null;
  /** How many there were, 1,000 at most: after a restore their numbers leap. */
  readonly attempts: number;
  /** What is in force for the job. */
  readonly retry: RetryPolicy;
  /** Those that the job depends on; the record is null when the job does not exist any more. */
  readonly upstreamJobs: readonly { readonly id: JobId; readonly record: JobRecord | null }[];
  readonly isQueuePaused: boolean;
  /** What the lease actor answers; null when it does not, or was not asked. */
  readonly lease: LeaseExplanation | null;
  /** Who holds slots of a pool in other farms, by name of the pool. */
  readonly elsewhere: ReadonlyMap<string, readonly FarmHolder[]>;
  readonly names: Names;
}

export interface FarmHolder extends Holder {
  readonly farmId: FarmId;
}

/** What things are called; something that is not there any more is called by its id. */
export interface Names {
  farm(id: FarmId): string;
  queue(id: QueueId): string;
  job(id: JobId): string;
  step(job: JobId, order: number): string;
  worker(id: WorkerId): string;
}
