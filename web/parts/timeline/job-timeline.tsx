import { queryOptions, useQuery } from '@tanstack/react-query';
import { Clock } from 'lucide-react';
import { useMemo } from 'react';
import { useLocation } from 'wouter';
import type { Task } from '../../../client/resources.ts';
import type { Rest } from '../../../client/rest.ts';
import { hasTaskEnded } from '../../state/ended.ts';
import { queries } from '../../state/queries.ts';
import { useService } from '../../state/service.tsx';
import { useNow } from '../../state/use-now.ts';
import { useRefresh } from '../../state/use-refresh.ts';
import { choiceField, useUrlState } from '../../state/use-url-state.ts';
import { counted } from '../number-text.ts';
import { EmptyState } from '../empty-state.tsx';
import { QueryProblem } from '../query-problem.tsx';
import { Skeleton } from '../skeleton.tsx';
import { LaneTable } from './lane-table.tsx';
import { taskBars } from './task-bars.ts';
import { Timeline } from './timeline.tsx';
import { timelineOf } from './timeline-model.ts';

const TASKS_MAX = 5_000;
const PAGE = 1_000;
const REFRESH_MS = 10_000;
const ENDS = ['first', 'last'] as const;
const VIEW = { tasks: choiceField(ENDS, 'first') };

interface LoadedTasks {
  readonly tasks: readonly Task[];
  readonly total: number;
}

/** Requests the first or the last tasks of a job, in list order. */
const tasksOfJob = (rest: Rest, id: string, end: (typeof ENDS)[number]) =>
  queryOptions({
    queryKey: ['jobs', 'timeline', id, end],
    queryFn: async ({ signal }): Promise<LoadedTasks> => {
      const tasks: Task[] = [];
      for (;;) {
        const page = await rest.call('get', '/jobs/{id}/tasks', {
          path: { id },
          query: { sort_dir: end === 'first' ? 'asc' : 'desc', offset: tasks.length, limit: PAGE },
          signal,
        });
        tasks.push(...page.items);
        if (page.items.length === 0 || tasks.length >= Math.min(page.total, TASKS_MAX))
          return { tasks, total: page.total };
      }
    },
  });

/** When and on which worker each task of a job ran. */
export function JobTimeline({ jobId }: { jobId: string }) {
  const { rest } = useService();
  const [, navigate] = useLocation();
  const [{ tasks: end }, setView] = useUrlState(VIEW);
  const refetchInterval = useRefresh(REFRESH_MS);
  const { data, error, refetch } = useQuery({
    ...tasksOfJob(rest, jobId, end),
    refetchInterval: ({ state }) =>
      state.data?.tasks.every(({ status }) => hasTaskEnded(status)) === true ? false : refetchInterval,
  });
  const workers = useQuery(queries.workers(rest)).data?.items;
  const bars = useMemo(() => (data === undefined ? null : taskBars(data.tasks)), [data]);
  const isOpen = bars?.items.some(({ to }) => to === null) === true;
  const now = useNow(isOpen ? 'second' : 'half-minute');
  const names = useMemo(() => new Map(workers?.map(({ id, name }) => [id, name])), [workers]);
  const model = useMemo(
    () => timelineOf(bars?.items ?? [], (worker) => names.get(worker) ?? worker, isOpen ? now : 0),
    [bars, names, isOpen, now],
  );
  if (data === undefined || bars === null) {
    return error === null ? (
      <Skeleton width="100%" height="200px" />
    ) : (
      <QueryProblem error={error} what="the tasks of the job" onRetry={() => void refetch()} />
    );
  }
  return (
    <div className="stack">
      {data.total > data.tasks.length && (
        <div className="row">
          <label htmlFor="timeline-tasks">Showing</label>
          <select
            id="timeline-tasks"
            className="input timeline__tasks"
            value={end}
            onChange={(event) => setView({ tasks: event.target.value === 'last' ? 'last' : 'first' })}
          >
            <option value="first">the first {TASKS_MAX.toLocaleString('en')} tasks</option>
            <option value="last">the last {TASKS_MAX.toLocaleString('en')} tasks</option>
          </select>
          <span>of {data.total.toLocaleString('en')}, in the order of steps and frames.</span>
        </div>
      )}
      {bars.items.length === 0 ? (
        <EmptyState title="No task has started yet" icon={Clock}>
          Tasks appear here when a worker starts them.
        </EmptyState>
      ) : (
        <>
          <Timeline
            model={model}
            now={now}
            label="Tasks by worker over time"
            onOpen={({ id }) => navigate(`/tasks/${encodeURIComponent(id)}`)}
          />
          <p className="muted">{notesOf(bars.waiting, bars.retried)}</p>
          <LaneTable model={model} now={now} laneName="Worker" />
        </>
      )}
    </div>
  );
}

/** Returns notes about tasks and attempts that the chart does not show. */
function notesOf(waiting: number, retried: number): string {
  const notes = ['Each bar is the last attempt of a task, from assignment to end.'];
  if (waiting > 0) notes.push(`${counted(waiting, 'task')} without a bar: not assigned to a worker yet.`);
  if (retried > 0)
    notes.push(`${counted(retried, 'task')} failed before. See the page of a task for its earlier attempts.`);
  return notes.join(' ');
}
