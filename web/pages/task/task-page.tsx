import { useQuery, useQueryClient } from '@tanstack/react-query';
import { FileQuestion } from 'lucide-react';
import { useParams } from 'wouter';
import { ProblemError } from '../../../client/problem.ts';
import type { JobDetail, Task } from '../../../client/resources.ts';
import { LinkButton } from '../../parts/button.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Page } from '../../parts/page.tsx';
import { QueryProblem } from '../../parts/query-problem.tsx';
import { SkeletonLines } from '../../parts/skeleton.tsx';
import { queries } from '../../state/queries.ts';
import { useService } from '../../state/service.tsx';
import { useEvents } from '../../state/use-events.ts';
import { stepHref } from './explanation-links.ts';
import { TaskActions } from './task-actions.tsx';
import { TaskDetails, TaskStatusBadge } from './task-details.tsx';

/** The page of a task: its attempts, its log, and why it is waiting. */
export function TaskPage() {
  const { id = '' } = useParams<{ id: string }>();
  const { rest } = useService();
  const { data: task, error, refetch } = useQuery(queries.task(rest, id));
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
  if (task !== undefined) return <TaskView key={id} task={task} />;
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

function TaskView({ task }: { task: Task }) {
  const { rest } = useService();
  const client = useQueryClient();
  const { job_id: jobId } = task;
  const job = useQuery(queries.job(rest, jobId)).data;
  useEvents('jobs', (events) => {
    if (!events.some(({ payload }) => payload.job_id === jobId)) return;
    void client.invalidateQueries({ queryKey: ['jobs', 'one', jobId] });
  });
  return (
    <Page
      title={task.name}
      beside={<TaskStatusBadge task={task} />}
      crumbs={crumbsOf(task, job)}
      actions={<TaskActions task={task} />}
    >
      <TaskDetails task={task} />
    </Page>
  );
}

function crumbsOf(task: Task, job: JobDetail | undefined) {
  const step = job?.steps.find((one) => one.id === task.step_id);
  return [
    { label: 'Jobs', href: '/jobs' },
    { label: job?.name ?? 'Job', href: `/jobs/${encodeURIComponent(task.job_id)}` },
    ...(step === undefined ? [] : [{ label: step.name, href: stepHref(task.job_id, step.name) }]),
  ];
}
