import { useQuery, useQueryClient } from '@tanstack/react-query';
import { ScrollText } from 'lucide-react';
import { tasksOf } from '../../../client/events/subjects.ts';
import type { Task } from '../../../client/resources.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { useLog } from '../../parts/log-view/use-log.ts';
import { QueryProblem } from '../../parts/query-problem.tsx';
import { SkeletonLines } from '../../parts/skeleton.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { hasTaskEnded } from '../../state/ended.ts';
import { queries } from '../../state/queries.ts';
import { useService } from '../../state/service.tsx';
import { taskAfter } from '../../state/task-after.ts';
import { useEvents } from '../../state/use-events.ts';
import { useUrlState } from '../../state/use-url-state.ts';
import { Attempts } from './attempts.tsx';
import { LogChoice } from './log-choice.tsx';
import { Outputs } from './outputs.tsx';
import { Facts, Notices } from './task-facts.tsx';
import { TaskLog } from './task-log.tsx';
import { attemptShown, hasStateChanged, isWaiting, newestFirst } from './task-state.ts';
import { TASK_VIEW } from './task-view.ts';
import { Waiting } from './waiting.tsx';
import './task-details.css';

/** The status of a task. */
export function TaskStatusBadge({ task: { skipped, status } }: { task: Task }) {
  return <StatusBadge kind="task" status={skipped === undefined ? status : 'skipped'} />;
}

/** Facts, reasons, outputs, attempts and the log of a task, live. The parent must give it a `key` that changes with the task. */
export function TaskDetails({ task }: { task: Task }) {
  const { id, status } = task;
  const { rest } = useService();
  const attempts = useQuery(queries.attempts(rest, id));
  const [{ attempt: wanted, log: form }] = useUrlState(TASK_VIEW);
  const log = useLog(id);
  useTaskEvents(task, () => log.source.read());
  const list = newestFirst(attempts.data?.items ?? []);
  const shown = attemptShown(list, wanted);
  return (
    <>
      <Facts task={task} />
      <Notices task={task} />
      {isWaiting(status) && <Waiting taskId={id} />}
      <Outputs task={task} />
      {attempts.error !== null && attempts.data === undefined && (
        <QueryProblem error={attempts.error} what="the attempts" onRetry={() => void attempts.refetch()} />
      )}
      {shown !== null && <Attempts attempts={list} shown={shown.attempt_number} />}
      {list.length > 1 && <LogChoice form={form} />}
      {shown !== null ? (
        <TaskLog taskId={id} attempts={list} shown={shown} log={log} />
      ) : attempts.data === undefined ? (
        <SkeletonLines lines={6} label="Loading the attempts" />
      ) : (
        <EmptyState title="No log yet" icon={ScrollText}>
          {hasTaskEnded(status)
            ? 'The task ended before a worker started it.'
            : 'The task is waiting for a worker. Its log appears here when it runs.'}
        </EmptyState>
      )}
    </>
  );
}

/** Updates the task from events. Calls `onStateChanged` when the status or the worker of the task changed. */
function useTaskEvents(task: Task, onStateChanged: () => void): void {
  const client = useQueryClient();
  const { rest } = useService();
  const { id, job_id: jobId } = task;
  const reload = (): void => {
    void client.invalidateQueries({ queryKey: ['tasks', 'one', id] });
    onStateChanged();
  };
  useEvents(
    tasksOf(jobId),
    (events) => {
      const own = events.filter(({ payload }) => payload.task_id === id).map(({ payload }) => payload);
      const last = own.at(-1);
      if (last === undefined) return;
      client.setQueryData(queries.task(rest, id).queryKey, (known) =>
        known === undefined ? known : taskAfter(known, last),
      );
      if (own.some((event) => hasStateChanged(task, event))) reload();
    },
    reload,
  );
  // A change of all tasks at once is reported only by an event of the job.
  useEvents('jobs', (events) => {
    if (events.some(({ payload }) => payload.job_id === jobId)) reload();
  });
}
