import type { Doubt } from '../records/worker-evidence.ts';
import type { FarmId, JobId, QueueId, StepId, WorkerId } from '../ids.ts';
import type { IneligibleReason } from '../lease/eligibility.ts';
import type { MeasuredLimit, RejectedWorkers, ShareExplanation, ShortAmount } from '../lease/explanation.ts';
import type { JobStatus, TerminalJobStatus } from '../lifecycle/job-transitions.ts';
import type { AppliedRule } from '../retry-rules/applied-rule.ts';
import type { PoolHold } from '../retry-rules/pool-hold.ts';
import type { Outage } from '../outages/outage.ts';
import type { StepStatus } from '../lifecycle/step-rules.ts';

/** Explanation of the status of a task (docs/explain.md). Times are milliseconds since the epoch. */
export interface TaskExplanation {
  /** One sentence with the most important reason first. */
  readonly summary: string;
  /** All gates that hold the task, in the order of GATES. A task that is live or has ended has none. */
  readonly gates: readonly Gate[];
  /**
   * Number of ready tasks before this one in the order of candidates, and of other jobs among them. Null if the task is
   * not a candidate, or no worker may run it.
   */
  readonly position: { readonly tasks: number; readonly jobs: number } | null;
  /** How the farm's queue policy places a candidate. Absent under `fifo`. */
  readonly share?: PlacedShare;
  /** Null if the scheduler was not asked, or did not answer. */
  readonly workers: WorkersOutlook | null;
}

/** The standing of a task's sharer, with a sentence. */
export interface PlacedShare extends ShareExplanation {
  readonly sentence: string;
}

/** The gates that can hold a task, in the order in which they are listed. */
export const GATES = [
  'job',
  'upstream_job',
  'upstream_step',
  'paused_job',
  'start_after',
  'held_step',
  'canary',
  'paused_queue',
  'retry_after',
  'farm_cap',
  'queue_cap',
  'owner_cap',
  'project_cap',
  'job_cap',
  'step_cap',
  'usage_pool',
  'outage',
  'workers',
  'quarantine',
  'cores',
  'amounts',
  'order',
  'scheduler',
] as const;
export type GateName = (typeof GATES)[number];

interface Named<Id> {
  readonly id: Id;
  readonly name: string;
}

/** Fields of every gate: a fixed reason, in the words of the contract if it has one, and a sentence. */
interface GateOf<Name extends GateName, Reason extends string> {
  readonly gate: Name;
  readonly reason: Reason;
  readonly sentence: string;
}

export interface Progress {
  readonly total: number;
  /** Tasks that have not ended. */
  readonly left: number;
  /** Assigned or running. */
  readonly running: number;
  readonly failed: number;
}

/** The job of the task has ended. */
export interface JobGate extends GateOf<'job', `job ${TerminalJobStatus}`> {
  readonly status: TerminalJobStatus;
}

export interface UpstreamJobGate extends GateOf<'upstream_job', 'upstream job not completed'> {
  /** Null for jobs that the reader may not see. */
  readonly job: Named<JobId> | null;
  /** Null for a job that does not exist any more. */
  readonly status: JobStatus | null;
  readonly progress: Progress | null;
}

export interface UpstreamStepGate extends GateOf<'upstream_step', 'upstream step not completed'> {
  readonly step: Named<StepId>;
  readonly status: StepStatus;
  readonly progress: Progress;
}

export interface PausedJobGate extends GateOf<'paused_job', 'job paused' | 'job parked'> {
  /** Null if a user has paused the job. */
  readonly parkReason: string | null;
  readonly failedAttempts: number;
}

/** The job waits for its start time. */
export interface StartGate extends GateOf<'start_after', 'start time not reached'> {
  readonly until: number;
}

export interface HeldStepGate extends GateOf<'held_step', 'step held'> {
  readonly step: Named<StepId>;
}

export interface PausedQueueGate extends GateOf<'paused_queue', 'queue paused'> {
  readonly queue: Named<QueueId>;
}

export interface RetryGate extends GateOf<'retry_after', 'retry back-off'> {
  readonly until: number;
  readonly failedAttempts: number;
  readonly maxAttempts: number;
  /** The retry rule that holds the task back; absent if its retry delay does. */
  readonly rule?: AppliedRule;
}

/** Live tasks of one step that hold slots which the task waits for. */
export interface HolderShare {
  readonly farm: Named<FarmId>;
  readonly job: Named<JobId>;
  readonly step: Named<StepId>;
  readonly live: number;
}

export interface FarmCapGate extends GateOf<'farm_cap', 'farm at max_concurrent_tasks'> {
  readonly limit: number;
  readonly live: number;
  readonly holders: readonly HolderShare[];
}

export interface QueueCapGate extends GateOf<'queue_cap', 'queue at max_concurrent_tasks'> {
  readonly queue: Named<QueueId>;
  readonly limit: number;
  readonly live: number;
  readonly holders: readonly HolderShare[];
}

/** The owner of the job is at a cap of the farm, or of the queue if there is one. */
export interface OwnerCapGate extends GateOf<'owner_cap', 'owner at cap'> {
  readonly owner: string;
  readonly queue?: Named<QueueId>;
  readonly limit: number;
  readonly live: number;
  readonly holders: readonly HolderShare[];
}

export interface ProjectCapGate extends GateOf<'project_cap', 'project at cap'> {
  readonly project: string;
  readonly queue?: Named<QueueId>;
  readonly limit: number;
  readonly live: number;
  readonly holders: readonly HolderShare[];
}

export interface JobCapGate extends GateOf<'job_cap', 'job at max_concurrent_tasks'> {
  readonly limit: number;
  readonly live: number;
  readonly holders: readonly HolderShare[];
}

export interface StepCapGate extends GateOf<'step_cap', 'step at max_concurrent_tasks'> {
  readonly step: Named<StepId>;
  readonly limit: number;
  readonly live: number;
}

export interface UsagePoolGate extends GateOf<
  'usage_pool',
  'usage pool at capacity' | 'usage pool held back'
> {
  readonly pool: string;
  readonly isRegistered: boolean;
  readonly limit: number;
  /** Claims of all farms together. */
  readonly live: number;
  /** The largest holders of all farms, in descending order; the number is limited. */
  readonly holders: readonly HolderShare[];
  /** Set while the pool is held back after a shortage. */
  readonly hold?: PoolHold;
  /** Set while the pool has fewer slots than configured, because fewer were measured. */
  readonly measured?: MeasuredLimit;
}

/** The online worker that is nearest to being eligible, and the requirement that it does not meet. */
export interface NearestMiss {
  readonly worker: Named<WorkerId>;
  readonly reason: IneligibleReason;
  /** Name of the capability; `queue` for affinity; the configuration key of a limit. */
  readonly requirement: string;
  /** `a5000`, `a or b`, `at least 64`. */
  readonly wanted: string;
  /** Null if the worker has nothing of the kind. */
  readonly offered: string | null;
}

/** No online worker may run the task. The reason is that of the nearest miss. */
export interface WorkersGate extends GateOf<
  'workers',
  'no online workers' | 'farm mismatch' | IneligibleReason
> {
  readonly online: number;
  readonly elsewhere: number;
  readonly rejected: readonly RejectedWorkers[];
  readonly nearestMiss: NearestMiss | null;
}

/** The canary tasks of the step are tried first (docs/quarantine.md#canary-tasks). */
export interface CanaryGate extends GateOf<'canary', 'canary tasks first'> {
  readonly step: Named<StepId>;
  readonly indices: readonly number[];
}

/** Something that the task needs, and many jobs share, has an outage (docs/outages.md). */
export interface OutageGate extends GateOf<'outage', 'outage'> {
  readonly outages: readonly Outage[];
}

/** Workers that could run the task are kept from it because of their failures (docs/quarantine.md). */
export interface QuarantineGate extends GateOf<'quarantine', 'workers in quarantine'> {
  readonly doubted: readonly (Doubt & { readonly worker: Named<WorkerId>; readonly isWhole: boolean })[];
}

/** Workers may run the task, but none has enough free cores. */
export interface CoresGate extends GateOf<'cores', 'no free cores'> {
  /** Cores that the task reserves; null for a whole machine. */
  readonly cores: number | null;
  readonly eligible: number;
}

/** Workers may run the task, but each has too little of some booked amount free (docs/policy.md#booked-amounts). */
export interface AmountsGate extends GateOf<'amounts', 'no free amounts'> {
  /** Without cores, which have their own gate. */
  readonly short: readonly ShortAmount[];
  readonly eligible: number;
  /** Version of the farm's setting. */
  readonly policyVersion: number;
}

/** The numbers are absent if the reader may not see them. */
export interface OrderGate extends GateOf<'order', 'tasks before it'> {
  readonly tasks?: number;
  readonly jobs?: number;
}

export type SchedulerGate = GateOf<
  'scheduler',
  'scheduler not answering' | 'not among the candidates' | 'canceled attempt not ended'
>;

export type Gate =
  | JobGate
  | UpstreamJobGate
  | UpstreamStepGate
  | PausedJobGate
  | StartGate
  | HeldStepGate
  | CanaryGate
  | PausedQueueGate
  | RetryGate
  | FarmCapGate
  | QueueCapGate
  | OwnerCapGate
  | ProjectCapGate
  | JobCapGate
  | StepCapGate
  | UsagePoolGate
  | OutageGate
  | WorkersGate
  | QuarantineGate
  | CoresGate
  | AmountsGate
  | OrderGate
  | SchedulerGate;

/** Which workers may run the task. */
export interface WorkersOutlook {
  readonly online: number;
  readonly elsewhere: number;
  readonly eligible: number;
  readonly withRoom: number;
  readonly rejected: readonly RejectedWorkers[];
  readonly reserved: Named<WorkerId> | null;
  readonly avoided: readonly Named<WorkerId>[];
}
