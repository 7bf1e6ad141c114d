import { FileQuestion } from 'lucide-react';
import { useParams } from 'wouter';
import { ProblemError } from '../../../client/problem.ts';
import type { Task } from '../../../client/resources.ts';
import { LinkButton } from '../../parts/button.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Page } from '../../parts/page.tsx';
import { QueryProblem } from '../../parts/query-problem.tsx';
import { SkeletonLines } from '../../parts/skeleton.tsx';
import { stepHref } from './explanation-links.ts';
import { TaskActions } from './task-actions.tsx';
import { TaskDetails, TaskStatusBadge } from './task-details.tsx';
import { useTask } from './use-task.ts';

/** The page of a task: its attempts, its log, and why it is waiting. */
export function TaskPage() {
  const { id = '' } = useParams<{ id: string }>();
  return <TaskView key={id} id={id} />;
}

function TaskView({ id }: { id: string }) {
  const { data: task, error, refetch } = useTask(id);
  if (error instanceof ProblemError && error.status === 404)
    return (
      <Page title="Task" crumbs={[{ label: 'Jobs', href: '/jobs' }]}>
        <EmptyState
          title="Task not found"
          icon={FileQuestion}
          actions={<LinkButton href="/jobs">Show all jobs</LinkButton>}
        >
          The job of the task was deleted or has expired, or the address is wrong.
        </EmptyState>
      </Page>
    );
  if (task !== undefined)
    return (
      <Page
        title={task.name}
        beside={<TaskStatusBadge task={task} />}
        crumbs={crumbsOf(task)}
        actions={<TaskActions task={task} />}
      >
        <TaskDetails task={task} />
      </Page>
    );
  return (
    <Page title="Task" crumbs={[{ label: 'Jobs', href: '/jobs' }]}>
      {error === null ? (
        <SkeletonLines lines={8} label="Loading the task" />
      ) : (
        <QueryProblem error={error} what="the task" onRetry={() => void refetch()} />
      )}
    </Page>
  );
}

function crumbsOf({ job_id: jobId, details }: Task) {
  return [
    { label: 'Jobs', href: '/jobs' },
    { label: details?.job_name ?? 'Job', href: `/jobs/${encodeURIComponent(jobId)}` },
    ...(details === undefined
      ? []
      : [{ label: details.step_name, href: stepHref(jobId, details.step_name) }]),
  ];
}
