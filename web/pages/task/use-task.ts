import { useQuery, useQueryClient, type UseQueryResult } from '@tanstack/react-query';
import { tasksOf } from '../../../client/events/subjects.ts';
import type { Task } from '../../../client/resources.ts';
import { queries } from '../../state/queries.ts';
import { useService } from '../../state/service.tsx';
import { taskAfter } from '../../state/task-after.ts';
import { useEvents, type GapReason } from '../../state/use-events.ts';
import { useFirstLoad } from '../../state/use-first-load.ts';
import { taskIndexOf } from '../job/model/cells.ts';
import { hasStateChanged } from './task-state.ts';

/**
 * Returns a task with its details, live. The component must have a `key` that changes with the task.
 *
 * @param known - The task without details, shown until it is loaded.
 */
export function useTask(id: string, known?: Task): UseQueryResult<Task> {
  const { rest } = useService();
  const client = useQueryClient();
  const jobId = taskIndexOf(id)?.jobId ?? null;
  const { isOpen, began } = useFirstLoad(jobId === null ? 0 : 2);
  const query = useQuery({ ...queries.task(rest, id), enabled: isOpen, placeholderData: () => known });
  const reload = (): void => void client.invalidateQueries({ queryKey: ['tasks', 'one', id] });
  const onGap = (reason: GapReason): void => {
    if (reason === 'lost' || began()) reload();
  };
  useEvents(
    jobId === null ? null : tasksOf(jobId),
    (events) => {
      const own = events.filter(({ payload }) => payload.task_id === id).map(({ payload }) => payload);
      const last = own.at(-1);
      if (last === undefined) return;
      const before = query.data;
      client.setQueryData(queries.task(rest, id).queryKey, (task) =>
        task === undefined ? task : taskAfter(task, last),
      );
      if (before === undefined || own.some((event) => hasStateChanged(before, event))) reload();
    },
    onGap,
  );
  // A change of all tasks at once is reported only by an event of the job.
  useEvents(
    jobId === null ? null : 'jobs',
    (events) => {
      if (events.some(({ payload }) => payload.job_id === jobId)) reload();
    },
    onGap,
  );
  return query;
}
