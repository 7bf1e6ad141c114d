import type { PathDelivery } from '../../openjd/template/deliveries.ts';
import type { PathMap } from '../delivery/path-map.ts';
import type { DiagnosticLevel } from '../diagnostics/record.ts';
import type { AttemptId, FarmId, JobId, QueueId, StepId, TaskId, WorkerId } from '../ids.ts';
import type { UsageFields } from './usage-fields.ts';
import type {
  EnvironmentPlan,
  LetValue,
  ParameterValue,
  ScriptPlan,
  TaskParameterValue,
} from '../../openjd/template/plan.ts';

/** Messages between worker and service (docs/contract/bus.md), JSON on the wire. Field names are those of the wire. */

/** `worker.register`: sent at the start of a worker agent and whenever the service does not know it. */
export interface RegisterMessage {
  readonly v: 1;
  readonly type: 'register';
  readonly worker_id: WorkerId;
  /** New with every start of the agent. */
  readonly incarnation: string;
  readonly name: string;
  readonly hostname: string;
  /** Farm id or name; empty when the service has only one. */
  readonly farm: string;
  /** Queue ids or names; empty means no affinity. */
  readonly queues: readonly string[];
  readonly cpu_count: number;
  readonly memory_mib: number;
  /** Further amounts by name: `amount.scene.cache`. Absent: none. */
  readonly amounts?: Readonly<Record<string, number>>;
  /** Absent: no GPU. */
  readonly gpu_count?: number;
  /** Memory of the GPU with the least. Absent: unknown. */
  readonly gpu_memory_mib?: number;
  /** One for each GPU. Absent: unknown. */
  readonly gpu_models?: readonly string[];
  /** Size of the file system that holds the session directories. Absent: unknown. */
  readonly scratch_mib?: number;
  readonly os: string;
  /** As a value of `attr.worker.os.version`. Absent: unknown. */
  readonly os_version?: string;
  /** Parts of isolation that apply to all tasks. Absent: unknown. */
  readonly isolation?: readonly string[];
  readonly arch: string;
  readonly software_version: string;
  readonly compute_location: string;
  readonly tags: Readonly<Record<string, string>>;
  /** Bytes of memory granted to one expression. Absent: the default of `openjd.expr_memory_limit`. */
  readonly expr_memory_limit?: number;
  /** Extensions of OpenJD that the worker runs and an earlier version does not. Absent: none. */
  readonly extensions?: readonly string[];
  /** Attempts whose end the service has not confirmed: running ones and those with an unconfirmed report. */
  readonly open_attempts: readonly AttemptId[];
  /** Why this incarnation does not continue the tasks of the one before. Absent: the agent was started. */
  readonly stopped?: StopCause;
  readonly reply_to: string;
}

/**
 * Why a worker has stopped its own tasks: `no-contact`, it had no contact with the service; `interrupted`, a guard
 * ended a task because the agent did not run or had no contact.
 */
export type StopCause = 'no-contact' | 'interrupted';

/** `worker.heartbeat` */
export interface HeartbeatMessage {
  readonly v: 1;
  readonly type: 'heartbeat';
  readonly worker_id: WorkerId;
  readonly farm_id: FarmId;
  readonly incarnation: string;
  readonly open_attempts: readonly AttemptId[];
  /** Set if the worker leaves once its tasks have ended, and takes no others. Absent means false. */
  readonly draining?: boolean;
  /**
   * The terms that this worker uses, from replies of `service`: it stops its tasks before `reclaim_after_ms` without
   * contact, and `bus` is the bus whose "no responders" it counts as contact (absent: none). Absent from an older
   * worker, which uses the heartbeat timeout.
   */
  readonly reclaim_after_ms?: number;
  readonly service?: string;
  readonly bus?: string;
  /** The latest `mark` of that service. This heartbeat was sent after its reply had arrived. */
  readonly mark?: number;
  readonly reply_to: string;
}

/** `worker.deregister`: a graceful departure. Attempts that are still open are returned to the queue. */
export interface DeregisterMessage {
  readonly v: 1;
  readonly type: 'deregister';
  readonly worker_id: WorkerId;
  readonly farm_id: FarmId;
  readonly incarnation: string;
  readonly reply_to: string;
}

export type PresenceMessage = RegisterMessage | HeartbeatMessage | DeregisterMessage;

/** Terms of the service in its replies (docs/decisions/outages.md). All are absent from an older service. */
export interface ServiceTerms {
  /**
   * The service reclaims the tasks of a silent worker after this time, never less than the heartbeat timeout. Absent:
   * after the heartbeat timeout.
   */
  readonly reclaim_after_ms?: number;
  /**
   * Set if one single server is the whole bus, and `bus` is its identity. Then its "no responders" to a request to
   * `service.present.<farm id>` proves that the service is not connected. Counts as contact for at most
   * `absence_limit_ms` since the last reply of a service.
   */
  readonly single_bus?: boolean;
  readonly bus?: string;
  readonly absence_limit_ms?: number;
  /** Increases with every reply of this start of the service. Heartbeats return the latest one. */
  readonly mark?: number;
  /** Set if the service stores previews of outputs. */
  readonly previews?: boolean;
  /**
   * Set by a service of several nodes: increases with each takeover of the farms by another node. A worker ignores replies
   * with a lower one than it knows.
   */
  readonly epoch?: number;
}

/** `service.owner`: a node of a cluster has taken over the farms. */
export interface OwnerMessage {
  readonly v: 1;
  readonly type: 'owner';
  /** Start of the service, as in its replies. */
  readonly service: string;
  readonly epoch: number;
}

/** Reply of the service to a presence message, on its `reply_to`. */
export type PresenceReply =
  | ({
      readonly v: 1;
      readonly type: 'registered';
      /** The worker's id from now on. It may be that of an earlier worker of the same name. */
      readonly worker_id: WorkerId;
      readonly farm_id: FarmId;
      readonly queue_ids: readonly QueueId[];
      readonly heartbeat_timeout_ms: number;
      /** Identifies the start of the service that replies. */
      readonly service: string;
      /** Attempts of `open_attempts` that are closed: stop the running ones, drop the reports. */
      readonly closed: readonly AttemptId[];
    } & ServiceTerms)
  /** The registration is rejected in its current form. The worker logs this and retries later. */
  | { readonly v: 1; readonly type: 'refused'; readonly reason: string }
  | ({
      readonly v: 1;
      readonly type: 'alive';
      /**
       * Absent from an older service: the value of the registration applies. Another start of the service may have
       * another value.
       */
      readonly heartbeat_timeout_ms?: number;
      /** Identifies the start of the service that replies. A new start has no requests of the previous one. */
      readonly service: string;
      readonly closed: readonly AttemptId[];
    } & ServiceTerms)
  /** The service does not know this worker or incarnation: register again. */
  | { readonly v: 1; readonly type: 'unknown' }
  | { readonly v: 1; readonly type: 'departed' };

/** `work.lease.<queue id>` or `work.lease._any` */
export interface LeaseRequest {
  readonly v: 1;
  readonly worker_id: WorkerId;
  readonly farm_id: FarmId;
  readonly incarnation: string;
  /**
   * Ends of attempts that the worker had from this farm, in the order in which they ended. The reply confirms those
   * that are on disk. The worker sends the others again on `task.status`. Absent: none.
   */
  readonly reports?: readonly TerminalReport[];
}

/** Report about an attempt without the worker and the task, which the request and the attempt name. */
export type AttemptReport = Omit<StatusMessage, 'v' | 'task_id' | 'worker_id'>;

/** The end of an attempt, piggybacked on a lease request: the attempt names its task, the request the worker. */
export interface TerminalReport extends AttemptReport {
  readonly status: TerminalStatus;
}

export type LeaseReply =
  | {
      readonly v: 1;
      readonly type: 'leases';
      readonly assignments: readonly Assignment[];
      /** Data that the assignments of a step share, by step id. */
      readonly steps: Readonly<Record<StepId, StepAssignment>>;
      /** Roots of storage for the worker's compute location; absent if there are none. */
      readonly path_map?: PathMapMessage;
      /** Attempts of the request's `reports` that are closed and on the service's disk. Absent: none. */
      readonly confirmed?: readonly AttemptId[];
    }
  | { readonly v: 1; readonly type: 'unknown' };

/** A path map in its wire form: paths below a source map to paths below the root of its location. */
export interface PathMapMessage {
  /** Compute location of the worker; empty if it reports none. */
  readonly compute_location: PathMap['computeLocation'];
  readonly locations: PathMap['locations'];
}

/** One task that is assigned to a worker (docs/contract/lease.md#the-reply). */
export interface Assignment {
  readonly task_id: TaskId;
  readonly job_id: JobId;
  readonly step_id: StepId;
  readonly attempt_id: AttemptId;
  readonly name: string;
  readonly cores: number;
  /** Indices of the GPUs that the task runs on. Absent: none are assigned. */
  readonly gpus?: readonly number[];
  readonly parameters: Readonly<Record<string, TaskParameterValue>>;
}

export interface StepAssignment {
  readonly job_name: string;
  readonly step_name: string;
  readonly job_parameters: Readonly<Record<string, ParameterValue>>;
  readonly job_environments: readonly EnvironmentPlan[];
  readonly step_environments: readonly EnvironmentPlan[];
  readonly script: ScriptPlan;
  /** Bindings of the step's `let` with their values. Absent means none. */
  readonly lets?: readonly LetValue[];
  readonly compute_location: string;
  /** Extensions that the template declares. Absent means none. */
  readonly extensions?: readonly string[];
  /** How tasks receive mapped paths; absent is the default (docs/contract/openjd.md#extensions). */
  readonly deliveries?: readonly PathDelivery[];
  /** Ready tasks of the step that remained after the reply was made. Absent means unknown. */
  readonly ready_left?: number;
  /** Memory that one task requests (`amount.worker.memory`), in MiB. Absent: none, or an older service. */
  readonly memory_mib?: number;
  /** RE2 patterns that the worker searches the log of a failed task for. Absent: none. */
  readonly log_patterns?: readonly string[];
  /** The account that the tasks run as; absent for the worker's own. */
  readonly isolation?: IsolationIdentity;
}

/** Names of an account and a group of the worker's machine (docs/contract/isolation.md). */
export interface IsolationIdentity {
  readonly user: string;
  /** Replaces the account's primary group. */
  readonly group?: string;
}

export type TerminalStatus = 'succeeded' | 'failed' | 'canceled';
export type ReportedStatus = 'running' | TerminalStatus;

/** `task.status.<job id>` */
export interface StatusMessage extends UsageFields {
  readonly v: 1;
  readonly task_id: TaskId;
  readonly attempt_id: AttemptId;
  readonly worker_id: WorkerId;
  readonly status: ReportedStatus;
  readonly exit_code?: number;
  readonly message?: string;
  /** Last error line of the log, after a few lines that precede it. Absent: unknown. Only with status failed. */
  readonly failure_excerpt?: string;
  /** The `log_patterns` of its step that a line of the log contains. Absent: none. Only with status failed. */
  readonly log_matches?: readonly string[];
  /** RFC 3339. */
  readonly timestamp: string;
  readonly session_id: string;
  /** Progress that the task reports, from 0 to 100. Absent: not reported. */
  readonly progress?: number;
  /**
   * Status line that the task reports. In a report with status running, this field (empty or not) marks a progress
   * report: both fields replace the previous values.
   */
  readonly status_message?: string;
  /** Paths that the task has named as outputs, in the report of its end (docs/outputs.md). Absent: none. */
  readonly outputs?: readonly string[];
}

/** `task.logs.<task id>` */
export interface LogMessage {
  readonly v: 1;
  readonly task_id: TaskId;
  readonly attempt_id: AttemptId;
  /** From 1, without gaps in an attempt. */
  readonly seq_num: number;
  readonly stream: 'stdout' | 'stderr';
  readonly data: string;
  /** RFC 3339. */
  readonly at: string;
}

/** `task.logs.preview-<task id>`: a preview of an output of an attempt that has succeeded, or why there is none. */
export interface PreviewMessage {
  readonly v: 1;
  readonly task_id: TaskId;
  readonly attempt_id: AttemptId;
  /** From 0, below `PREVIEW_LIMITS.perAttempt`. */
  readonly number: number;
  /** The output, as in the report of the end, or a file that the worker has found at an OUT parameter. */
  readonly path: string;
  /** The name of that parameter. Absent: the task has named the output. */
  readonly parameter?: string;
  /** The image, a WebP file in base64. Absent if there is none. */
  readonly data?: string;
  /** Why there is none, for people to read. Absent with an image. */
  readonly missing?: string;
}

/** `task.cancel.<task id>` */
export interface CancelMessage {
  readonly v: 1;
  readonly task_id: TaskId;
  readonly attempt_id: AttemptId;
  readonly reason: string;
}

/** `worker.diag.<worker id>`: one log record of a worker agent (docs/contract/resources.md#diagnostic-record). */
export interface DiagnosticMessage {
  readonly v: 1;
  readonly worker_id: WorkerId;
  /** RFC 3339, by the clock of the worker. */
  readonly at: string;
  readonly level: DiagnosticLevel;
  readonly msg: string;
  readonly attrs: Readonly<Record<string, string>>;
}
