import type { TaskAddress, TaskId } from '../../src/core/ids.ts';
import type { LogPosition } from '../../src/core/records/log-chunk.ts';
import type { SharedTimer } from './shared-tick.ts';
import type { LogFollowSources } from './tail-sources.ts';

/**
 * The service ends a canceled task before its process exits. Output within this time after the end still belongs to
 * the log. The worker reports every other end after the bus has stored the log.
 */
export const CANCEL_GRACE_MS = 2_000;

/**
 * Time to wait for chunks that the bus has or had, counted from the last sign that they arrive. Longer than the
 * redelivery interval of the bus.
 */
export const DRAIN_PATIENCE_MS = 15_000;

/** Maximum time to wait for a log store that is behind, however busy it is with other tasks. */
export const DRAIN_MAX_MS = 120_000;

/** End of a task. */
export interface TaskEnd {
  readonly status: 'succeeded' | 'failed' | 'canceled';
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** State that a drain reads besides the sources. */
interface Draining {
  readonly address: TaskAddress;
  readonly taskId: TaskId;
  readonly end: TaskEnd;
  /** Reports whether the drain is still needed. */
  readonly isWanted: () => boolean;
  /** Returns when the last chunk of the task was received, by `steadyNow`. */
  readonly takenInAt: () => number;
  /** Resolves at the next change of the task or its log, or at the next tick. */
  readonly changed: () => Promise<void>;
}

/**
 * Resolves when the log store has everything that the bus had of the task's log after the task's end was committed,
 * or when waiting is given up (docs/decisions/task-logs.md).
 */
export async function drain(task: Draining, sources: LogFollowSources, tick: SharedTimer): Promise<void> {
  const { address, taskId, end, isWanted } = task;
  if (end.status === 'canceled') {
    while (isWanted() && sources.now() < end.at + CANCEL_GRACE_MS) await tick.next();
  }
  const startedAt = sources.steadyNow();
  const isLate = (sign: number): boolean =>
    sources.steadyNow() - Math.max(startedAt, sign) > DRAIN_PATIENCE_MS;
  const giveUp = (reason: string): void => {
    sources.warn('log follow ended before the log was complete', { task_id: taskId, reason });
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
    // A store that is behind may be busy with earlier chunks of other tasks.
    const sign = arrival === 'behind' ? sources.bus.takenInAt() : task.takenInAt();
    const isOver = arrival === 'behind' && sources.steadyNow() - startedAt > DRAIN_MAX_MS;
    if (isOver || isLate(sign))
      return giveUp(arrival === 'behind' ? 'the log store is behind' : 'chunks are missing');
    await task.changed();
  }
}
