import type { Task } from '../../../client/resources.ts';
import type { TimelineItem } from './timeline-model.ts';

export interface TaskBars {
  readonly items: readonly TimelineItem[];
  /** Tasks without a bar, because they are not assigned. */
  readonly waiting: number;
  /** Tasks that failed before the attempt of their bar. */
  readonly retried: number;
}

/** Returns one bar per task: its current or last attempt. The task list contains no earlier ones. */
export function taskBars(tasks: readonly Task[]): TaskBars {
  const items = tasks.flatMap((task): TimelineItem[] => {
    const { id, name, status, started_at: from, ended_at: to, assigned_worker_id: worker } = task;
    if (from === undefined || worker === undefined) return [];
    return [
      {
        id,
        name,
        status,
        lane: worker,
        from: Date.parse(from),
        to: to === undefined ? null : Date.parse(to),
      },
    ];
  });
  const retried = tasks.filter(
    ({ failed_attempts: failures, status }) => failures > (status === 'failed' ? 1 : 0),
  ).length;
  return { items, waiting: tasks.length - items.length, retried };
}
