import type { QueueId, WorkerId } from '../ids.ts';
import type { Candidate } from './candidate-order.ts';
import type { Demand } from './eligibility.ts';
import type { ReadyTasks } from './ready-tasks.ts';
import type { HeapEntry, IndexedHeap } from './indexed-heap.ts';
import type { ShareUse } from './share-usage.ts';

/** A ready task with a retry delay, or on which workers have failed. */
export interface DelayedTask {
  /** Earliest time of its next attempt, in milliseconds since the epoch. */
  readonly until: number;
  readonly avoided: readonly WorkerId[];
}

/** Entry of a job in the ready index. */
export interface JobEntry {
  /** By their order. */
  readonly steps: Map<number, StepEntry>;
  /** Cap on its live tasks; 0 for none. */
  maxConcurrentTasks: number;
  /** Number of its steps with a cap. */
  cappedSteps: number;
  /** Number of assigned or running tasks of all its steps. */
  live: number;
}

/** Entry of a step in the ready index. */
export interface StepEntry extends Candidate, Demand {
  readonly job: JobEntry;
  /** Cap on its live tasks; 0 for none. */
  readonly maxConcurrentTasks: number;
  readonly ready: ReadyTasks;
  /** Delayed ready tasks by index. */
  readonly held: Map<number, DelayedTask>;
  /** Number of assigned or running tasks. */
  live: number;
  /** The workers of these tasks, one for each; empty for a step without usage pools. */
  readonly liveOn: WorkerId[];
  /** False for withdrawn steps: they offer no tasks, but their live tasks still count. */
  open: boolean;
  /** Latest time at which one of its tasks became ready. */
  lastReadyAt: number;
  /** Set if a later candidate was taken on a worker that had too few free cores for this one. */
  isOvertaken: boolean;
  /** How often retry rules have raised the requirements. */
  readonly raises: number;
  readonly owner: string;
  readonly project: string;
  /** Average run time of its successful tasks in milliseconds; null for none. */
  meanMs: number | null;
  /** Null unless the farm is shared (docs/policy.md#queue-policies). */
  sharer: Sharer | null;
  /** Includes the caps of its owner and project. */
  signature: Signature;
  /** Whether it is among the steps of its signature: it has ready tasks, and room under its own caps. */
  isListed: boolean;
}

/** Steps with the same demand, and with the same capped owner and project. */
export interface Signature extends Demand {
  readonly key: string;
  /** Caps of the owner and the project of its steps (docs/policy.md#caps). */
  readonly capGroups: readonly CapGroup[];
  /** Steps with ready tasks and room under their own caps, in the order of candidates. */
  readonly steps: StepEntry[];
  /** Number of steps with this demand, ready or not. */
  members: number;
  /** Number of ready tasks that failed on some worker. */
  avoiding: number;
}

/** Field of a job by which tasks have a cap together. */
export type CapBy = 'owner' | 'project';

/** The tasks of one owner or project in the farm or in one of its queues, which have a cap together. */
export interface CapGroup {
  readonly key: string;
  readonly by: CapBy;
  /** Owner or project; may be empty. */
  readonly name: string;
  /** Null: in the whole farm. */
  readonly queueId: QueueId | null;
  maxConcurrentTasks: number;
  /** Assigned and running tasks. */
  live: number;
  /** Number of steps. */
  members: number;
  readonly signatures: Set<Signature>;
}

/** An owner, project, job or queue with jobs in the farm or, if usage is remembered, with past usage. */
export interface Sharer extends ShareUse {
  /** Owner, project, or id of a job or queue. */
  readonly name: string;
  /** 1 unless the policy is `weighted`. */
  readonly weight: number;
  /** Its usage by its weight, on a logarithmic scale on which it does not decay. */
  level: number;
  /** Sharers with a lower rank are served first: the cores in use under `balanced`, the turns that have passed under `weighted`. */
  rank: number;
  /** Of those with equal rank, the ones with less past usage are. 0 if the rank has all of it. */
  tie: number;
  /** Number of its jobs that have tasks in the index or cores in use. */
  jobs: number;
  readonly groups: Set<ShareGroup>;
}

/** Listed steps of one sharer with the same signature. */
export interface ShareGroup extends HeapEntry {
  readonly sharer: Sharer;
  readonly heap: IndexedHeap<ShareGroup>;
  /** In the order of candidates. */
  readonly steps: StepEntry[];
}
