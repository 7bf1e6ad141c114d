import { useQueryClient } from '@tanstack/react-query';
import { Ban, RotateCcw, SkipForward } from 'lucide-react';
import { useState } from 'react';
import type { Task } from '../../../client/resources.ts';
import { Button } from '../../parts/button.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { ConfirmDialog } from '../../parts/dialog.tsx';
import { hasTaskEnded, isRetriable } from '../../state/ended.ts';
import { useService } from '../../state/service.tsx';
import { toasts } from '../../state/toasts.ts';
import { usePermissions } from '../../state/use-permissions.ts';
import { taskIndexOf } from '../job/model/cells.ts';
import { retriedText } from '../job/model/retried-text.ts';
import { SkipDialog } from '../job/skip-dialog.tsx';
import { isLive } from './task-state.ts';

/** The actions on a task. */
export function TaskActions({ task }: { task: Task }) {
  const { why } = usePermissions();
  const { isBusy, reload, retry, cancel, confirmCancel, isAsking, closeDialog } = useTaskActions(task);
  const [isSkipping, setIsSkipping] = useState(false);
  const canRetry = isRetriable(task);
  const forbidden = why('jobs.write');
  return (
    <>
      <CopyActions id={task.id} />
      <Button
        icon={<RotateCcw aria-hidden="true" />}
        look={canRetry ? 'primary' : 'plain'}
        isBusy={isBusy}
        disabledReason={
          forbidden || (canRetry ? '' : 'Only failed, canceled or skipped tasks can be retried.')
        }
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
      <Button
        icon={<SkipForward aria-hidden="true" />}
        isBusy={isBusy}
        disabledReason={
          forbidden || (task.status === 'succeeded' ? 'The task has succeeded or is skipped.' : '')
        }
        onPress={() => setIsSkipping(true)}
      >
        Skip…
      </Button>
      {isSkipping && (
        <SkipDialog
          jobId={task.job_id}
          title="Skip task?"
          selection={selectionOf(task.id, task.step_id)}
          onChanged={reload}
          onClose={() => setIsSkipping(false)}
        />
      )}
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

/** Selects one task of its job. */
const selectionOf = (taskId: string, stepId: string) => ({
  step: stepId,
  index_range: String(taskIndexOf(taskId)?.index ?? 0),
});

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
  const reload = (): Promise<void> => client.invalidateQueries({ queryKey: ['tasks', 'one', id] });
  const request = async (action: 'retry' | 'cancel'): Promise<void> => {
    if (action === 'cancel') await rest.call('post', '/tasks/{id}/cancel', { path: { id } });
    else {
      const answer = await rest.call('post', '/tasks/{id}/retry', {
        path: { id },
        query: { with_dependents: true },
      });
      if (answer.retried > 1 || answer.dependents.length > 0) toasts.done(retriedText(answer));
    }
    await reload();
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
    reload: () => void reload(),
    closeDialog: () => setIsAsking(false),
    retry: () => run('retry'),
    // Canceling a task that no worker has loses no work, so it needs no confirmation.
    cancel: () => (isLive(status) ? setIsAsking(true) : run('cancel')),
    confirmCancel: () => request('cancel'),
  };
}
