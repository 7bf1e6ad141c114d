import { ConfirmDialog } from '../../parts/dialog.tsx';
import { counted } from '../../parts/number-text.ts';
import { useService } from '../../state/service.tsx';
import { toasts } from '../../state/toasts.ts';
import { bulkOnTasks, formatBulkOutcome } from './bulk-tasks.ts';

/** Asks for a confirmation and cancels tasks. `ids` is called once, after the confirmation. */
export function CancelTasksDialog({
  count,
  ids,
  onChanged,
  onClose,
}: {
  count: number;
  ids: () => Promise<readonly string[]>;
  onChanged: () => void;
  onClose: () => void;
}) {
  const { rest } = useService();
  return (
    <ConfirmDialog
      title={`Cancel ${counted(count, 'task')}?`}
      action={count === 1 ? 'Cancel task' : 'Cancel tasks'}
      onClose={onClose}
      onConfirm={async () => {
        toasts.done(formatBulkOutcome('cancel', await bulkOnTasks(rest, 'cancel', await ids())));
        onChanged();
      }}
    >
      <p>Running tasks are stopped. Ended tasks do not change. You can retry canceled tasks later.</p>
    </ConfirmDialog>
  );
}
