import type { WorkerId } from '../ids.ts';
import type { Candidate } from './candidate-order.ts';
import type { Demand } from './eligibility.ts';
import type { ReadyTasks } from './ready-tasks.ts';

/** A ready task that is held back, or that workers have failed. */
export interface DelayedTask {
  /** When it may be taken, in milliseconds since the epoch. */
  readonly until: number;
  readonly avoided: readonly WorkerId[];
}

/** A step of the ready index. */
export interface StepEntry extends Candidate, Demand {
  readonly ready: ReadyTasks;
  /** Ready tasks that are held back, by index. */
  readonly held: Map<number, DelayedTask>;
  /** Tasks that are assigned or running. */
  live: number;
  /** Withdrawn steps hand out nothing, but their live tasks still count. */
  open: boolean;
  /** Since when the step has had ready tasks without a break (milliseconds since the epoch). */
  readySince: number;
  /** When a task of it became ready last. */
  lastReadyAt: number;
  /** Whether a later candidate was taken on a worker whose free cores were too few for this one. */
  isOvertaken: boolean;
  readonly signature: Signature;
}

/** Steps with the same demand. */
export interface Signature extends Demand {
  readonly key: string;
  /** Those that have something ready, in the order of candidates. */
  readonly steps: StepEntry[];
  /** How many steps have this demand, ready or not. */
  members: number;
  /** Ready tasks of its steps that some worker has failed. */
  avoiding: number;
}
