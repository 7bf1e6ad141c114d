import type { AttemptId, JobId, QueueId, WorkerId } from '../../../src/core/ids.ts';
import type { JobRecord, TemplateFormat } from '../../../src/core/records/job.ts';
import type { JobPlan } from '../../../src/openjd/template/plan.ts';
import type { RetryOverride, RetryPolicy } from '../../../src/core/lifecycle/retry-policy.ts';
import type { TaskStatus } from '../../../src/core/lifecycle/task-transitions.ts';
import type { TaskRange } from '../../../src/core/lease/task-ranges.ts';
import type { AttemptReport } from '../../../src/core/wire/bus-messages.ts';
import type { ReplyTo } from '../../kernel/address.ts';
import type { Outcome } from '../../../src/core/problems.ts';

/** Tasks of one step that the lease actor has picked for a worker. */
export interface TaskSelection {
  readonly jobId: JobId;
  readonly stepOrder: number;
  readonly ranges: readonly TaskRange[];
  /** Cores that each of them takes on that worker. */
  readonly cores: number;
}

/** What a client changes of a job; what is absent stays as it is. */
export interface JobUpdate {
  readonly action?: 'pause' | 'resume';
  readonly priority?: number;
  readonly retry: RetryOverride;
}

/** What a client has tried again: every failed and canceled task of a job, one of them, or some of them. */
export type RetryTarget =
  'job' | { readonly stepOrder: number; readonly index: number } | { readonly selection: RetrySelection };

/** Failed and canceled tasks of a job that meet all that is given. */
export interface RetrySelection {
  readonly stepOrder?: number;
  /** Indices in the step, rising and none twice. Only with `stepOrder`. */
  readonly indices?: readonly IndexRun[];
  /** Ordinal of a worker: only tasks that have failed, and did so for good on that worker. */
  readonly workerOrdinal?: number;
}

/** start, start + step, ...: `count` indices; step and count are at least 1. */
export interface IndexRun {
  readonly start: number;
  readonly step: number;
  readonly count: number;
}

/** How many tasks are tried again, and the status of the one that was named; null when none was. */
export interface RetryResult {
  readonly retried: number;
  readonly status: TaskStatus | null;
}

/** The job actor: one job with its steps, tasks and attempts. Id: job id. */
export type JobMessage =
  /** From the farm: a new job. `record` has the status pending, or blocked when it waits for other jobs. */
  | {
      readonly type: 'job.create';
      readonly record: JobRecord;
      readonly plan: JobPlan;
      readonly template: SubmittedTemplate;
      readonly templateFormat: TemplateFormat;
      /** Retry settings of server, farm and queue. */
      readonly inherited: RetryPolicy;
      readonly once?: IdempotencyKeyRow;
      readonly replyTo: ReplyTo<Outcome<JobRecord>>;
    }
  /** From the lease actor, at its start: load the job, take up its timers and offer what is ready. */
  | { readonly type: 'job.activate' }
  /** From the farm: every upstream job has completed. */
  | { readonly type: 'upstreams.completed' }
  /** From the farm: an upstream job failed, was canceled or deleted. */
  | { readonly type: 'upstream.failed' }
  /** From the lease actor: take these tasks from ready to assigned, or say which cannot be taken. */
  | {
      readonly type: 'tasks.take';
      readonly leaseId: number;
      readonly workerId: WorkerId;
      readonly workerOrdinal: number;
      readonly pick: TaskSelection;
    }
  /** From the lease actor: no online worker may run tasks of the step; those ready since `readyBefore` say so. */
  | {
      readonly type: 'step.unschedulable';
      readonly stepOrder: number;
      readonly reason: string;
      /** Milliseconds since the epoch. */
      readonly readyBefore: number;
    }
  /** From the lease actor: an online worker may run tasks of the step. */
  | { readonly type: 'step.schedulable'; readonly stepOrder: number }
  /**
   * From the bus: one report of the stream, or all that rode on a lease request and are of this job, in the order in which the worker says
   * them. Answered only when they are poisoned, and only when they rode on a lease request.
   */
  | {
      readonly type: 'tasks.reported';
      readonly workerId: WorkerId;
      readonly reports: readonly AttemptReport[];
      readonly replyTo?: ReplyTo<never>;
    }
  /** From a worker actor: the worker has these attempts, whether it was heard to have begun or not. */
  | { readonly type: 'attempts.held'; readonly attemptIds: readonly AttemptId[] }
  /** From a worker actor: give the work back, no attempt consumed. */
  | { readonly type: 'attempts.reclaim'; readonly attemptIds: readonly AttemptId[]; readonly reason: string }
  /** The job's own timer: attempts may have been handed out 30 s ago and never reported running. */
  | { readonly type: 'assigned.due' }
  /** From the farm: the retry settings above the job have changed. */
  | { readonly type: 'policy.changed'; readonly inherited: RetryPolicy }
  /**
   * From a client, or from the farm, which has found the new queue. Answer: JobRecord. 409 for an action on a job that
   * is terminal.
   */
  | {
      readonly type: 'job.update';
      readonly update: JobUpdate;
      /** The new queue with the retry settings that the job inherits there; null to stay. */
      readonly queue: { readonly queueId: QueueId; readonly inherited: RetryPolicy } | null;
      readonly replyTo: ReplyTo<Outcome<JobRecord>>;
    }
  /**
   * Answer: Retried. 404 for an unknown task, 409 when the task is neither failed nor canceled, the selection is too
   * large or the queue is gone.
   */
  | {
      readonly type: 'job.retry';
      readonly target: RetryTarget;
      readonly replyTo: ReplyTo<Outcome<RetryResult>>;
    }
  /** From the farm, which has taken the job in again: go on with the retry of a job that is terminal. */
  | {
      readonly type: 'job.reactivate';
      readonly target: RetryTarget;
      readonly inherited: RetryPolicy;
      readonly replyTo: ReplyTo<Outcome<RetryResult>>;
    }
  /** From a client: what is live is canceled, and the job exists no longer. Answer: null. */
  | { readonly type: 'job.delete'; readonly replyTo: ReplyTo<Outcome<null>> }
  /** From the farm: the job that ended at this time has been kept long enough. */
  | { readonly type: 'job.expire'; readonly endedAt: number }
  /** Answer: null. 409 when completed or failed. */
  | { readonly type: 'job.cancel'; readonly replyTo: ReplyTo<Outcome<null>> }
  /** Answer: null. 404 for an unknown index, 409 when the task is terminal. */
  | {
      readonly type: 'task.cancel';
      readonly stepOrder: number;
      readonly index: number;
      readonly replyTo: ReplyTo<Outcome<null>>;
    };

/**
 * The text of a template; or the id that the job is to get, when the store holds plan and template under it already, as it does
 * those of large jobs (docs/decisions/large-jobs.md).
 */
export type SubmittedTemplate = { readonly text: string } | { readonly provisionalJobId: JobId };

/** The row that lets a repeat of a submission be answered with the job that is there already. */
export interface IdempotencyKeyRow {
  /** Of the table `idempotencyKey`. */
  readonly rowKey: string;
  readonly fingerprint: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}
