import { useState } from 'react';
import type { Worker } from '../../../client/resources.ts';
import { ConfirmDialog } from '../../parts/dialog.tsx';
import { CheckField, TextField } from '../../parts/field.tsx';
import { utcOfLocal } from '../../parts/local-time.ts';
import { counted } from '../../parts/number-text.ts';
import { toasts } from '../../state/toasts.ts';
import { useOpenedVersion } from '../../state/use-opened-version.ts';

interface DisableDialogProps {
  readonly worker: Pick<Worker, 'id' | 'name' | 'current_task_count'>;
  readonly onChanged: () => void;
  readonly onClose: () => void;
}

/** Asks for a reason, a time and what happens to the tasks of a worker, and disables it. */
export function DisableDialog({ worker, onChanged, onClose }: DisableDialogProps) {
  const { id, name, current_task_count: tasks } = worker;
  const version = useOpenedVersion((client) =>
    client.callWithHeaders('get', '/workers/{id}', { path: { id } }),
  );
  const [reason, setReason] = useState('');
  const [time, setTime] = useState('');
  const [isNow, setIsNow] = useState(true);
  const until = utcOfLocal(time);
  return (
    <ConfirmDialog
      title={`Disable ${name}?`}
      action={isNow ? 'Disable now' : 'Disable after its tasks'}
      onClose={onClose}
      onConfirm={async () => {
        const body = {
          mode: isNow ? 'now' : 'after-tasks',
          reason: reason.trim(),
          ...(until !== null && { until }),
        } as const;
        await version.change(null, (client) =>
          client.call('post', '/workers/{id}/disable', { path: { id }, body }),
        );
        toasts.done(`${name} disabled`);
        onChanged();
      }}
    >
      <p>{consequence(tasks, isNow)}</p>
      <CheckField label="Stop its tasks now" isChecked={isNow} onChange={setIsNow} />
      <TextField label="Reason" value={reason} onChange={setReason} hint="Shown with the worker." />
      <TextField
        type="datetime-local"
        label="Enable again"
        value={time}
        onChange={setTime}
        hint="In your time zone. Empty: when a user enables it."
      />
    </ConfirmDialog>
  );
}

function consequence(tasks: number, isNow: boolean): string {
  if (tasks === 0) return 'It takes no new tasks.';
  const own = `Its ${counted(tasks, 'task')}`;
  return isNow
    ? `It takes no new tasks. ${own} stop at once and start again elsewhere. That counts as no attempt.`
    : `It takes no new tasks and finishes ${own.toLowerCase()}.`;
}
