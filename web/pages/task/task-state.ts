import type { TaskEvent } from '../../../client/events/subjects.ts';
import type { Attempt, Task, TaskStatus } from '../../../client/resources.ts';

/** Reports whether a worker has the task. */
export const isLive = (status: TaskStatus): boolean => status === 'assigned' || status === 'running';

export const isWaiting = (status: TaskStatus): boolean => status === 'pending' || status === 'ready';

/** Returns the attempt to show: the wanted one, else the newest; null without attempts. `attempts` are newest first. */
export const attemptShown = (attempts: readonly Attempt[], wanted: number | null): Attempt | null =>
  attempts.find(({ attempt_number: number }) => number === wanted) ?? attempts[0] ?? null;

export const newestFirst = (attempts: readonly Attempt[]): readonly Attempt[] =>
  [...attempts].sort((one, other) => other.attempt_number - one.attempt_number);

/** Reports whether an event changes the status or the worker of a task, not only its progress. */
export const hasStateChanged = (task: Task, event: TaskEvent): boolean =>
  task.status !== event.status || (task.assigned_worker_id ?? '') !== event.worker_id;
