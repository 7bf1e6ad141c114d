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

const SHOWN_FIRST = 8;

/** What has failed on the worker, by step. */
export function WorkerFailures({ worker, onChanged }: { worker: WorkerDetail; onChanged: () => void }) {
  const [isWhole, setIsWhole] = useState(false);
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
      cell: (step) => <RetryThese worker={worker} step={step} onDone={onChanged} />,
    },
  ];
  return (
    <Panel title="Failures by step" beside={<span className="muted number">{totalText(total)}</span>} isWide>
      {failures.length === 0 ? (
        <p className="muted">
          {total === 0
            ? 'No task has failed here since the worker was registered.'
            : 'The jobs whose tasks failed here are gone.'}
        </p>
      ) : (
        <ShortTable
          label="Failures by step"
          columns={columns}
          rows={isWhole ? failures : failures.slice(0, SHOWN_FIRST)}
          rowId={({ step_id: id }) => id}
        />
      )}
      {!isWhole && failures.length > SHOWN_FIRST && (
        <div>
          <Button size="small" onPress={() => setIsWhole(true)}>
            {`Show all ${failures.length}`}
          </Button>
        </div>
      )}
    </Panel>
  );
}

const totalText = (total: number): string =>
  total === 1 ? '1 since it was registered' : `${total.toLocaleString('en')} since it was registered`;

function RetryThese({
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
          ? `No task of ${step.step_name} that failed last on ${worker.name} is left to retry`
          : `${counted(retried, 'task')} of ${step.step_name} tried again`,
      );
      onDone();
    } catch (error) {
      toasts.failed(error, `Retry what failed of ${step.step_name}`);
    }
    setIsBusy(false);
  };
  return (
    <Button
      size="small"
      icon={<RotateCcw aria-hidden="true" />}
      isBusy={isBusy}
      disabledReason={why('jobs.write')}
      title={`Tasks of ${step.step_name} that have failed, and were tried on ${worker.name} last`}
      onPress={() => void retry()}
    >
      Retry these
    </Button>
  );
}
