import type { TaskAddress, TaskId } from '../../src/core/ids.ts';
import type { LogPosition } from '../../src/core/records/log-chunk.ts';
import type { SharedTimer } from './shared-tick.ts';
import type { TailSources } from './tail-sources.ts';

/**
 * The service ends a canceled task before its process: what that still writes within this time after the end belongs to a tail.
 * Every other end is reported by the worker, after the bus has the log.
 */
export const CANCEL_GRACE_MS = 2_000;

/**
 * A tail of an ended task waits this long for chunks that the bus has or had, counted from the last sign that they come:
 * longer than the bus waits before it delivers a chunk again.
 */
export const DRAIN_PATIENCE_MS = 15_000;

/** A tail waits no longer than this for a log store that is behind, however busy that is with other tasks. */
export const DRAIN_MAX_MS = 120_000;

/** How a task has ended. */
export interface TaskEnd {
  readonly status: 'succeeded' | 'failed' | 'canceled';
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** What a drain looks at beside the sources. */
interface Draining {
  readonly address: TaskAddress;
  readonly taskId: TaskId;
  readonly end: TaskEnd;
  /** Whether the drain is wanted still. */
  readonly isWanted: () => boolean;
  /** When a chunk of the task was taken in last, by `steadyNow`. */
  readonly takenInAt: () => number;
  /** Resolves at the next change of the task or its log, or at the next tick. */
  readonly changed: () => Promise<void>;
}

/**
 * Resolves when all that the bus had of the task's log, after the task's end was committed, is in the log store; or is given up
 * (docs/decisions/task-logs.md).
 */
export async function drain(task: Draining, sources: TailSources, tick: SharedTimer): Promise<void> {
  const { address, taskId, end, isWanted } = task;
  if (end.status === 'canceled') {
    while (isWanted() && sources.now() < end.at + CANCEL_GRACE_MS) await tick.next();
  }
  const startedAt = sources.steadyNow();
  const isLate = (sign: number): boolean =>
    sources.steadyNow() - Math.max(startedAt, sign) > DRAIN_PATIENCE_MS;
  const giveUp = (reason: string): void => {
    sources.warn('the tail of a log ends before all of it may have come', { task_id: taskId, reason });
  };

  let last: LogPosition | null | undefined;
  while (isWanted() && last === undefined) {
    try {
      last = await sources.bus.lastOf(taskId);
    } catch (error) {
      if (isLate(startedAt)) return giveUp(error instanceof Error ? error.message : String(error));
      await tick.next();
    }
  }
  while (isWanted() && last !== null && last !== undefined) {
    const arrival = sources.logs.arrival(address, last);
    if (arrival === 'whole') return;
    // Behind, the store may be busy with what other tasks have written before.
    const sign = arrival === 'behind' ? sources.bus.takenInAt() : task.takenInAt();
    const isOver = arrival === 'behind' && sources.steadyNow() - startedAt > DRAIN_MAX_MS;
    if (isOver || isLate(sign))
      return giveUp(arrival === 'behind' ? 'the log store is behind' : 'chunks are missing');
    await task.changed();
  }
}
