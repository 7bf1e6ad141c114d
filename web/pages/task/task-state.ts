import type { TaskEvent } from '../../../client/events/subjects.ts';
import type { Attempt, Task, TaskStatus } from '../../../client/resources.ts';

/** What the page makes of a task. */

/** Whether a worker has it. */
export const isLive = (status: TaskStatus): boolean => status === 'assigned' || status === 'running';

export const isWaiting = (status: TaskStatus): boolean => status === 'pending' || status === 'ready';

/** The attempt whose log is shown: the one of the address, or the newest; null before the first. Newest first. */
export const attemptShown = (attempts: readonly Attempt[], wanted: number | null): Attempt | null =>
  attempts.find(({ attempt_number: number }) => number === wanted) ?? attempts[0] ?? null;

export const newestFirst = (attempts: readonly Attempt[]): readonly Attempt[] =>
  [...attempts].sort((one, other) => other.attempt_number - one.attempt_number);

/** Whether an event tells more than progress. */
export const hasMoved = (task: Task, event: TaskEvent): boolean =>
  task.status !== event.status || (task.assigned_worker_id ?? '') !== event.worker_id;
