import type { JobId, QueueId, WorkerId } from '../../../src/core/ids.ts';
import type { RetryOverride } from '../../../src/core/lifecycle/retry-policy.ts';
import type { JobStatus, TerminalJobStatus } from '../../../src/core/lifecycle/job-transitions.ts';
import type { JobPlan } from '../../../src/openjd/template/plan.ts';
import type { JobRecord, TemplateFormat } from '../../../src/core/records/job.ts';
import type { PresenceReply, RegisterMessage } from '../../../src/core/wire/bus-messages.ts';
import type { WorkerStatus } from '../../../src/core/records/worker.ts';
import type {
  JobUpdate,
  RetryResult,
  RetryTarget,
  IdempotencyKeyRow,
  SubmittedTemplate,
} from '../job/messages.ts';
import type { ReplyTo } from '../../kernel/address.ts';
import type { Outcome } from '../../../src/core/problems.ts';
import type { FarmRecord } from '../../../src/core/records/farm.ts';
import type { QueueRecord } from '../../../src/core/records/queue.ts';

/** What a client may set of a farm. */
export interface FarmInput {
  readonly name: string;
  readonly description: string;
  readonly maxConcurrentTasks: number;
  readonly retry: RetryOverride;
}

/** What a client may set of a queue. */
export interface QueueInput {
  readonly name: string;
  readonly description: string;
  readonly priority: number;
  readonly maxConcurrentTasks: number;
  readonly paused: boolean;
  readonly retry: RetryOverride;
  /** Null takes it away; absent leaves what is stored. */
  readonly runAsUser?: string | null;
  readonly runAsGroup?: string | null;
}

/** A job whose template has been validated and resolved: what is left to check is what only the farm knows. */
export interface JobSubmission {
  readonly queueId: QueueId;
  readonly plan: JobPlan;
  readonly description: string;
  readonly extensions: readonly string[];
  readonly template: SubmittedTemplate;
  readonly templateFormat: TemplateFormat;
  readonly owner: string;
  readonly submitter: string;
  readonly project: string;
  readonly priority: number;
  readonly retry: RetryOverride;
  /** Upstream jobs, with the status that the store held a moment ago. */
  readonly upstreams: readonly { readonly jobId: JobId; readonly status: JobStatus }[];
  /** Written with the job, when the client has given a key. */
  readonly once?: IdempotencyKeyRow;
}

/** The farm actor: its settings, its queues, the jobs that wait for other jobs, the names of its workers. Id: farm id. */
export type FarmMessage =
  /** At the start of the service: load the farm and everything that is at work in it. */
  | { readonly type: 'farm.activate' }
  /** From the catalog, which has reserved the name. Answer: FarmRecord. */
  | {
      readonly type: 'farm.create';
      readonly input: FarmInput;
      readonly replyTo: ReplyTo<Outcome<FarmRecord>>;
    }
  /** From the catalog, which has reserved the new name. Answer: FarmRecord. */
  | {
      readonly type: 'farm.replace';
      readonly input: FarmInput;
      readonly replyTo: ReplyTo<Outcome<FarmRecord>>;
    }
  /** Answer: null. 409 while a job is not terminal. */
  | { readonly type: 'farm.delete'; readonly replyTo: ReplyTo<Outcome<null>> }
  /** Answer: QueueRecord. 409 when the farm has a queue of that name. */
  | {
      readonly type: 'queue.create';
      readonly input: QueueInput;
      readonly replyTo: ReplyTo<Outcome<QueueRecord>>;
    }
  | {
      readonly type: 'queue.replace';
      readonly queueId: QueueId;
      readonly input: QueueInput;
      readonly replyTo: ReplyTo<Outcome<QueueRecord>>;
    }
  /** Answer: null. 409 while a job of the queue is not terminal. */
  | { readonly type: 'queue.delete'; readonly queueId: QueueId; readonly replyTo: ReplyTo<Outcome<null>> }
  /** Answer: JobRecord. 400 for an unknown queue or upstream job. */
  | {
      readonly type: 'job.submit';
      readonly submission: JobSubmission;
      readonly replyTo: ReplyTo<Outcome<JobRecord>>;
    }
  /** A job goes to another queue, with what else is changed of it. Answer: the job's. 400 for an unknown queue. */
  | {
      readonly type: 'job.requeue';
      readonly jobId: JobId;
      readonly queueId: QueueId;
      readonly update: JobUpdate;
      readonly replyTo: ReplyTo<Outcome<JobRecord>>;
    }
  /** From a job actor: tasks of a job that has ended are to be tried again. 409 when its queue is gone. */
  | {
      readonly type: 'job.reactivation-requested';
      readonly jobId: JobId;
      readonly queueId: QueueId;
      readonly target: RetryTarget;
      readonly replyTo: ReplyTo<Outcome<RetryResult>>;
    }
  /** From a job actor: a job that had ended is active again. */
  | { readonly type: 'job.reactivated'; readonly jobId: JobId; readonly queueId: QueueId }
  /** From a job actor: the job has ended. */
  | {
      readonly type: 'job.ended';
      readonly jobId: JobId;
      readonly queueId: QueueId;
      readonly status: TerminalJobStatus;
    }
  /** From a job actor: the job was deleted, whatever its status was. */
  | { readonly type: 'job.deleted'; readonly jobId: JobId }
  /** From a sweep: the job that ended at this time has been kept long enough. */
  | { readonly type: 'job.expire'; readonly jobId: JobId; readonly endedAt: number }
  /** From the bus. Answer: PresenceReply. */
  | {
      readonly type: 'worker.register';
      readonly registration: RegisterMessage;
      readonly replyTo: ReplyTo<PresenceReply>;
    }
  /** From a worker actor: its status or incarnation has changed. */
  | {
      readonly type: 'worker.changed';
      readonly workerId: WorkerId;
      readonly name: string;
      readonly incarnation: string;
      readonly status: WorkerStatus;
    }
  /** From a worker actor: it does not exist any more. */
  | { readonly type: 'worker.removed'; readonly workerId: WorkerId }
  /** From a worker actor that was not heard for a whole timeout: may it go offline now? */
  | { readonly type: 'worker.expiry-requested'; readonly workerId: WorkerId };
