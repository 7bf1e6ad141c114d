import type { TaskStatus } from './task-transitions.ts';

/** Tasks by status (docs/contract/resources.md#job). `unschedulable` is a subset of `ready`. */
export interface TaskCounts {
  readonly total: number;
  readonly pending: number;
  readonly ready: number;
  readonly assigned: number;
  readonly running: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly canceled: number;
  readonly unschedulable: number;
}

/** Counts that their owner changes in place. */
export type MutableCounts = { -readonly [Key in keyof TaskCounts]: TaskCounts[Key] };

/** Returns the counts of `total` tasks that all have one status. */
export function countsOf(total: number, status: TaskStatus): TaskCounts {
  return { ...NO_TASKS, total, [status]: total };
}

export const NO_TASKS: TaskCounts = {
  total: 0,
  pending: 0,
  ready: 0,
  assigned: 0,
  running: 0,
  succeeded: 0,
  failed: 0,
  canceled: 0,
  unschedulable: 0,
};

/** Moves `howMany` tasks from one status to another, in place. */
export function moveCounts(counts: MutableCounts, from: TaskStatus, to: TaskStatus, howMany = 1): void {
  counts[from] -= howMany;
  counts[to] += howMany;
}

export const copyOfCounts = (counts: TaskCounts): MutableCounts => ({
  total: counts.total,
  pending: counts.pending,
  ready: counts.ready,
  assigned: counts.assigned,
  running: counts.running,
  succeeded: counts.succeeded,
  failed: counts.failed,
  canceled: counts.canceled,
  unschedulable: counts.unschedulable,
});

/** Returns the sum of several counts, such as a job's from its steps'. */
export function sumCounts(all: Iterable<TaskCounts>): TaskCounts {
  const sum = copyOfCounts(NO_TASKS);
  for (const counts of all) add(sum, counts, 1);
  return sum;
}

/** Returns a sum of counts in which `after` replaces `before`. */
export function replaceCounts(sum: TaskCounts, before: TaskCounts, after: TaskCounts): TaskCounts {
  if (before === after) return sum;
  const replaced = copyOfCounts(sum);
  add(replaced, before, -1);
  add(replaced, after, 1);
  return replaced;
}

function add(sum: MutableCounts, counts: TaskCounts, sign: 1 | -1): void {
  sum.total += sign * counts.total;
  sum.pending += sign * counts.pending;
  sum.ready += sign * counts.ready;
  sum.assigned += sign * counts.assigned;
  sum.running += sign * counts.running;
  sum.succeeded += sign * counts.succeeded;
  sum.failed += sign * counts.failed;
  sum.canceled += sign * counts.canceled;
  sum.unschedulable += sign * counts.unschedulable;
}
