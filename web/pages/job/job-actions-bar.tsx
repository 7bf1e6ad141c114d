import { useQuery } from '@tanstack/react-query';
import {
  ArrowRightLeft,
  Ban,
  Bug,
  CopyPlus,
  ListRestart,
  Pause,
  Play,
  RotateCcw,
  Trash2,
} from 'lucide-react';
import { useState } from 'react';
import { useLocation } from 'wouter';
import type { JobDetail } from '../../../client/resources.ts';
import { Button, SubmitButton } from '../../parts/button.tsx';
import { copyItem } from '../../parts/copy-item.tsx';
import { counted } from '../../parts/number-text.ts';
import { ConfirmDialog, Dialog } from '../../parts/dialog.tsx';
import { SelectField } from '../../parts/field.tsx';
import { ActionMenu, type ActionItem } from '../../parts/menu.tsx';
import { Notice } from '../../parts/notice.tsx';
import { queries } from '../../state/queries.ts';
import { useService } from '../../state/service.tsx';
import { explained, toasts } from '../../state/toasts.ts';
import { usePermissions } from '../../state/use-permissions.ts';
import { disabledReason, type JobAction } from '../jobs/job-actions.ts';
import { RetryDialog } from './retry-dialog.tsx';
import { useJobAction } from './use-job-action.ts';

type Asked = 'cancel' | 'delete' | 'move' | 'retry' | null;

/** What can be done with the job: what is wanted most as buttons, all else in the menu. */
export function JobActions({ job, onChanged }: { job: JobDetail; onChanged: () => void }) {
  const { rest } = useService();
  const { why } = usePermissions();
  const [, navigate] = useLocation();
  const [asked, setAsked] = useState<Asked>(null);
  const [isBusy, run] = useJobAction(onChanged);
  const path = { id: job.id };
  const off = (action: JobAction): string => why('jobs.write') || disabledReason(action, job);
  const isPaused = job.status === 'paused';
  const toggle = (): void =>
    run(isPaused ? 'Resume the job' : 'Pause the job', async () => {
      await rest.call('patch', '/jobs/{id}', { path, body: { action: isPaused ? 'resume' : 'pause' } });
      return isPaused ? 'The job goes on' : 'The job is paused';
    });
  const retryAll = (): void =>
    run('Retry the job', async () => {
      const { retried } = await rest.call('post', '/jobs/{id}/retry', { path });
      return `${counted(retried, 'task is', 'tasks are')} tried again`;
    });
  const items: readonly ActionItem[] = [
    {
      id: 'retry',
      label: 'Retry…',
      icon: <ListRestart aria-hidden="true" />,
      disabledReason: off('retry'),
      act: () => setAsked('retry'),
    },
    {
      id: 'move',
      label: 'Move to queue…',
      icon: <ArrowRightLeft aria-hidden="true" />,
      disabledReason: off('move'),
      act: () => setAsked('move'),
    },
    {
      id: 'again',
      label: 'Submit again with changes',
      icon: <CopyPlus aria-hidden="true" />,
      disabledReason: why('jobs.write'),
      act: () => navigate(`/submit?from=${encodeURIComponent(job.id)}`),
    },
    copyItem('link', `${location.origin}/jobs/${job.id}`, true),
    copyItem('command', `callsheet job ${job.id} --url ${rest.base}`),
    copyItem('curl', `curl ${rest.url('/jobs/{id}', { path }).href}`),
    {
      id: 'delete',
      label: 'Delete…',
      icon: <Trash2 aria-hidden="true" />,
      isDanger: true,
      startsGroup: true,
      disabledReason: off('delete'),
      act: () => setAsked('delete'),
    },
  ];
  const close = (): void => setAsked(null);
  return (
    <>
      {job.failure_summary.failed_count > 0 && <FirstFailure job={job} />}
      <Button
        icon={<RotateCcw aria-hidden="true" />}
        disabledReason={off('retry')}
        isBusy={isBusy}
        title="Tries all failed and canceled tasks again"
        onPress={retryAll}
      >
        Retry failed
      </Button>
      <Button
        icon={isPaused ? <Play aria-hidden="true" /> : <Pause aria-hidden="true" />}
        disabledReason={off(isPaused ? 'resume' : 'pause')}
        isBusy={isBusy}
        onPress={toggle}
      >
        {isPaused ? 'Resume' : 'Pause'}
      </Button>
      <Button
        icon={<Ban aria-hidden="true" />}
        disabledReason={off('cancel')}
        isBusy={isBusy}
        onPress={() => setAsked('cancel')}
      >
        Cancel…
      </Button>
      <ActionMenu label="More actions" items={items} />
      {asked === 'retry' && <RetryDialog job={job} onChanged={onChanged} onClose={close} />}
      {asked === 'move' && <MoveDialog job={job} onChanged={onChanged} onClose={close} />}
      {asked === 'cancel' && (
        <ConfirmDialog
          title={`Cancel ${job.name}?`}
          action="Cancel the job"
          onClose={close}
          onConfirm={async () => {
            await rest.call('post', '/jobs/{id}/cancel', { path });
            toasts.done(`${job.name} is canceled`);
            onChanged();
          }}
        >
          <p>
            {activeCount(job)} stopped, and nothing more of it is begun. Canceled tasks can be tried again
            later.
          </p>
        </ConfirmDialog>
      )}
      {asked === 'delete' && (
        <ConfirmDialog
          title={`Delete ${job.name}?`}
          action="Delete the job"
          onClose={close}
          onConfirm={async () => {
            await rest.call('delete', '/jobs/{id}', { path });
            toasts.done(`${job.name} is deleted`);
            navigate('/jobs');
          }}
        >
          <p>
            {activeCount(job)} stopped. All {job.task_counts.total.toLocaleString('en')} tasks, their attempts
            and logs are removed with the job, and jobs that wait for it are canceled:{' '}
            <strong>this cannot be undone.</strong>
          </p>
        </ConfirmDialog>
      )}
    </>
  );
}

function activeCount({ task_counts: { running, assigned } }: JobDetail): string {
  const active = running + assigned;
  if (active === 0) return 'Nothing runs: nothing is';
  return active === 1 ? 'The task that runs is' : `The ${active.toLocaleString('en')} tasks that run are`;
}

/** Leads to the task that failed first, with its log. */
function FirstFailure({ job }: { job: JobDetail }) {
  const { rest } = useService();
  const [, navigate] = useLocation();
  const [isBusy, setIsBusy] = useState(false);
  const show = async (): Promise<void> => {
    setIsBusy(true);
    try {
      const { items } = await rest.call('get', '/jobs/{id}/tasks', {
        path: { id: job.id },
        query: { status: 'failed', sort_by: 'updated_at', sort_dir: 'asc', limit: 1 },
      });
      const [first] = items;
      if (first !== undefined) navigate(`/tasks/${first.id}`);
    } catch (error) {
      toasts.failed(error, 'Find the first failure');
    } finally {
      setIsBusy(false);
    }
  };
  return (
    <Button icon={<Bug aria-hidden="true" />} isBusy={isBusy} onPress={() => void show()}>
      First failure
    </Button>
  );
}

function MoveDialog({
  job,
  onChanged,
  onClose,
}: {
  job: JobDetail;
  onChanged: () => void;
  onClose: () => void;
}) {
  const { rest } = useService();
  const { data = [] } = useQuery(queries.queues(rest));
  const offered = data.filter(({ id, farm_id: farm }) => farm === job.farm_id && id !== job.queue_id);
  const [queue, setQueue] = useState('');
  const [error, setError] = useState<unknown>(null);
  const move = async (): Promise<void> => {
    if (queue === '') return;
    setError(null);
    try {
      await rest.call('patch', '/jobs/{id}', { path: { id: job.id }, body: { queue_id: queue } });
      toasts.done(`${job.name} is moved`);
      onChanged();
      onClose();
    } catch (reason) {
      setError(reason);
    }
  };
  return (
    <Dialog
      title={`Move ${job.name} to another queue`}
      onClose={onClose}
      onSubmit={() => void move()}
      foot={
        <>
          <Button onPress={onClose}>Keep</Button>
          <SubmitButton disabledReason={queue === '' ? 'Choose a queue.' : ''}>Move</SubmitButton>
        </>
      }
    >
      <SelectField
        label="Queue"
        hint="A job stays in its farm."
        value={queue}
        onChange={setQueue}
        none={offered.length === 0 ? 'The farm has no other queue' : 'Choose a queue'}
        choices={offered.map(({ id, name }) => ({ value: id, label: name }))}
      />
      {error !== null && <Notice kind="danger" {...explained(error)} />}
    </Dialog>
  );
}
