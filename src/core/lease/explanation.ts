import type { JobId, WorkerId, QueueId } from '../ids.ts';
import type { PoolCounts } from '../records/usage-pool.ts';
import type { DoubtedWorker } from '../records/worker-evidence.ts';
import type { CapBy } from './step-entry.ts';
import type { Outage } from '../outages/outage.ts';
import type { PoolHold } from '../retry-rules/pool-hold.ts';
import type { QueuePolicyKind, SharedBy } from '../records/queue-policy.ts';
import type { Ineligibility, IneligibleReason, UnmetRequirementReason } from './eligibility.ts';

/** Reply of the lease actor about a task of an offered step: the facts from which explain makes sentences. */
export interface LeaseExplanation {
  /** Set if the step's ready tasks are among the candidates. */
  readonly isOffered: boolean;
  /** End of the retry delay (milliseconds since the epoch). Null if the scheduler does not hold the task back. */
  readonly heldUntil: number | null;
  readonly farmCap: CapExplanation;
  readonly queueCap: CapExplanation;
  /** Caps of the job and the step themselves. Absent: none. */
  readonly jobCap?: CapExplanation;
  readonly stepCap?: CapExplanation;
  /** Caps of the owner and the project of the job. Absent: none. */
  readonly groupCaps?: readonly GroupCapExplanation[];
  readonly isQueuePaused: boolean;
  /** Every pool that the step names. */
  readonly pools: readonly PoolExplanation[];
  readonly workers: WorkersExplanation;
  /** Outages that hold the step. Absent: none. */
  readonly outages?: readonly Outage[];
  /**
   * Number of ready tasks before this one in the order of candidates, on workers that both may run on, and of other
   * jobs among them.
   */
  readonly before: TasksAhead;
  /** How the farm's queue policy places it. Absent under `fifo`, and for a step that is not offered. */
  readonly share?: ShareExplanation;
  /** The worker that is reserved for the step, or null. */
  readonly reservedWorker: WorkerId | null;
  /** Set if the queue takes back tasks of preemptible queues. */
  readonly preemption?: PreemptionOutlook;
}

/** When a queue takes back tasks for a step (docs/policy.md#preemption). */
export interface PreemptionOutlook {
  readonly afterMs: number;
  /** Milliseconds since the epoch; null if no task of the step is ready. */
  readonly waitsSince: number | null;
  /** Whether tasks are being taken back on the reserved worker. */
  readonly isUnderway: boolean;
  /** Version of the setting of the queue. */
  readonly version: number;
}

/** Ready tasks that are served first, and the other jobs among them. */
export interface TasksAhead {
  readonly tasks: number;
  readonly jobs: number;
  /** Set if there are more steps ahead than were counted. Absent is false. */
  readonly isLowerBound?: boolean;
  /** Set if the reader may not see the numbers, which are 0 then. Absent is false. */
  readonly isWithheld?: boolean;
}

/** Standing of the sharer of a task: an owner, project, job or queue (docs/policy.md#queue-policies). */
export interface ShareExplanation {
  readonly kind: Exclude<QueuePolicyKind, 'fifo'>;
  readonly sharedBy: SharedBy;
  /** Owner, project, or id of a job or queue. */
  readonly sharer: string;
  /** Cores in use by its tasks; null if the reader may not see it. */
  readonly cores: number | null;
  /**
   * Its use by its weight, divided by what all sharers with tasks use by theirs: above 1, others come first. Null if
   * none has used anything, or if the reader may not see it.
   */
  readonly ratio: number | null;
  /** Other sharers whose tasks are served first: those that are served first of all, at most `SHARERS_NAMED_MAX`. */
  readonly ahead: readonly SharerAhead[];
  /** Version of the policy. */
  readonly version: number;
}

/** Tasks of another sharer that are served first. */
export interface SharerAhead {
  readonly sharer: string;
  readonly jobs: number;
  readonly tasks: number;
}

export const SHARERS_NAMED_MAX = 3;

/** Reply of the lease actor about waiting tasks of one step. */
export interface StepExplanation {
  readonly jobId: JobId;
  readonly stepOrder: number;
  /** Of a task that is the first of its step, has no retry delay and has failed on no worker. */
  readonly lease: LeaseExplanation;
  /** The tasks that were asked for; for a whole step its first ready task, or none. */
  readonly tasks: readonly TaskStanding[];
}

/** Facts in which the tasks of a step differ. */
export interface TaskStanding {
  readonly index: number;
  /** As in LeaseExplanation. */
  readonly heldUntil: number | null;
  readonly avoided: readonly WorkerId[];
  /** Number of ready tasks of its step that are served first. */
  readonly readyBefore: number;
}

/** Returns the explanation of one task of an explained step. */
export function leaseOfTask({ lease }: StepExplanation, task: TaskStanding): LeaseExplanation {
  return {
    ...lease,
    heldUntil: task.heldUntil,
    workers: { ...lease.workers, avoided: task.avoided },
    before: { ...lease.before, tasks: lease.before.tasks + task.readyBefore },
  };
}

/** A cap on concurrent tasks of farm or queue. */
export interface CapExplanation {
  /** As set on the farm or queue: 0 means no cap. */
  readonly maxConcurrentTasks: number;
  readonly live: number;
  /** Holders of the cap, in descending order; only if it is reached. */
  readonly holders: readonly Holder[];
}

/** A cap on concurrent tasks of an owner or project in the farm or in a queue. */
export interface GroupCapExplanation extends CapExplanation {
  readonly by: CapBy;
  /** Owner or project; may be empty. */
  readonly name: string;
  /** Null: in the whole farm. */
  readonly queueId: QueueId | null;
}

/** Live tasks of one step. */
export interface Holder {
  readonly jobId: JobId;
  readonly stepOrder: number;
  readonly live: number;
}

/** Ready tasks of one step that require a usage pool. */
export interface PoolWaiter {
  readonly jobId: JobId;
  readonly stepOrder: number;
  readonly tasks: number;
}

/** Reply of the lease actor about a usage pool. */
export interface PoolUse {
  /** Steps of this farm that hold slots, unordered. */
  readonly holders: readonly Holder[];
  /** The first steps with ready tasks that require the pool, in the order of candidates. */
  readonly waiters: readonly PoolWaiter[];
  /** Ready tasks of all such steps. */
  readonly waitingTasks: number;
  /** Set if there are more waiters, or if the farm still recovers after a start. */
  readonly isPartial: boolean;
}

/** A measured value that limits a usage pool. */
export interface MeasuredLimit {
  /** The configured slots. */
  readonly maxConcurrent: number;
  /** Time of the measurement, in milliseconds since the epoch. */
  readonly at: number;
}

export interface PoolExplanation {
  /** In lower case, as steps name it. */
  readonly name: string;
  /** The slots that the pool has now. Null for a pool that is not registered. */
  readonly maxConcurrent: number | null;
  /** Claims of all farms together. */
  readonly inUse: number;
  /** Absent: each task takes one slot. */
  readonly counts?: PoolCounts;
  /** Slots that one task of the step takes. Absent: one. */
  readonly needed?: number;
  /** Set while the pool is held back after a shortage. */
  readonly hold?: PoolHold;
  /** Set while the pool has fewer slots than configured, because fewer were measured. */
  readonly measured?: MeasuredLimit;
  /** Holders in this farm, in descending order. */
  readonly holders: readonly Holder[];
}

/** Online workers that may run tasks with a demand, regardless of free cores. */
export interface DemandExplanation {
  /** Number of online workers of the farm. */
  readonly online: number;
  /** Number of online workers of other farms. */
  readonly elsewhere: number;
  /** Number of online workers that may run the step. */
  readonly eligible: number;
  /** Number of online workers per gate; each worker counts at the first gate that it fails. */
  readonly rejected: readonly RejectedWorkers[];
  /** The online worker that is nearest to being eligible; null if one is eligible or none is online. */
  readonly nearestMiss: { readonly workerId: WorkerId; readonly ineligibility: Ineligibility } | null;
}

export interface WorkersExplanation extends DemandExplanation {
  /** Number of eligible workers with enough free cores that are not reserved for another step. */
  readonly withRoom: number;
  /** Number of eligible workers with enough free cores that are reserved for another step. */
  readonly keptForOthers: number;
  /** Workers on which this task has failed. They are skipped while another eligible one is online. */
  readonly avoided: readonly WorkerId[];
  /** Online workers that could run the step and are kept from it because of their failures. Absent: none. */
  readonly doubted?: readonly DoubtedWorker[];
  /** Amounts of which eligible workers have too little. Absent if the farm books only cores. */
  readonly short?: readonly ShortAmount[];
  /** Version of the setting by which the farm books amounts. Absent if it books only cores. */
  readonly policyVersion?: number;
}

/** An amount of which eligible workers have too little free for a task; cores are `amount.worker.vcpu`. */
export interface ShortAmount {
  readonly name: string;
  /** Amount that the task takes: on workers of different sizes, the smallest. */
  readonly needed: number;
  /** The most that one of these workers has free. */
  readonly mostFree: number;
  /** Number of these workers. A worker may have too little of several amounts. */
  readonly workers: number;
}

/** Online workers that fail the same gate. `requirement`: name of the amount or attribute that is not met. */
export type RejectedWorkers =
  | { readonly reason: UnmetRequirementReason; readonly requirement: string; readonly workers: number }
  | { readonly reason: Exclude<IneligibleReason, UnmetRequirementReason>; readonly workers: number };

/** Reasons why ready tasks of a farm wait, in the words of explain's gates, the most important first. */
export const WAITING_REASONS = [
  'paused_queue',
  'usage_pool_missing',
  'workers',
  'retry_after',
  'farm_cap',
  'queue_cap',
  'owner_cap',
  'project_cap',
  'job_cap',
  'step_cap',
  'usage_pool',
  'cores',
  'amounts',
  'order',
] as const satisfies readonly WaitingCause['reason'][];

/** A reason with the object that it concerns. */
export type WaitingCause =
  | { readonly reason: 'paused_queue' | 'queue_cap'; readonly queueId: QueueId }
  | { readonly reason: 'usage_pool_missing' | 'usage_pool'; readonly pool: string }
  /** `queueId`: the queue whose cap it is; absent for one of the farm. */
  | { readonly reason: 'owner_cap'; readonly owner: string; readonly queueId?: QueueId }
  | { readonly reason: 'project_cap'; readonly project: string; readonly queueId?: QueueId }
  /** `unschedulableReason`: why no online worker may run the tasks, as in the tasks themselves. */
  | { readonly reason: 'workers'; readonly unschedulableReason: string }
  /** `amount`: the one of which most workers with free cores have too little. */
  | { readonly reason: 'amounts'; readonly amount: string }
  | { readonly reason: 'retry_after' | 'farm_cap' | 'job_cap' | 'step_cap' | 'cores' | 'order' };

/** Ready tasks that wait for the same cause. */
export type WaitingGroup = WaitingCause & {
  readonly tasks: number;
  readonly jobs: number;
  /** Some of the jobs, not all. */
  readonly jobIds: readonly JobId[];
};

/** Reply of the lease actor of a farm about its waiting tasks. */
export interface WaitingExplanation {
  /** The group with the most tasks first. */
  readonly groups: readonly WaitingGroup[];
  /** Set if there are more steps or groups than were examined. */
  readonly isPartial: boolean;
}
