import type { Task } from '../../../client/resources.ts';
import type { TimelineItem } from './timeline-model.ts';

export interface TaskBars {
  readonly items: readonly TimelineItem[];
  /** Tasks that no worker has, so that they have no bar. */
  readonly waiting: number;
  /** Tasks that failed before the attempt that their bar shows. */
  readonly retried: number;
}

/** Bars of the attempt that is open, or was the last one, of each task; the list of tasks tells no others. */
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
