import { useState } from 'react';
import type { JobSkipSelection } from '../../../client/resources.ts';
import { ConfirmDialog } from '../../parts/dialog.tsx';
import { TextField } from '../../parts/field.tsx';
import { useService } from '../../state/service.tsx';
import { toasts } from '../../state/toasts.ts';
import { skipResultText } from './model/skipped-text.ts';

interface SkipDialogProps {
  readonly jobId: string;
  readonly title: string;
  readonly selection: Omit<JobSkipSelection, 'reason'>;
  readonly onChanged: () => void;
  readonly onClose: () => void;
}

/** Asks for the reason and skips tasks of a job. */
export function SkipDialog({ jobId, title, selection, onChanged, onClose }: SkipDialogProps) {
  const { rest } = useService();
  const [reason, setReason] = useState('');
  return (
    <ConfirmDialog
      title={title}
      action="Skip"
      isDanger={false}
      onClose={onClose}
      onConfirm={async () => {
        const body = { ...selection, reason: reason.trim() };
        const answer = await rest.call('post', '/jobs/{id}/skip', { path: { id: jobId }, body });
        toasts.done(skipResultText(answer));
        onChanged();
      }}
    >
      <p>
        Skipped tasks count as succeeded without running, and what depends on them continues. Running tasks
        are stopped. A retry undoes it.
      </p>
      <TextField label="Reason" value={reason} onChange={setReason} hint="Shown with the task." />
    </ConfirmDialog>
  );
}
