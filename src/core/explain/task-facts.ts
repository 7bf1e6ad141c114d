import type { FarmId, JobId, QueueId, WorkerId } from '../ids.ts';
import type { Holder, LeaseExplanation } from '../lease/explanation.ts';
import type { RetryPolicy } from '../lifecycle/retry-policy.ts';
import type { StepRequirements } from '../../openjd/template/plan.ts';
import type { AttemptRecord } from '../records/attempt.ts';
import type { JobRecord } from '../records/job.ts';
import type { StepRecord } from '../records/step.ts';
import type { TaskState } from '../records/task-page.ts';

/** The facts that an explanation of a task is derived from. */
export interface TaskFacts {
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly job: JobRecord;
  /** All steps of the job, by order. */
  readonly steps: readonly StepRecord[];
  readonly step: StepRecord;
  readonly requirements: StepRequirements;
  readonly task: TaskState;
  /** Position of the task in its step. */
  readonly index: number;
  readonly failureReason: string | null;
  /** The latest; null before the first. */
  readonly attempt: AttemptRecord | null;
  /**
   * Number of attempts, at most 1,000. Their attempt numbers are not consecutive after a restore. 0 for a waiting task,
   * whose explanation does not use it.
   */
  readonly attempts: number;
  /** The effective retry settings of the job. */
  readonly retry: RetryPolicy;
  /** The jobs that the job depends on. */
  readonly upstreamJobs: readonly UpstreamJob[];
  readonly isQueuePaused: boolean;
  /** The reply of the lease actor; null if it did not reply, or was not asked. */
  readonly lease: LeaseExplanation | null;
  /** Holders of pool slots in other farms, by name of the pool. */
  readonly elsewhere: ReadonlyMap<string, readonly FarmHolder[]>;
  readonly names: Names;
}

/** The record is null if the job was deleted. A hidden one stands for the jobs that the reader may not see. */
export type UpstreamJob =
  | { readonly isHidden?: false; readonly id: JobId; readonly record: JobRecord | null }
  | { readonly isHidden: true };

export interface FarmHolder extends Holder {
  readonly farmId: FarmId;
}

/** Names by id. A deleted object is named by its id. */
export interface Names {
  farm(id: FarmId): string;
  queue(id: QueueId): string;
  job(id: JobId): string;
  step(job: JobId, order: number): string;
  worker(id: WorkerId): string;
}
