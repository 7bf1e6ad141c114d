import { useQuery, useQueryClient } from '@tanstack/react-query';
import { FileQuestion, ScrollText } from 'lucide-react';
import { useEffect, useEffectEvent, type ReactNode } from 'react';
import { useParams } from 'wouter';
import { shownStatusOf } from '../../../client/attempt-status.ts';
import { tasksOf } from '../../../client/events/subjects.ts';
import { ProblemError } from '../../../client/problem.ts';
import type { Attempt, JobDetail, Task } from '../../../client/resources.ts';
import { LinkButton } from '../../parts/button.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { LogView } from '../../parts/log-view/log-view.tsx';
import { useLog, type ShownLog } from '../../parts/log-view/use-log.ts';
import { WorkerName } from '../../parts/names.tsx';
import { Notice } from '../../parts/notice.tsx';
import { Page } from '../../parts/page.tsx';
import { QueryProblem } from '../../parts/query-problem.tsx';
import { SkeletonLines } from '../../parts/skeleton.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { Ago, Elapsed, Span } from '../../parts/time.tsx';
import { hasTaskEnded } from '../../state/ended.ts';
import { queries } from '../../state/queries.ts';
import { useService } from '../../state/service.tsx';
import { taskAfter } from '../../state/task-after.ts';
import { useEvents } from '../../state/use-events.ts';
import { useNow } from '../../state/use-now.ts';
import { choiceField, countField, useUrlState } from '../../state/use-url-state.ts';
import { skippedText } from '../job/model/skipped-text.ts';
import { Attempts } from './attempts.tsx';
import { CompareView } from './compare/compare-view.tsx';
import { stepHref } from './explanation-links.ts';
import { AttemptLine, LogChoice } from './log-choice.tsx';
import { Outputs } from './outputs.tsx';
import { TaskActions } from './task-actions.tsx';
import { attemptShown, hasStateChanged, isWaiting, newestFirst } from './task-state.ts';
import { Waiting } from './waiting.tsx';
import './task-page.css';

const VIEW = {
  attempt: countField(),
  log: choiceField(['one', 'all', 'compare'], 'one'),
  /** The attempt that is compared with the shown one. */
  with: countField(),
};

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
  const { id, job_id: jobId, status } = task;
  const { rest } = useService();
  const job = useQuery(queries.job(rest, jobId)).data;
  const attempts = useQuery(queries.attempts(rest, id));
  const [{ attempt: wanted, log: form }] = useUrlState(VIEW);
  const log = useLog(id);
  useTaskEvents(task, () => log.source.read());
  const list = newestFirst(attempts.data?.items ?? []);
  const shown = attemptShown(list, wanted);
  return (
    <Page
      title={task.name}
      beside={<StatusBadge kind="task" status={task.skipped === undefined ? status : 'skipped'} />}
      crumbs={crumbsOf(task, job)}
      actions={<TaskActions task={task} />}
    >
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
        <Log taskId={id} attempts={list} shown={shown} log={log} />
      ) : attempts.data === undefined ? (
        <SkeletonLines lines={6} label="Loading the attempts" />
      ) : (
        <EmptyState title="No log yet" icon={ScrollText}>
          {hasTaskEnded(status)
            ? 'The task ended before a worker started it.'
            : 'The task is waiting for a worker. Its log appears here when it runs.'}
        </EmptyState>
      )}
    </Page>
  );
}

/** The log of one attempt, of all, or of two side by side. `attempts` are newest first. */
function Log({
  taskId,
  attempts,
  shown,
  log,
}: {
  taskId: string;
  attempts: readonly Attempt[];
  shown: Attempt;
  log: ShownLog;
}) {
  const [{ log: wanted, with: other }, setView] = useUrlState(VIEW);
  const form = attempts.length > 1 ? wanted : 'one';
  const { attempt_number: number } = shown;
  const isPart = log.part !== null;
  const isWhole = form !== 'one' || log.part?.attempt !== number;
  const showWhole = useEffectEvent(() => log.showPart(null));
  // A part belongs to one attempt.
  useEffect(() => {
    if (isPart && isWhole) showWhole();
  }, [isPart, isWhole]);
  if (form === 'compare') {
    const [before] = attempts.filter(({ attempt_number: one }) => one !== number);
    const left = other !== null && attempts.some((one) => one.attempt_number === other) ? other : null;
    return (
      <CompareView
        attempts={attempts}
        pair={{ left: left ?? before?.attempt_number ?? number, right: number }}
        onPair={(pair) => setView({ attempt: pair.right, with: pair.left }, { replace: true })}
        shown={log}
      />
    );
  }
  const [newest] = attempts;
  return (
    <LogView
      key={form === 'all' ? 'all' : number}
      taskId={taskId}
      attempt={form === 'all' ? null : number}
      shown={log}
      separatorOf={(one) => (
        <AttemptLine number={one} attempt={attempts.find(({ attempt_number }) => attempt_number === one)} />
      )}
      isLive={(form === 'all' ? newest : shown)?.status === 'running'}
      beginsAtEnd={form === 'one' && shownStatusOf(shown) === 'failed'}
      empty={emptyOf(shown)}
      onPointed={() => setView(form === 'all' ? { log: 'all' } : { attempt: number }, { replace: true })}
    />
  );
}

/** Updates the page from events. Calls `onStateChanged` when the status or the worker of the task changed. */
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
    if (!events.some(({ payload }) => payload.job_id === jobId)) return;
    void client.invalidateQueries({ queryKey: ['jobs', 'one', jobId] });
    reload();
  });
}

function crumbsOf(task: Task, job: JobDetail | undefined) {
  const step = job?.steps.find((one) => one.id === task.step_id);
  return [
    { label: 'Jobs', href: '/jobs' },
    { label: job?.name ?? 'Job', href: `/jobs/${encodeURIComponent(task.job_id)}` },
    ...(step === undefined ? [] : [{ label: step.name, href: stepHref(task.job_id, step.name) }]),
  ];
}

function Facts({ task }: { task: Task }) {
  const parameters = Object.entries(task.parameters ?? {});
  const { assigned_worker_id: worker, started_at: started, ended_at: ended, progress } = task;
  return (
    <div className="task-facts">
      {parameters.map(([name, value]) => (
        <Fact key={`parameter ${name}`} label={name}>
          <span className="mono">{value}</span>
        </Fact>
      ))}
      {worker !== undefined && (
        <Fact label="Worker">
          <WorkerName id={worker} />
        </Fact>
      )}
      <Fact label="Created">
        <Ago iso={task.created_at} />
      </Fact>
      {started !== undefined && (
        <Fact label="Started">
          <Ago iso={started} />
        </Fact>
      )}
      {started !== undefined && (
        <Fact label={ended === undefined ? 'Running for' : 'Duration'}>
          <Elapsed from={started} to={ended} />
        </Fact>
      )}
      {task.failed_attempts > 0 && (
        <Fact label="Failed attempts">{task.failed_attempts.toLocaleString('en')}</Fact>
      )}
      {progress !== undefined && (
        <Fact label="Progress">
          <Progress percent={progress} />
        </Fact>
      )}
      {task.status_message !== undefined && (
        <Fact label="Status message" isWide>
          {task.status_message}
        </Fact>
      )}
    </div>
  );
}

function Fact({ label, isWide = false, children }: { label: string; isWide?: boolean; children: ReactNode }) {
  return (
    <div className={isWide ? 'task-facts__fact task-facts__fact--wide' : 'task-facts__fact'}>
      <span className="task-facts__label">{label}</span>
      <span className="task-facts__value">{children}</span>
    </div>
  );
}

function Progress({ percent }: { percent: number }) {
  return (
    <span className="task-facts__progress">
      <span
        className="task-facts__bar"
        role="progressbar"
        aria-label="Task progress"
        aria-valuenow={percent}
        aria-valuemin={0}
        aria-valuemax={100}
      >
        <span className="task-facts__fill" style={{ width: `${percent}%` }} />
      </span>
      <span className="number">{Math.floor(percent)} %</span>
    </span>
  );
}

function Notices({
  task: { status, failure_reason: reason, error_line: errorLine, retry_after: retryAt, skipped },
}: {
  task: Task;
}) {
  return (
    <>
      {skipped !== undefined && (
        <Notice
          kind="info"
          title={skippedText(skipped)}
          detail="It counts as succeeded. A retry undoes the skip."
        />
      )}
      {reason !== undefined && (
        <Notice
          kind={status === 'failed' ? 'danger' : 'warning'}
          title={
            status === 'canceled' ? 'Cancel reason' : status === 'failed' ? 'Failure reason' : 'Last failure'
          }
          detail={
            <>
              {reason}
              {errorLine !== undefined && <pre className="task-page__error mono">{errorLine}</pre>}
            </>
          }
        />
      )}
      {retryAt !== undefined && isWaiting(status) && <RetryNotice at={Date.parse(retryAt)} />}
    </>
  );
}

function RetryNotice({ at }: { at: number }) {
  const left = at - useNow('second');
  if (left <= 0) return null;
  return (
    <Notice
      kind="info"
      detail={
        <>
          Automatic retry in <Span ms={Math.ceil(left / 1_000) * 1_000} />.
        </>
      }
    />
  );
}

function emptyOf({ status, attempt_number: number, worker_id: worker }: Attempt) {
  return status === 'running'
    ? {
        title: 'No output yet',
        text: (
          <p>
            The attempt is running
            {worker !== undefined && (
              <>
                {' '}
                on <WorkerName id={worker} />
              </>
            )}
            . Its output appears here.
          </p>
        ),
      }
    : {
        title: `No output of attempt ${number}`,
        text: <p>The attempt wrote no output. See its exit code and message above.</p>,
      };
}
