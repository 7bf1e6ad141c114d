import type { IfMatch } from '../../../src/core/records/settings-version.ts';
import type { AttemptId, FarmId, JobId, QueueId, WorkerId } from '../../../src/core/ids.ts';
import type { JobStatus } from '../../../src/core/lifecycle/job-transitions.ts';
import type { JobCaps } from '../../../src/core/records/job-caps.ts';
import type { JobEnvironment, JobRecord, TemplateFormat } from '../../../src/core/records/job.ts';
import type { JobPlan } from '../../../src/openjd/template/plan.ts';
import type { InheritedRetry, RetryOverride } from '../../../src/core/lifecycle/retry-policy.ts';
import type { TaskStatus } from '../../../src/core/lifecycle/task-transitions.ts';
import type { TaskRange } from '../../../src/core/lease/task-ranges.ts';
import type { OutageMark, RecentEnd } from '../../../src/core/outages/outage.ts';
import type { RetryRule } from '../../../src/core/retry-rules/retry-rule.ts';
import type { Preemption } from '../../../src/core/records/preemption.ts';
import type { StepHold, StepRecord } from '../../../src/core/records/step.ts';
import type { SkipNote } from '../../../src/core/records/task-text.ts';
import type { AttemptReport } from '../../../src/core/wire/bus-messages.ts';
import type { ReplyTo } from '../../kernel/address.ts';
import type { Holding } from '../../../src/core/records/holding.ts';
import type { ShareReason } from '../../../src/core/records/queue-policy.ts';
import type { Outcome } from '../../../src/core/problems.ts';

/** Tasks of one step that the lease actor has selected for a worker. */
export interface TaskSelection {
  readonly jobId: JobId;
  readonly stepOrder: number;
  readonly ranges: readonly TaskRange[];
  /** Cores that each task takes on that worker. */
  readonly cores: number;
  /** As in the offer that they were selected from. Absent is 0. */
  readonly raises?: number;
  /** Holdings of each task besides cores, in the order of `ranges`. Absent: only cores. */
  readonly holdings?: readonly Holding[];
  /** Why they came next. Absent if the farm is not shared. */
  readonly reason?: ShareReason;
}

/** A client's change of a job. Absent fields stay as they are. */
export interface JobUpdate {
  readonly action?: 'pause' | 'resume';
  readonly priority?: number;
  /** No task starts before this time, in milliseconds since the epoch; null removes the time. */
  readonly startAfter?: number | null;
  readonly retry: RetryOverride;
  /** An empty list removes the rules. */
  readonly retryRules?: readonly RetryRule[];
  /** A cap of 0 removes the stored one. */
  readonly caps?: JobCaps;
}

/** Tasks that a client retries: all failed and canceled tasks of a job, one task, or a selection. */
export type RetryTarget =
  | 'job'
  | { readonly stepOrder: number; readonly index: number }
  | { readonly selection: RetrySelection };

/**
 * Tasks of a job that match all given criteria, and that can be retried: failed and canceled ones, and skipped ones. Of a
 * skip those that have not succeeded.
 */
export interface RetrySelection {
  readonly stepOrder?: number;
  /** Indices in the step, rising, without duplicates. Only with `stepOrder`. */
  readonly indices?: readonly IndexRun[];
  /** How often the chunks of the step had changed their size when the indices were found. Only with `indices`. */
  readonly chunkChanges?: number;
  /** Ordinal of a worker: only failed tasks whose last attempt ran on that worker. */
  readonly workerOrdinal?: number;
  /** Only failed tasks. */
  readonly isFailed?: boolean;
  /** Only skipped tasks, to undo the skip. With neither this nor `indices`, a retry leaves them as they are. */
  readonly isSkipped?: boolean;
}

/** start, start + step, ...: `count` indices; step and count are at least 1. */
export interface IndexRun {
  readonly start: number;
  readonly step: number;
  readonly count: number;
}

/** An upstream job with its stored status, read just before the request. */
export interface UpstreamSeen {
  readonly jobId: JobId;
  readonly status: JobStatus | 'deleted';
}

/** A client's retry, or skip, of tasks of one job. */
export interface RetryRequest {
  readonly target: RetryTarget;
  /** Set to skip the tasks of the target instead (docs/scheduling.md#skipped-tasks). */
  readonly skip?: SkipNote;
  /** The upstream jobs of the job. */
  readonly upstreams: readonly UpstreamSeen[];
  /**
   * `tasks`: only the target. `later steps`: also the tasks that were canceled only because of steps of the target.
   * `restore`: only if the job was canceled because of its upstream jobs, and all of these are active or completed.
   */
  readonly scope: 'tasks' | 'later steps' | 'restore';
  /** Whether the request only returns its result and changes nothing. */
  readonly isDryRun: boolean;
}

/** The upstream jobs of a job that is retried, from the farm. */
export interface RetriedUpstreams {
  /** Those that still exist. */
  readonly dependsOn: readonly JobId[];
  /** Whether the job waits for any of them. */
  readonly isWaiting: boolean;
  /** Those that have failed or were canceled: the job waits for their retry. */
  readonly ended: readonly JobId[];
}

/** Retried tasks of one step. */
export interface RetriedStep {
  readonly stepOrder: number;
  readonly retried: number;
  /** The tasks of a selection or of a dry run, at most `RETRIED_RUNS_MAX` runs; null otherwise. */
  readonly indices: readonly IndexRun[] | null;
  /** Whether the tasks are skipped. A skip also retries tasks of later steps. */
  readonly isSkipped: boolean;
}

/** Result of a retry. A dry run returns the same, with the current statuses. */
export interface RetryResult {
  readonly retried: number;
  /** The new status of the single task of the request; null for several tasks. */
  readonly status: TaskStatus | null;
  readonly jobStatus: JobStatus;
  /** Steps with retried tasks, in order. */
  readonly steps: readonly RetriedStep[];
  /** Of a dry run: whether the job would have other failed or canceled tasks left. */
  readonly leavesEnded: boolean;
}

/** Messages of the job actor, which owns one job with its steps, tasks and attempts. Id: job id. */
export type JobMessage =
  /** From the lease actor: the answer to `failure.weigh`. `mark`: set if the failure belongs to an outage. */
  | {
      readonly type: 'failure.weighed';
      readonly workerId: WorkerId;
      readonly report: AttemptReport;
      readonly mark: OutageMark | null;
    }
  /** From the lease actor: failures that have counted turn out to belong to an outage. */
  | {
      readonly type: 'failures.excused';
      readonly attempts: readonly Pick<RecentEnd, 'attemptId' | 'workerId' | 'isFirstOnWorker'>[];
    }
  /**
   * From the farm: creates a job. The status of `record` is pending, blocked if it waits for other jobs, or paused.
   * Replies with the JobRecord.
   */
  | {
      readonly type: 'job.create';
      readonly record: JobRecord;
      readonly plan: JobPlan;
      readonly template: SubmittedTemplate;
      readonly templateFormat: TemplateFormat;
      /** Retry settings of server, farm and queue. */
      readonly inherited: InheritedRetry;
      readonly once?: IdempotencyKeyRow;
      readonly replyTo: ReplyTo<Outcome<JobRecord>>;
    }
  /** From the lease actor during recovery: loads the job, restores its timers and reports its ready tasks. */
  | { readonly type: 'job.activate' }
  /** From the farm: every upstream job has completed. */
  | { readonly type: 'upstreams.completed' }
  /** From the farm: an upstream job failed, or was canceled or deleted. */
  | { readonly type: 'upstream.failed' }
  /**
   * From the lease actor: assign these ready tasks to a worker. Answered by `tasks.taken`, with the number of refused
   * tasks.
   */
  | {
      readonly type: 'tasks.take';
      readonly leaseId: number;
      readonly workerId: WorkerId;
      readonly workerOrdinal: number;
      readonly pick: TaskSelection;
    }
  /**
   * From the lease actor: no online worker can run tasks of the step. Tasks that are ready since `readyBefore` get the
   * reason.
   */
  | {
      readonly type: 'step.unschedulable';
      readonly stepOrder: number;
      readonly reason: string;
      /** Milliseconds since the epoch. */
      readonly readyBefore: number;
    }
  /** From the lease actor: an online worker can run tasks of the step. */
  | { readonly type: 'step.schedulable'; readonly stepOrder: number }
  /**
   * From the bus: one report of the status stream, or all piggybacked reports of a lease request for this job, in the
   * order of the worker. Only piggybacked reports have `replyTo`, and they get a reply only if the message is poisoned.
   */
  | {
      readonly type: 'tasks.reported';
      readonly workerId: WorkerId;
      readonly reports: readonly AttemptReport[];
      readonly replyTo?: ReplyTo<never>;
    }
  /** From a worker actor: the worker has these attempts, whether it has reported them running or not. */
  | { readonly type: 'attempts.held'; readonly attemptIds: readonly AttemptId[] }
  /** From a worker actor: take these attempts back. Does not count as a failure. */
  | {
      readonly type: 'attempts.reclaim';
      readonly attemptIds: readonly AttemptId[];
      readonly reason: string;
      /** Set for attempts that were not reported running in time. */
      readonly isStale?: boolean;
    }
  /**
   * From a worker actor: the worker was disabled at once. Stops these attempts; their tasks run elsewhere once the
   * processes have ended. Does not count as a failure.
   */
  | { readonly type: 'attempts.stop'; readonly attemptIds: readonly AttemptId[] }
  /** From the lease actor, which looks for attempts to take back. Answered by `attempts.surveyed`. */
  | {
      readonly type: 'attempts.survey';
      readonly farmId: FarmId;
      readonly attemptIds: readonly AttemptId[];
    }
  /**
   * From the lease actor: stops these attempts in favor of a task that waits (docs/policy.md#preemption). Their tasks run
   * again once the processes have ended. Does not count as a failure.
   */
  | {
      readonly type: 'attempts.preempt';
      readonly attemptIds: readonly AttemptId[];
      readonly preemption: Preemption;
    }
  /** From a worker actor: no process of these canceled attempts runs any more. */
  | { readonly type: 'attempts.exited'; readonly attemptIds: readonly AttemptId[] }
  /** The job's own timer: assigned attempts may have reached their deadline without a running report. */
  | { readonly type: 'assigned.due' }
  /** The job's own timer: its start time may have come. */
  | { readonly type: 'start.due' }
  /** From the farm: the retry settings above the job have changed. */
  | { readonly type: 'policy.changed'; readonly inherited: InheritedRetry }
  /**
   * From a client, directly or through the farm if the queue changes. Replies with the JobRecord, or `conflict` for an
   * action on a terminal job.
   */
  | {
      readonly type: 'job.update';
      readonly update: JobUpdate;
      /** The new queue with the retry settings that the job inherits there; null for no change. */
      readonly queue: { readonly queueId: QueueId; readonly inherited: InheritedRetry } | null;
      readonly ifMatch?: IfMatch;
      readonly replyTo: ReplyTo<Outcome<JobRecord>>;
    }
  /**
   * From a client. Replies with a RetryResult; `not-found` for an unknown task; `conflict` if the task can be neither
   * retried nor, with `skip`, skipped, the selection is too large or the queue was deleted.
   */
  | {
      readonly type: 'job.retry';
      readonly request: RetryRequest;
      readonly replyTo: ReplyTo<Outcome<RetryResult>>;
    }
  /** From the farm, after `job.reactivation-requested`: retry a terminal job. Replies like `job.retry`. */
  | {
      readonly type: 'job.reactivate';
      readonly request: RetryRequest;
      readonly upstreams: RetriedUpstreams;
      readonly inherited: InheritedRetry;
      readonly replyTo: ReplyTo<Outcome<RetryResult>>;
    }
  /**
   * From a client: holds a step, or releases it (null). Replies with the StepRecord; `not-found` for an unknown step;
   * `conflict` for a hold of a step that has ended.
   */
  | {
      readonly type: 'step.hold';
      readonly stepOrder: number;
      readonly hold: Omit<StepHold, 'at'> | null;
      readonly replyTo: ReplyTo<Outcome<StepRecord>>;
    }
  /** From a client: cancels live tasks and deletes the job. Replies with null. */
  | { readonly type: 'job.delete'; readonly ifMatch?: IfMatch; readonly replyTo: ReplyTo<Outcome<null>> }
  /** From retention through the farm: deletes the job if it still has this end time. */
  | { readonly type: 'job.expire'; readonly endedAt: number }
  /** From a client. Replies with null, or `conflict` for a completed or failed job. */
  | { readonly type: 'job.cancel'; readonly replyTo: ReplyTo<Outcome<null>> }
  /** From a client. Replies with null; `not-found` for an unknown task; `conflict` for a terminal task. */
  | {
      readonly type: 'task.cancel';
      readonly stepOrder: number;
      readonly index: number;
      readonly replyTo: ReplyTo<Outcome<null>>;
    };

/**
 * The text of a template. For a large job, whose plan and template are stored already, the provisional job id
 * (docs/decisions/large-jobs.md).
 */
export type SubmittedTemplate =
  | {
      readonly text: string;
      /** Environment templates of the job, the outermost first. Absent is none. */
      readonly environments?: readonly JobEnvironment[];
    }
  | { readonly provisionalJobId: JobId };

/** The idempotency key row: a repeated submission gets the existing job as its reply. */
export interface IdempotencyKeyRow {
  /** Key in the table `idempotencyKey`. */
  readonly rowKey: string;
  readonly fingerprint: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}
