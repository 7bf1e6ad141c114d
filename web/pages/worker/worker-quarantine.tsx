import { ShieldCheck } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'wouter';
import type { WorkerDetail } from '../../../client/resources.ts';
import { Button } from '../../parts/button.tsx';
import { Notice } from '../../parts/notice.tsx';
import { Panel } from '../../parts/panel.tsx';
import { ShortTable, type ShortColumn } from '../../parts/short-table.tsx';
import { useService } from '../../state/service.tsx';
import { toasts } from '../../state/toasts.ts';
import { usePermissions } from '../../state/use-permissions.ts';
import { stepHref } from '../task/explanation-links.ts';

type Evidence = NonNullable<WorkerDetail['evidence']>[number];

interface Props {
  readonly worker: WorkerDetail;
  readonly onChanged: () => void;
}

/** Says that the worker is in quarantine or suspected, as a whole or for steps, with the button that lifts it. */
export function QuarantineNotice({ worker, onChanged }: Props) {
  const { quarantine, evidence = [] } = worker;
  const steps = evidence.filter((step) => step.quarantine !== undefined);
  if (quarantine === undefined && steps.length === 0) return null;
  return (
    <Notice kind="warning" title={titleOf(worker, steps)} detail={detailOf(quarantine, steps)}>
      <LiftQuarantine worker={worker} onChanged={onChanged} />
    </Notice>
  );
}

function titleOf({ name, quarantine }: WorkerDetail, steps: readonly Evidence[]): string {
  if (quarantine?.kind === 'quarantined') return `${name} is in quarantine: it gets no tasks`;
  if (quarantine !== undefined) return `${name} is suspected: it gets no tasks for some minutes`;
  const isConvicted = steps.some((step) => step.quarantine?.kind === 'quarantined');
  const what = steps.map((step) => step.step_name).join(', ');
  return isConvicted ? `${name} is in quarantine for ${what}` : `${name} is suspected for ${what}`;
}

const detailOf = (quarantine: WorkerDetail['quarantine'], steps: readonly Evidence[]): string =>
  quarantine?.reason ?? steps[0]?.quarantine?.reason ?? '';

function LiftQuarantine({ worker: { id, name }, onChanged }: Props) {
  const { rest } = useService();
  const { why } = usePermissions();
  const [isBusy, setIsBusy] = useState(false);
  const lift = async (): Promise<void> => {
    setIsBusy(true);
    try {
      await rest.call('post', '/workers/{id}/lift-quarantine', { path: { id } });
      toasts.done(`The quarantine of ${name} is lifted`);
    } catch (error) {
      toasts.failed(error, `Could not lift the quarantine of ${name}`);
    }
    onChanged();
    setIsBusy(false);
  };
  return (
    <Button
      size="small"
      icon={<ShieldCheck aria-hidden="true" />}
      isBusy={isBusy}
      disabledReason={why('workers.manage')}
      title="Forgets the evidence about the worker, so that it takes tasks again"
      onPress={() => void lift()}
    >
      Lift quarantine
    </Button>
  );
}

const COLUMNS: readonly ShortColumn<Evidence>[] = [
  {
    header: 'Step',
    cell: ({ job_id: job, step_name: step }) => <Link href={stepHref(job, step)}>{step}</Link>,
  },
  {
    header: 'Job',
    cell: ({ job_id: job, job_name: name }) => <Link href={`/jobs/${encodeURIComponent(job)}`}>{name}</Link>,
  },
  { header: 'Failed only here', align: 'end', cell: ({ failed_only_here: count }) => count },
  { header: 'Failed everywhere', align: 'end', cell: ({ failed_everywhere: count }) => count },
  { header: 'Open', align: 'end', cell: ({ failed_open: count }) => count },
  { header: 'Succeeded', align: 'end', cell: ({ succeeded: count }) => count },
  {
    header: 'Others failed',
    align: 'end',
    cell: ({ others_failed: failed, others_succeeded: succeeded }) => `${failed} of ${failed + succeeded}`,
  },
  { header: 'Quarantine', cell: ({ quarantine }) => quarantine?.kind ?? '', isMinor: true },
];

/** The evidence about the worker by step; nothing if there is none. */
export function WorkerEvidence({ worker: { evidence = [] } }: Pick<Props, 'worker'>) {
  if (evidence.length === 0) return null;
  return (
    <Panel title="Evidence by step" isWide>
      <ShortTable
        label="Evidence by step"
        columns={COLUMNS}
        rows={evidence}
        rowId={({ step_id: id }) => id}
      />
    </Panel>
  );
}
