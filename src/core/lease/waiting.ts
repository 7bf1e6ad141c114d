import type { JobId, QueueId } from '../ids.ts';

/** Reasons why ready tasks of a farm wait, in the words of explain's gates, the most important first. */
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

/** A reason with the object that it concerns. */
export interface WaitingCause {
  readonly reason: WaitingReason;
  /** The queue that is paused or full; null for other reasons. */
  readonly queueId: QueueId | null;
  /** The usage pool that is full or missing; empty for other reasons. */
  readonly pool: string;
  /** Why no online worker may run the tasks, as in the tasks themselves; empty for other reasons. */
  readonly unschedulableReason: string;
}

/** Ready tasks that wait for the same cause. */
export interface WaitingGroup extends WaitingCause {
  readonly tasks: number;
  readonly jobs: number;
  /** Some of the jobs, not all. */
  readonly jobIds: readonly JobId[];
}

/** Reply of the lease actor of a farm about its waiting tasks. */
export interface WaitingExplanation {
  /** The group with the most tasks first. */
  readonly groups: readonly WaitingGroup[];
  /** Set if there are more steps or groups than were examined. */
  readonly isPartial: boolean;
}
