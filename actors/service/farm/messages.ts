import type { IfMatch } from '../../../src/core/records/settings-version.ts';
import type { JobId, QueueId, WorkerId } from '../../../src/core/ids.ts';
import type { FarmSample } from '../../../src/core/history/farm-samples.ts';
import type { OutageSetting } from '../../../src/core/outages/outage.ts';
import type { BookedAmountsSetting, QuarantineSetting } from '../../../src/core/records/farm.ts';
import type { JobCaps } from '../../../src/core/records/job-caps.ts';
import type { QueuePolicySetting } from '../../../src/core/records/queue-policy.ts';
import type { RetryOverride } from '../../../src/core/lifecycle/retry-policy.ts';
import type { JobStatus, TerminalJobStatus } from '../../../src/core/lifecycle/job-transitions.ts';
import type { JobPlan } from '../../../src/openjd/template/plan.ts';
import type { WorkerStatus } from '../../../src/core/records/worker.ts';
import type { ReplyTo } from '../../kernel/address.ts';
import type { JobProduct, JobRecord, TemplateFormat } from '../../../src/core/records/job.ts';
import type { PresenceReply, RegisterMessage } from '../../../src/core/wire/bus-messages.ts';
import type {
  JobUpdate,
  RetryRequest,
  RetryResult,
  IdempotencyKeyRow,
  RetriedUpstreams,
  SubmittedTemplate,
  UpstreamSeen,
} from '../job/messages.ts';
import type { RetryRule, RetryRuleSet } from '../../../src/core/retry-rules/retry-rule.ts';
import type { Namesake } from '../../../src/core/bus-identity/join-decision.ts';
import type { Outcome } from '../../../src/core/problems.ts';
import type { FarmNoticeSubject } from '../../../src/core/webhooks/notice.ts';
import type { WorkerCredentialRecord } from '../../../src/core/records/worker-credential.ts';
import type { FarmRecord } from '../../../src/core/records/farm.ts';
import type { QueueEnvironmentRecord } from '../../../src/core/records/queue-environment.ts';
import type { NamedCaps } from '../../../src/core/records/named-caps.ts';
import type { QueueRecord } from '../../../src/core/records/queue.ts';

/** Proof that the sender of a registration is the worker whose id it contains (docs/decisions/bus-identity.md). */
export type WorkerIdentity =
  /** Nothing: any client of the bus can send it. */
  | { readonly kind: 'open' }
  /** The permissions of its user, which the operator of the bus has created. */
  | { readonly kind: 'operator' }
  /** The permissions of its credential; null if it has none. */
  | { readonly kind: 'joined'; readonly credential: WorkerCredentialRecord | null };

/** Settings of a farm that a client can change. */
export interface FarmSettings extends NamedCaps {
  readonly name: string;
  readonly description: string;
  readonly maxConcurrentTasks: number;
  readonly retry: RetryOverride;
  /** Absent: only cores are booked, and never were others. */
  readonly bookedAmounts?: BookedAmountsSetting;
  /** Absent: the order of the contract, and there was never another one. */
  readonly queuePolicy?: QueuePolicySetting;
  /** Absent: workers are not put in quarantine, and never were. */
  readonly quarantine?: QuarantineSetting;
  /** Absent: outages are not looked for, and never were. */
  readonly outages?: OutageSetting;
}

/** Settings of a queue that a client can change. */
export interface QueueInput extends NamedCaps {
  readonly name: string;
  readonly description: string;
  readonly priority: number;
  readonly maxConcurrentTasks: number;
  readonly paused: boolean;
  readonly retry: RetryOverride;
  /** An empty list removes the stored rules; absent keeps them. */
  readonly retryRules?: readonly RetryRule[];
  /** Null: the queue takes back no tasks. Absent keeps the stored value, as for `preemptible`. */
  readonly preemptAfterSeconds?: number | null;
  readonly preemptible?: boolean;
  /** Null removes the stored value; absent keeps it. */
  readonly runAsUser?: string | null;
  readonly runAsGroup?: string | null;
}

/** A checked environment template of a queue. */
export type QueueEnvironmentInput = Pick<QueueEnvironmentRecord, 'name' | 'format' | 'template'> & {
  /** Absent: a new one is entered last, an existing one keeps its place. */
  readonly priority?: number;
};

/** A job whose template has been validated and resolved. The farm checks its queue and upstream jobs. */
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
  /** Absent: none. */
  readonly retryRules?: readonly RetryRule[];
  /** The job starts paused. */
  readonly isPaused: boolean;
  /** No task starts before this time, in milliseconds since the epoch. */
  readonly startAfter?: number;
  /** Absent: none. */
  readonly caps?: JobCaps;
  /** The product that it comes from; null for a template of the client. */
  readonly product: JobProduct | null;
  /** Upstream jobs with their stored status, read just before the submission. */
  readonly upstreams: readonly { readonly jobId: JobId; readonly status: JobStatus }[];
  /** Stored together with the job if the client has sent an idempotency key. */
  readonly once?: IdempotencyKeyRow;
}

/** Messages of the farm actor, which owns a farm's settings, queues, job dependencies and worker names. Id: farm id. */
export type FarmMessage =
  /** At the start of the service: loads the farm and activates its lease actor and retention. */
  | { readonly type: 'farm.activate' }
  /** From the catalog, which has reserved the name. Replies with the FarmRecord. */
  | {
      readonly type: 'farm.create';
      readonly input: FarmSettings;
      readonly replyTo: ReplyTo<Outcome<FarmRecord>>;
    }
  /** From the catalog, which has reserved the new name. Replies with the FarmRecord. */
  | {
      readonly type: 'farm.replace';
      readonly input: FarmSettings;
      readonly replyTo: ReplyTo<Outcome<FarmRecord>>;
    }
  /** From the catalog: the retry rules of all usage pools. Replaces earlier ones. */
  | { readonly type: 'pool-rules.changed'; readonly sets: readonly RetryRuleSet[] }
  /**
   * From a client. Replies with null, or `conflict` while a job is not terminal or, without `force`, while a worker is
   * online or disabled.
   */
  | {
      readonly type: 'farm.delete';
      readonly force: boolean;
      readonly ifMatch?: IfMatch;
      readonly replyTo: ReplyTo<Outcome<null>>;
    }
  /** From the history of the main thread, once a minute. Replies with null when the sample is stored. */
  | {
      readonly type: 'farm.sampled';
      readonly sample: FarmSample;
      readonly replyTo: ReplyTo<Outcome<null>>;
    }
  /** From a client. Replies with the QueueRecord, or `conflict` if the farm has a queue of that name. */
  | {
      readonly type: 'queue.create';
      readonly input: QueueInput;
      readonly replyTo: ReplyTo<Outcome<QueueRecord>>;
    }
  | {
      readonly type: 'queue.replace';
      readonly queueId: QueueId;
      readonly input: QueueInput;
      readonly ifMatch?: IfMatch;
      readonly replyTo: ReplyTo<Outcome<QueueRecord>>;
    }
  /** From a client. Replies with null, or `conflict` while a job of the queue is not terminal. */
  | {
      readonly type: 'queue.delete';
      readonly queueId: QueueId;
      readonly ifMatch?: IfMatch;
      readonly replyTo: ReplyTo<Outcome<null>>;
    }
  /**
   * From a client. Replies with the QueueEnvironmentRecord, or `conflict` if the queue has an environment of that name or
   * as many as it can have.
   */
  | {
      readonly type: 'queue-environment.create';
      readonly queueId: QueueId;
      readonly input: QueueEnvironmentInput;
      readonly replyTo: ReplyTo<Outcome<QueueEnvironmentRecord>>;
    }
  | {
      readonly type: 'queue-environment.replace';
      readonly queueId: QueueId;
      readonly environmentId: string;
      readonly input: QueueEnvironmentInput;
      readonly ifMatch?: IfMatch;
      readonly replyTo: ReplyTo<Outcome<QueueEnvironmentRecord>>;
    }
  | {
      readonly type: 'queue-environment.delete';
      readonly queueId: QueueId;
      readonly environmentId: string;
      readonly ifMatch?: IfMatch;
      readonly replyTo: ReplyTo<Outcome<null>>;
    }
  /** From a client. Replies with the JobRecord, or `bad-request` for an unknown queue or upstream job. */
  | {
      readonly type: 'job.submit';
      readonly submission: JobSubmission;
      readonly replyTo: ReplyTo<Outcome<JobRecord>>;
    }
  /**
   * From a client: moves a job to another queue, with other changes. The job replies; `bad-request` for an unknown
   * queue.
   */
  | {
      readonly type: 'job.requeue';
      readonly jobId: JobId;
      readonly queueId: QueueId;
      readonly update: JobUpdate;
      readonly ifMatch?: IfMatch;
      readonly replyTo: ReplyTo<Outcome<JobRecord>>;
    }
  /** From a job actor that has refused to move to another queue. */
  | { readonly type: 'job.queue-kept'; readonly jobId: JobId; readonly queueId: QueueId }
  /**
   * From a job actor: retry tasks of a terminal job. The job replies after `job.reactivate`; `conflict` if its queue
   * was deleted; `unavailable` if an upstream job is just ending.
   */
  | {
      readonly type: 'job.reactivation-requested';
      readonly jobId: JobId;
      readonly queueId: QueueId;
      /** Ids of its upstream jobs. */
      readonly dependsOn: readonly JobId[];
      readonly request: RetryRequest;
      readonly replyTo: ReplyTo<Outcome<RetryResult>>;
    }
  /** From a job actor: a terminal job is active again. */
  | {
      readonly type: 'job.reactivated';
      readonly jobId: JobId;
      readonly queueId: QueueId;
      readonly upstreams: RetriedUpstreams;
      readonly seen: readonly UpstreamSeen[];
    }
  /** From a job actor: the job has ended. */
  | {
      readonly type: 'job.ended';
      readonly jobId: JobId;
      readonly queueId: QueueId;
      readonly status: TerminalJobStatus;
    }
  /** From a job actor: the job was deleted, in any status. */
  | { readonly type: 'job.deleted'; readonly jobId: JobId }
  /** From a job or worker actor: an event that webhooks may be notified of. */
  | { readonly type: 'notice.raised'; readonly subject: FarmNoticeSubject }
  /** From a sweep: the retention of a job that ended at this time has passed. */
  | { readonly type: 'job.expire'; readonly jobId: JobId; readonly endedAt: number }
  /** From the bus. Replies with a PresenceReply. */
  | {
      readonly type: 'worker.register';
      readonly registration: RegisterMessage;
      readonly identity: WorkerIdentity;
      readonly replyTo: ReplyTo<PresenceReply>;
    }
  /** From the join desk. Replies with the worker of that name; null if there is none. */
  | {
      readonly type: 'worker.find';
      readonly name: string;
      readonly replyTo: ReplyTo<Outcome<Namesake | null>>;
    }
  /** From a worker actor: its status or incarnation has changed. */
  | {
      readonly type: 'worker.changed';
      readonly workerId: WorkerId;
      readonly name: string;
      readonly incarnation: string;
      readonly status: WorkerStatus;
    }
  /** From a worker actor: the worker was deleted. */
  | { readonly type: 'worker.removed'; readonly workerId: WorkerId }
  /**
   * From a worker actor that was silent for a whole timeout: may it go offline? Answered by `expiry.granted` or
   * `expiry.deferred`.
   */
  | { readonly type: 'worker.expiry-requested'; readonly workerId: WorkerId };
