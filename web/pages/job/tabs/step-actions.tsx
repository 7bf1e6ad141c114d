import { Pause, Play, SkipForward } from 'lucide-react';
import { useState } from 'react';
import type { JobDetail, Step } from '../../../../client/resources.ts';
import { Button } from '../../../parts/button.tsx';
import { ConfirmDialog } from '../../../parts/dialog.tsx';
import { TextField } from '../../../parts/field.tsx';
import { counted } from '../../../parts/number-text.ts';
import { useService } from '../../../state/service.tsx';
import { toasts } from '../../../state/toasts.ts';
import { usePermissions } from '../../../state/use-permissions.ts';
import { SkipDialog } from '../skip-dialog.tsx';
import { useJobAction } from '../use-job-action.ts';

interface StepActionsProps {
  readonly job: JobDetail;
  readonly step: Step;
  readonly onChanged: () => void;
}

const ENDED: readonly string[] = ['completed', 'failed', 'canceled'];

/** The actions on a step: hold or release it, and skip its tasks. */
export function StepActions({ job, step, onChanged }: StepActionsProps) {
  const { rest } = useService();
  const { why } = usePermissions();
  const [isBusy, run] = useJobAction(onChanged);
  const [asks, setAsks] = useState<'hold' | 'skip' | null>(null);
  const forbidden = why('jobs.write');
  const close = (): void => setAsks(null);
  const left = step.task_counts.total - step.task_counts.succeeded;
  const release = (): void =>
    run('Could not release the step', async () => {
      await rest.call('post', '/jobs/{id}/steps/{step}/release', { path: { id: job.id, step: step.id } });
      return `${step.name} released`;
    });
  return (
    <>
      {step.hold === undefined ? (
        <Button
          size="small"
          icon={<Pause aria-hidden="true" />}
          disabledReason={forbidden || (ENDED.includes(step.status) ? 'The step has ended.' : '')}
          onPress={() => setAsks('hold')}
        >
          Hold…
        </Button>
      ) : (
        <Button
          size="small"
          icon={<Play aria-hidden="true" />}
          isBusy={isBusy}
          disabledReason={forbidden}
          onPress={release}
        >
          Release
        </Button>
      )}
      <Button
        size="small"
        icon={<SkipForward aria-hidden="true" />}
        disabledReason={forbidden || (left === 0 ? 'All tasks have succeeded.' : '')}
        onPress={() => setAsks('skip')}
      >
        Skip…
      </Button>
      {asks === 'hold' && <HoldDialog job={job} step={step} onChanged={onChanged} onClose={close} />}
      {asks === 'skip' && (
        <SkipDialog
          jobId={job.id}
          title={`Skip ${counted(left, 'task')} of ${step.name}?`}
          selection={{ step: step.id }}
          onChanged={onChanged}
          onClose={close}
        />
      )}
    </>
  );
}

function HoldDialog({ job, step, onChanged, onClose }: StepActionsProps & { readonly onClose: () => void }) {
  const { rest } = useService();
  const [reason, setReason] = useState('');
  return (
    <ConfirmDialog
      title={`Hold ${step.name}?`}
      action="Hold step"
      isDanger={false}
      onClose={onClose}
      onConfirm={async () => {
        const path = { id: job.id, step: step.id };
        await rest.call('post', '/jobs/{id}/steps/{step}/hold', { path, body: { reason: reason.trim() } });
        toasts.done(`${step.name} held`);
        onChanged();
      }}
    >
      <p>No new tasks of the step start until it is released. Running tasks continue.</p>
      <TextField label="Reason" value={reason} onChange={setReason} hint="Shown with the step." />
    </ConfirmDialog>
  );
}
