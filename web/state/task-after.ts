import type { TaskEvent } from '../../client/events/subjects.ts';
import type { Task } from '../../client/resources.ts';

/** Returns the task with the fields of the event, or the task itself if it is newer. */
export function taskAfter(task: Task, event: TaskEvent): Task {
  if (event.updated_at < task.updated_at) return task;
  const {
    assigned_worker_id: _worker,
    unschedulable_reason: _reason,
    waiting_reason: waiting,
    progress: _progress,
    status_message: _said,
    skipped,
    ...kept
  } = task;
  return {
    ...kept,
    status: event.status,
    updated_at: event.updated_at,
    ...(event.worker_id !== '' && { assigned_worker_id: event.worker_id }),
    ...(event.unschedulable_reason !== '' && { unschedulable_reason: event.unschedulable_reason }),
    // The reason is not in the event, and a task with another status waits for something else.
    ...(event.status === task.status && waiting !== undefined && { waiting_reason: waiting }),
    // Who skipped the task is not in the event.
    ...(event.skipped === true && skipped !== undefined && { skipped }),
    ...(event.progress !== undefined && { progress: event.progress }),
    ...(event.status_message !== undefined && { status_message: event.status_message }),
  };
}
