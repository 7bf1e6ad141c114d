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
import { isLive } from './task-state.ts';

/** What can be done with a task. */
export function TaskActions({ task }: { task: Task }) {
  const { rest } = useService();
  const client = useQueryClient();
  const { why } = usePermissions();
  const [isAsking, setIsAsking] = useState(false);
  const [isBusy, setIsBusy] = useState(false);
  const { id, status } = task;
  const refresh = (): Promise<void> => client.invalidateQueries({ queryKey: ['tasks', 'one', id] });

  const cancel = async (): Promise<void> => {
    await rest.call('post', '/tasks/{id}/cancel', { path: { id } });
    await refresh();
  };
  const act = (deed: Promise<unknown>, what: string): void => {
    setIsBusy(true);
    deed.catch((error: unknown) => toasts.failed(error, what)).finally(() => setIsBusy(false));
  };
  const retry = async (): Promise<void> => {
    await rest.call('post', '/tasks/{id}/retry', { path: { id } });
    await refresh();
  };
  const canRetry = isRetriable(status);
  const noRetry = canRetry ? '' : 'Only a task that has failed or was canceled is tried again by hand.';
  const noCancel = hasTaskEnded(status) ? 'The task has ended.' : '';
  const forbidden = why('jobs.write');
  return (
    <>
      <CopyButton text={id} label="Copy the id of the task">
        Id
      </CopyButton>
      <CopyButton text={`${location.origin}/tasks/${encodeURIComponent(id)}`} label="Copy a link to the task">
        Link
      </CopyButton>
      <CopyButton
        text={`callsheet logs ${id} --follow --url ${rest.base}`}
        label="Copy the command that follows the log"
      >
        Command
      </CopyButton>
      <Button
        icon={<RotateCcw aria-hidden="true" />}
        look={canRetry ? 'primary' : 'plain'}
        isBusy={isBusy}
        disabledReason={forbidden === '' ? noRetry : forbidden}
        onPress={() => act(retry(), 'Retry the task')}
      >
        Retry
      </Button>
      <Button
        icon={<Ban aria-hidden="true" />}
        isBusy={isBusy}
        disabledReason={forbidden === '' ? noCancel : forbidden}
        // What runs is lost; what waits is had again with Retry.
        onPress={() => (isLive(status) ? setIsAsking(true) : act(cancel(), 'Cancel the task'))}
      >
        Cancel
      </Button>
      {isAsking && (
        <ConfirmDialog
          title="Cancel the task?"
          action="Cancel the task"
          onConfirm={cancel}
          onClose={() => setIsAsking(false)}
        >
          <p>
            {task.name} is stopped on its worker, and what it has done so far is lost. It can be tried again.
          </p>
        </ConfirmDialog>
      )}
    </>
  );
}
