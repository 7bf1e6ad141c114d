import { ScrollText } from 'lucide-react';
import type { Task } from '../../../client/resources.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { useLog } from '../../parts/log-view/use-log.ts';
import { SkeletonLines } from '../../parts/skeleton.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { hasTaskEnded } from '../../state/ended.ts';
import { useUrlState } from '../../state/use-url-state.ts';
import { Attempts } from './attempts.tsx';
import { LogChoice } from './log-choice.tsx';
import { Outputs } from './outputs.tsx';
import { Facts, Notices } from './task-facts.tsx';
import { TaskLog } from './task-log.tsx';
import { attemptShown, isWaiting, newestFirst } from './task-state.ts';
import { TASK_VIEW } from './task-view.ts';
import { Waiting } from './waiting.tsx';
import './task-details.css';

/** The status of a task. */
export function TaskStatusBadge({ task: { skipped, status } }: { task: Task }) {
  return <StatusBadge kind="task" status={skipped === undefined ? status : 'skipped'} />;
}

/** Facts, reasons, outputs, attempts and the log of a task, live. The parent must give it a `key` that changes with the task. */
export function TaskDetails({ task }: { task: Task }) {
  const { id, status, details } = task;
  const [{ attempt: wanted, log: form }] = useUrlState(TASK_VIEW);
  const list = newestFirst(details?.attempts ?? []);
  const log = useLog(id, list.length === 0 ? null : `${list.length} ${status}`);
  const shown = attemptShown(list, wanted);
  return (
    <>
      <Facts task={task} />
      <Notices task={task} />
      {isWaiting(status) && <Waiting taskId={id} />}
      {details?.has_outputs === true && <Outputs task={task} />}
      {shown !== null && <Attempts attempts={list} shown={shown.attempt_number} />}
      {list.length > 1 && <LogChoice form={form} />}
      {shown !== null ? (
        <TaskLog taskId={id} attempts={list} shown={shown} log={log} />
      ) : details === undefined ? (
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
