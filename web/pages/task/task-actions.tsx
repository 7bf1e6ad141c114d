import { useQueryClient } from '@tanstack/react-query';
import { Ban, RotateCcw } from 'lucide-react';
import { useState } from 'react';
import type { Task } from '../../../client/resources.ts';
import { Button } from '../../parts/button.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { ConfirmDialog } from '../../parts/dialog.tsx';
import { hasTaskEnded, isRetriable } from '../../state/ended.ts';
import { useService } from '../../state/service.tsx';
import { toasts } from '../../state/toasts.ts';
import { usePermissions } from '../../state/use-permissions.ts';
import { retriedText } from '../job/model/retried-text.ts';
import { isLive } from './task-state.ts';

/** The actions on a task. */
export function TaskActions({ task }: { task: Task }) {
  const { why } = usePermissions();
  const { isBusy, retry, cancel, confirmCancel, isAsking, closeDialog } = useTaskActions(task);
  const canRetry = isRetriable(task.status);
  const forbidden = why('jobs.write');
  return (
    <>
      <CopyActions id={task.id} />
      <Button
        icon={<RotateCcw aria-hidden="true" />}
        look={canRetry ? 'primary' : 'plain'}
        isBusy={isBusy}
        disabledReason={forbidden || (canRetry ? '' : 'Only failed or canceled tasks can be retried.')}
        onPress={retry}
      >
        Retry
      </Button>
      <Button
        icon={<Ban aria-hidden="true" />}
        isBusy={isBusy}
        disabledReason={forbidden || (hasTaskEnded(task.status) ? 'The task has ended.' : '')}
        onPress={cancel}
      >
        Cancel
      </Button>
      {isAsking && (
        <ConfirmDialog
          title="Cancel task?"
          action="Cancel task"
          onConfirm={confirmCancel}
          onClose={closeDialog}
        >
          <p>{task.name} is stopped on its worker and its progress is lost. You can retry it later.</p>
        </ConfirmDialog>
      )}
    </>
  );
}

function CopyActions({ id }: { id: string }) {
  const { rest } = useService();
  return (
    <>
      <CopyButton text={id} label="Copy task ID">
        ID
      </CopyButton>
      <CopyButton text={`${location.origin}/tasks/${encodeURIComponent(id)}`} label="Copy link to task">
        Link
      </CopyButton>
      <CopyButton
        text={`callsheet logs ${id} --follow --url ${rest.base}`}
        label="Copy command that follows the log"
      >
        Command
      </CopyButton>
    </>
  );
}

function useTaskActions({ id, status }: Task) {
  const { rest } = useService();
  const client = useQueryClient();
  const [isAsking, setIsAsking] = useState(false);
  const [isBusy, setIsBusy] = useState(false);
  const request = async (action: 'retry' | 'cancel'): Promise<void> => {
    if (action === 'cancel') await rest.call('post', '/tasks/{id}/cancel', { path: { id } });
    else {
      const answer = await rest.call('post', '/tasks/{id}/retry', {
        path: { id },
        query: { with_dependents: true },
      });
      if (answer.retried > 1 || answer.dependents.length > 0) toasts.done(retriedText(answer));
    }
    await client.invalidateQueries({ queryKey: ['tasks', 'one', id] });
  };
  const run = (action: 'retry' | 'cancel'): void => {
    setIsBusy(true);
    request(action)
      .catch((error: unknown) => toasts.failed(error, `Could not ${action} the task`))
      .finally(() => setIsBusy(false));
  };
  return {
    isBusy,
    isAsking,
    closeDialog: () => setIsAsking(false),
    retry: () => run('retry'),
    // Canceling a task that no worker has loses no work, so it needs no confirmation.
    cancel: () => (isLive(status) ? setIsAsking(true) : run('cancel')),
    confirmCancel: () => request('cancel'),
  };
}
