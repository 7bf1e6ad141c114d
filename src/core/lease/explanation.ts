import type { JobId, WorkerId, QueueId } from '../ids.ts';
import type { Ineligibility, IneligibleReason } from './eligibility.ts';

/** What the lease actor knows of why a task of an offered step waits: the facts that explain makes sentences of. */
export interface LeaseExplanation {
  /** Whether the step's ready tasks are among the candidates. */
  readonly isOffered: boolean;
  /** Until when the task is held back (milliseconds since the epoch); 0 when it is not. */
  readonly heldUntil: number;
  readonly farmCap: CapExplanation;
  readonly queueCap: CapExplanation;
  readonly isQueuePaused: boolean;
  /** Of every pool that the step names. */
  readonly pools: readonly PoolExplanation[];
  readonly workers: WorkersExplanation;
  /** Ready tasks that stand before this one in the order of candidates, on workers that both may run on, and the other jobs among them. */
  readonly before: { readonly tasks: number; readonly jobs: number };
  /** The worker that is kept free for the step; null when none is. */
  readonly reservedWorker: WorkerId | null;
}

/** A cap on concurrent tasks of farm or queue. */
export interface CapExplanation {
  /** 0 is no cap. */
  readonly maxConcurrentTasks: number;
  readonly live: number;
  /** Who holds it, the most first; only when it is reached. */
  readonly holders: readonly Holder[];
}

/** Live tasks of one step. */
export interface Holder {
  readonly jobId: JobId;
  readonly stepOrder: number;
  readonly live: number;
}

export interface PoolExplanation {
  /** In lower case, as steps name it. */
  readonly name: string;
  /** 0 for a pool that is not registered. */
  readonly maxConcurrent: number;
  /** Claims of all farms. */
  readonly inUse: number;
  /** Who holds it in this farm, the most first. */
  readonly holders: readonly Holder[];
}

/** Which online workers may run tasks with a demand, however many of their cores are free. */
export interface DemandExplanation {
  /** Workers of the farm that are online. */
  readonly online: number;
  /** Workers of other farms that are online. */
  readonly elsewhere: number;
  /** Online workers that may run the step. */
  readonly eligible: number;
  /** How many online workers fail each gate, each counted at the first that it fails. */
  readonly rejected: readonly RejectedWorkers[];
  /** The online worker that comes nearest to being eligible; null when one is eligible or none is online. */
  readonly nearestMiss: { readonly workerId: WorkerId; readonly ineligibility: Ineligibility } | null;
}

export interface WorkersExplanation extends DemandExplanation {
  /** Eligible workers that have the cores free at this moment, and may give them to the step. */
  readonly withRoom: number;
  /** Eligible workers that have the cores free, and are kept free for another step. */
  readonly keptForOthers: number;
  /** Workers that have failed this very task and are passed over while another eligible one is online. */
  readonly avoided: readonly WorkerId[];
}

/** Online workers that fail the same gate. */
export interface RejectedWorkers {
  readonly reason: IneligibleReason;
  /** Name of the amount or attribute that is not met; empty for the other reasons. */
  readonly requirement: string;
  readonly workers: number;
}

/** Why ready tasks of a farm wait, in the words of explain's gates; the weightiest reason comes first. */
export const WAITING_REASONS = [
  'paused_queue',
  'usage_pool_missing',
  'workers',
  'retry_after',
  'farm_cap',
  'queue_cap',
  'usage_pool',
  'cores',
  'order',
] as const;

export type WaitingReason = (typeof WAITING_REASONS)[number];

/** A reason with what it is about. */
export interface WaitingCause {
  readonly reason: WaitingReason;
  /** The queue that is paused or full; null for other reasons. */
  readonly queueId: QueueId | null;
  /** The usage pool that is full or missing; empty for other reasons. */
  readonly pool: string;
  /** Why no online worker may run the tasks, as they are told it; empty for other reasons. */
  readonly unschedulableReason: string;
}

/** Ready tasks that wait for the same cause. */
export interface WaitingGroup extends WaitingCause {
  readonly tasks: number;
  readonly jobs: number;
  /** Some of the jobs. */
  readonly jobIds: readonly JobId[];
}

/** What the lease actor of a farm says of the tasks that wait. */
export interface WaitingExplanation {
  /** The group with the most tasks first. */
  readonly groups: readonly WaitingGroup[];
  /** Whether there are more steps or groups than were looked at. */
  readonly isPartial: boolean;
}
