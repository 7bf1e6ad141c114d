import { useState } from 'react';
import { RotateCcw } from 'lucide-react';
import { Link } from 'wouter';
import type { WorkerDetail, WorkerStepFailures } from '../../../client/resources.ts';
import { Button } from '../../parts/button.tsx';
import { counted } from '../../parts/number-text.ts';
import { Panel } from '../../parts/panel.tsx';
import { ShortTable, type ShortColumn } from '../../parts/short-table.tsx';
import { Ago } from '../../parts/time.tsx';
import { useService } from '../../state/service.tsx';
import { toasts } from '../../state/toasts.ts';
import { usePermissions } from '../../state/use-permissions.ts';
import { stepHref } from '../task/explanation-links.ts';

const MAX_COLLAPSED = 8;

/** The failures on the worker, by step. */
export function WorkerFailures({ worker, onChanged }: { worker: WorkerDetail; onChanged: () => void }) {
  const [isExpanded, setIsExpanded] = useState(false);
  const { failures, failed_attempts: total } = worker;
  const columns: readonly ShortColumn<WorkerStepFailures>[] = [
    {
      header: 'Step',
      cell: ({ job_id: job, step_name: step }) => <Link href={stepHref(job, step)}>{step}</Link>,
    },
    {
      header: 'Job',
      cell: ({ job_id: job, job_name: name }) => (
        <Link href={`/jobs/${encodeURIComponent(job)}`}>{name}</Link>
      ),
    },
    { header: 'Failures', align: 'end', cell: ({ failures: count }) => count.toLocaleString('en') },
    { header: 'Last', cell: ({ last_at: at }) => <Ago iso={at} />, isMinor: true },
    {
      header: 'Retry',
      align: 'end',
      cell: (step) => <RetryStep worker={worker} step={step} onDone={onChanged} />,
    },
  ];
  return (
    <Panel title="Failures by step" beside={<span className="muted number">{totalText(total)}</span>} isWide>
      {failures.length === 0 ? (
        <p className="muted">
          {total === 0
            ? 'No task has failed since the worker was registered.'
            : 'The jobs with failed tasks were deleted.'}
        </p>
      ) : (
        <ShortTable
          label="Failures by step"
          columns={columns}
          rows={isExpanded ? failures : failures.slice(0, MAX_COLLAPSED)}
          rowId={({ step_id: id }) => id}
        />
      )}
      {!isExpanded && failures.length > MAX_COLLAPSED && (
        <div>
          <Button size="small" onPress={() => setIsExpanded(true)}>
            {`Show all ${failures.length}`}
          </Button>
        </div>
      )}
    </Panel>
  );
}

const totalText = (total: number): string => `${total.toLocaleString('en')} since registration`;

function RetryStep({
  worker,
  step,
  onDone,
}: {
  worker: WorkerDetail;
  step: WorkerStepFailures;
  onDone: () => void;
}) {
  const { rest } = useService();
  const { why } = usePermissions();
  const [isBusy, setIsBusy] = useState(false);
  const retry = async (): Promise<void> => {
    setIsBusy(true);
    try {
      const { retried } = await rest.call('post', '/jobs/{id}/retry', {
        path: { id: step.job_id },
        body: { step: step.step_id, worker_id: worker.id },
      });
      toasts.done(
        retried === 0
          ? `No failed tasks of ${step.step_name} to retry`
          : `${counted(retried, 'task')} of ${step.step_name} retried`,
      );
      onDone();
    } catch (error) {
      toasts.failed(error, `Could not retry the tasks of ${step.step_name}`);
    }
    setIsBusy(false);
  };
  return (
    <Button
      size="small"
      icon={<RotateCcw aria-hidden="true" />}
      isBusy={isBusy}
      disabledReason={why('jobs.write')}
      title={`Retries the failed tasks of ${step.step_name} whose last attempt was on ${worker.name}`}
      onPress={() => void retry()}
    >
      Retry step
    </Button>
  );
}
