import { useQuery } from '@tanstack/react-query';
import { CircleCheck, RotateCcw } from 'lucide-react';
import { Link } from 'wouter';
import { collectIds } from '../../../../client/bulk.ts';
import { failureKeyOf } from '../../../../src/core/failure/error-line.ts';
import type { FailureGroup, JobDetail, JobFailures, Task } from '../../../../client/resources.ts';
import type { Rest } from '../../../../client/rest.ts';
import { Button } from '../../../parts/button.tsx';
import { counted } from '../../../parts/number-text.ts';
import { EmptyState } from '../../../parts/empty-state.tsx';
import { WorkerName } from '../../../parts/names.tsx';
import { QueryProblem } from '../../../parts/query-problem.tsx';
import { SkeletonLines } from '../../../parts/skeleton.tsx';
import { queries } from '../../../state/queries.ts';
import { useService } from '../../../state/service.tsx';
import { usePermissions } from '../../../state/use-permissions.ts';
import { formatBulkOutcome, bulkOnTasks } from '../bulk-tasks.ts';
import { taskIndexOf } from '../model/cells.ts';
import { frameScale } from '../model/frames.ts';
import { useWorkersWithFailures } from '../retry-dialog.tsx';
import { useJobAction } from '../use-job-action.ts';
import './failures-tab.css';

/** The failed tasks, grouped by reason and error line. */
export function FailuresTab({ job, onChanged }: { job: JobDetail; onChanged: () => void }) {
  const { rest } = useService();
  const { data, error, refetch } = useQuery(queries.jobFailures(rest, job.id));
  if (error !== null && data === undefined)
    return <QueryProblem error={error} what="the failures" onRetry={() => void refetch()} />;
  if (data === undefined) return <SkeletonLines label="Loading the failures" />;
  if (data.groups.length === 0)
    return (
      <EmptyState title="No failed tasks" icon={CircleCheck}>
        Failures of retried tasks are not listed.
      </EmptyState>
    );
  return (
    <div className="failures">
      <Workers job={job} onChanged={onChanged} />
      <p className="muted">
        {counted(data.failed_count, 'failed task')}, {counted(data.groups.length, 'cause')}.
        {data.is_partial && ' The causes cover only some of the tasks.'}
      </p>
      {data.groups.map((group) => (
        <Group
          key={failureKeyOf(group.reason, group.error_line ?? '')}
          job={job}
          group={group}
          axes={data.axes}
          onChanged={onChanged}
        />
      ))}
    </div>
  );
}

/** The workers on which tasks failed, each with a button to retry these tasks. */
function Workers({ job, onChanged }: { job: JobDetail; onChanged: () => void }) {
  const { rest } = useService();
  const { why } = usePermissions();
  const workers = useWorkersWithFailures(job);
  const [isBusy, run] = useJobAction(onChanged);
  if (workers.length === 0) return null;
  return (
    <section className="failures__workers" aria-label="Workers with failures">
      <h2>Workers with failures</h2>
      <ul>
        {workers.map(({ id, name }) => (
          <li key={id}>
            <WorkerName id={id} />
            <Button
              size="small"
              icon={<RotateCcw aria-hidden="true" />}
              isBusy={isBusy}
              disabledReason={why('jobs.write')}
              onPress={() =>
                run(`Could not retry the tasks of ${name}`, async () => {
                  const { retried } = await rest.call('post', '/jobs/{id}/retry', {
                    path: { id: job.id },
                    body: { worker_id: id },
                  });
                  return `${counted(retried, 'task')} of ${name} retried`;
                })
              }
            >
              Retry tasks of {name}
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
}

type Axes = JobFailures['axes'];

function Group({
  job,
  group,
  axes,
  onChanged,
}: {
  job: JobDetail;
  group: FailureGroup;
  axes: Axes;
  onChanged: () => void;
}) {
  const { rest } = useService();
  const { why } = usePermissions();
  const [isBusy, run] = useJobAction(onChanged);
  const { reason, error_line: errorLine = '', count, task_ids: tasks, worker_ids: workers } = group;
  const more = count - tasks.length;
  const retry = (): void =>
    run('Could not retry the tasks', async () => {
      const ids = more === 0 ? tasks : await idsOfGroup(rest, job.id, failureKeyOf(reason, errorLine));
      return formatBulkOutcome('retry', await bulkOnTasks(rest, 'retry', ids));
    });
  return (
    <section
      className="failures__group card"
      aria-label={errorLine === '' ? reason : `${reason}: ${errorLine}`}
    >
      <div className="failures__head">
        <strong className="failures__count number">{count.toLocaleString('en')}</strong>
        <h3 className="failures__reason">{reason === '' ? 'No reason given' : reason}</h3>
        <Button
          size="small"
          icon={<RotateCcw aria-hidden="true" />}
          isBusy={isBusy}
          disabledReason={why('jobs.write')}
          onPress={retry}
        >
          Retry {counted(count, 'task')}
        </Button>
      </div>
      {errorLine !== '' && <pre className="failures__error mono">{errorLine}</pre>}
      <p className="failures__tasks">
        <span className="muted">Tasks</span>{' '}
        {tasks.map((id) => (
          <TaskLink key={id} job={job} axes={axes} id={id} />
        ))}
        {more > 0 && (
          <Link href={`/jobs/${job.id}?tab=tasks&view=table&status=failed`}>
            and {more.toLocaleString('en')} more
          </Link>
        )}
      </p>
      {workers.length > 0 && (
        <p className="failures__tasks">
          <span className="muted">On</span>{' '}
          {workers.map((id) => (
            <WorkerName key={id} id={id} />
          ))}
        </p>
      )}
    </section>
  );
}

/** A link to a task by its frame, and by its step if there are several. */
function TaskLink({ job, axes, id }: { job: JobDetail; axes: Axes; id: string }) {
  const at = taskIndexOf(id);
  const step = job.steps.find(({ order }) => order === at?.step);
  const axis = axes.find(({ step_id: of }) => of === step?.id)?.axis;
  const label =
    at === null || step === undefined ? id : frameScale(step.task_counts.total, axis).labelAt(at.index);
  const isSingle = step?.task_counts.total === 1;
  return (
    <Link href={`/tasks/${id}`}>
      {isSingle ? step.name : job.steps.length > 1 ? `${step?.name ?? ''} ${label}` : label}
    </Link>
  );
}

/** Loads the ids of all failed tasks whose failures have the key (failureKeyOf). */
const idsOfGroup = (rest: Rest, jobId: string, key: string): Promise<readonly string[]> =>
  collectIds(async (offset, limit) => {
    const { items, total } = await rest.call('get', '/jobs/{id}/tasks', {
      path: { id: jobId },
      query: { status: 'failed', limit, offset },
    });
    const isOfGroup = ({ failure_reason: reason = '', error_line: errorLine = '' }: Task): boolean =>
      failureKeyOf(reason, errorLine) === key;
    return { items: items.filter(isOfGroup), total };
  }, new Set());
