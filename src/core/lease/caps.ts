/**
 * State: the caps and the live tasks of the farm and of each queue. Invariants: each live task counts in the farm and
 * in its queue; `lastLimit` is the limit of `lastQueue`. Exits: tasks leave with a negative `count`; queues are not
 * removed.
 */

import type { QueueId } from '../ids.ts';

interface Limit {
  /** 0: no cap. */
  maxConcurrentTasks: number;
  paused: boolean;
  live: number;
}

/**
 * Counts the live tasks of a farm and its queues against their caps (docs/contract/resources.md#farm,
 * docs/contract/resources.md#queue).
 */
export class Caps {
  private readonly farm: Limit = newLimit();
  private readonly queues = new Map<QueueId, Limit>();
  /** The queue of the last call: a lease asks for the queue of one job several times. */
  private lastQueue: QueueId | null = null;
  private lastLimit: Limit = this.farm;

  limitFarm(maxConcurrentTasks: number): void {
    this.farm.maxConcurrentTasks = maxConcurrentTasks;
  }

  limitQueue(queueId: QueueId, maxConcurrentTasks: number, paused: boolean): void {
    const limit = this.ofQueue(queueId);
    limit.maxConcurrentTasks = maxConcurrentTasks;
    limit.paused = paused;
  }

  /** Returns how many more tasks of the queue may run. */
  room(queueId: QueueId): number {
    return Math.min(roomOf(this.farm), roomOf(this.ofQueue(queueId)));
  }

  /**
   * Counts tasks that became live, or settled if `change` is negative. Reports whether a cap that was reached has room
   * again.
   */
  count(queueId: QueueId, change: number): boolean {
    const inFarm = countOf(this.farm, change);
    const inQueue = countOf(this.ofQueue(queueId), change);
    return inFarm || inQueue;
  }

  /** Returns the cap of a queue, or of the farm if `queueId` is null. */
  of(queueId: QueueId | null): Readonly<Limit> {
    return queueId === null ? this.farm : this.ofQueue(queueId);
  }

  private ofQueue(queueId: QueueId): Limit {
    if (queueId === this.lastQueue) return this.lastLimit;
    let limit = this.queues.get(queueId);
    if (limit === undefined) {
      limit = newLimit();
      this.queues.set(queueId, limit);
    }
    this.lastQueue = queueId;
    this.lastLimit = limit;
    return limit;
  }
}

const newLimit = (): Limit => ({ maxConcurrentTasks: 0, paused: false, live: 0 });

/** Changes the count. Reports whether a cap that was reached has room again. */
function countOf(limit: Limit, change: number): boolean {
  const wasFull = roomOf(limit) <= 0;
  limit.live += change;
  return wasFull && roomOf(limit) > 0;
}

function roomOf(limit: Limit): number {
  if (limit.paused) return 0;
  return limit.maxConcurrentTasks === 0 ? Infinity : limit.maxConcurrentTasks - limit.live;
}
