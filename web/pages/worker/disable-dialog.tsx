import { useState } from 'react';
import type { Worker } from '../../../client/resources.ts';
import { ConfirmDialog } from '../../parts/dialog.tsx';
import { TextField } from '../../parts/field.tsx';
import { counted } from '../../parts/number-text.ts';
import { toasts } from '../../state/toasts.ts';
import { useOpenedVersion } from '../../state/use-opened-version.ts';

interface DisableDialogProps {
  readonly worker: Pick<Worker, 'id' | 'name' | 'current_task_count'>;
  readonly onChanged: () => void;
  readonly onClose: () => void;
}

/** Asks for a reason, disables a worker and stops its tasks. */
export function DisableDialog({ worker, onChanged, onClose }: DisableDialogProps) {
  const { id, name, current_task_count: tasks } = worker;
  const version = useOpenedVersion((client) =>
    client.callWithHeaders('get', '/workers/{id}', { path: { id } }),
  );
  const [reason, setReason] = useState('');
  return (
    <ConfirmDialog
      title={`Disable ${name} now?`}
      action="Disable now"
      onClose={onClose}
      onConfirm={async () => {
        const body = { mode: 'now', reason: reason.trim() } as const;
        await version.change(null, (client) =>
          client.call('post', '/workers/{id}/disable', { path: { id }, body }),
        );
        toasts.done(`${name} disabled`);
        onChanged();
      }}
    >
      <p>
        {tasks === 0
          ? 'It takes no new tasks.'
          : `It takes no new tasks. Its ${counted(tasks, 'task')} stop at once and start again elsewhere. That counts as no attempt.`}
      </p>
      <TextField label="Reason" value={reason} onChange={setReason} hint="Shown with the worker." />
    </ConfirmDialog>
  );
}
