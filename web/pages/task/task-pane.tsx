import { ExternalLink, FileQuestion } from 'lucide-react';
import { ProblemError } from '../../../client/problem.ts';
import type { Task } from '../../../client/resources.ts';
import { LinkButton } from '../../parts/button.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { QueryProblem } from '../../parts/query-problem.tsx';
import { SkeletonLines } from '../../parts/skeleton.tsx';
import { TaskActions } from './task-actions.tsx';
import { TaskDetails, TaskStatusBadge } from './task-details.tsx';
import { useTask } from './use-task.ts';
import './task-pane.css';

/** The task that a list shows next to its rows. The parent must give it a `key` that changes with the task. */
export function TaskPane({
  id,
  known,
}: {
  id: string;
  /** The task as the list has it, shown until the task is loaded. */
  known: Task | undefined;
}) {
  const { data: task, error, refetch } = useTask(id, known);
  if (error instanceof ProblemError && error.status === 404)
    return (
      <EmptyState title="Task not found" icon={FileQuestion}>
        No task has the ID {id}. Select another task in the list.
      </EmptyState>
    );
  if (task === undefined)
    return error === null ? (
      <SkeletonLines lines={8} label="Loading the task" />
    ) : (
      <QueryProblem error={error} what="the task" onRetry={() => void refetch()} />
    );
  return (
    <div className="task-pane">
      <div className="task-pane__head">
        <div className="row">
          <h2>{task.name}</h2>
          <TaskStatusBadge task={task} />
        </div>
        <div className="task-pane__actions">
          <LinkButton
            href={`/tasks/${encodeURIComponent(id)}`}
            icon={<ExternalLink aria-hidden="true" />}
            size="small"
          >
            Open
          </LinkButton>
          <TaskActions task={task} />
        </div>
      </div>
      <TaskDetails task={task} />
    </div>
  );
}
