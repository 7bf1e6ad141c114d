import { useQuery } from '@tanstack/react-query';
import { CirclePlay, Pause, RotateCcw, Server, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useLocation, useParams } from 'wouter';
import { ProblemError } from '../../../client/problem.ts';
import type { WorkerDetail } from '../../../client/resources.ts';
import { Button, LinkButton } from '../../parts/button.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { ConfirmDialog } from '../../parts/dialog.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Page } from '../../parts/page.tsx';
import { Panels } from '../../parts/panel.tsx';
import { QueryProblem } from '../../parts/query-problem.tsx';
import { SkeletonLines } from '../../parts/skeleton.tsx';
import { queries } from '../../state/queries.ts';
import { useService } from '../../state/service.tsx';
import { toasts } from '../../state/toasts.ts';
import { useEvents } from '../../state/use-events.ts';
import { usePermissions } from '../../state/use-permissions.ts';
import { useRefresh } from '../../state/use-refresh.ts';
import { latestEvents } from '../workers/live-workers.ts';
import { useWorkerRetry } from '../workers/use-worker-retry.ts';
import { disabledReason } from '../workers/worker-actions.ts';
import { WorkerBadge } from '../workers/worker-marks.tsx';
import { CurrentTasks } from './current-tasks.tsx';
import { WorkerFacts } from './worker-facts.tsx';
import { WorkerFailures } from './worker-failures.tsx';
import { WorkerHours } from './worker-hours.tsx';
import { WorkerLog } from './worker-log.tsx';
import './worker-page.css';

/** Its cores, tasks and heartbeat have no events of their own. */
const EVERY_MS = 3_000;
const CRUMBS = [{ label: 'Workers', href: '/workers' }];

/** One worker: what it is, what it does, and what has failed on it. */
export function WorkerPage() {
  const { id = '' } = useParams<{ id: string }>();
  // Of another worker nothing is kept: that one was deleted, or is about to be, is not said of the next.
  return <WorkerView key={id} id={id} />;
}

function WorkerView({ id }: { id: string }) {
  const { rest } = useService();
  const refetchInterval = useRefresh(EVERY_MS);
  const { data, error, refetch } = useQuery({ ...queries.worker(rest, id), refetchInterval });
  const [isRemoved, setIsRemoved] = useState(false);
  useEvents(
    'workers',
    (events) => {
      const { changed, gone } = latestEvents(events.map(({ payload }) => payload));
      if (gone.has(id)) setIsRemoved(true);
      if (changed.has(id)) {
        setIsRemoved(false);
        void refetch();
      }
    },
    (reason) => void refetch({ cancelRefetch: reason === 'lost' }),
  );
  const isMissing = isRemoved || (error instanceof ProblemError && error.status === 404);
  if (isMissing)
    return (
      <Page title={data?.name ?? 'Worker'} crumbs={CRUMBS}>
        <EmptyState
          title={data === undefined ? 'There is no such worker' : `${data.name} has been deleted`}
          icon={Server}
          actions={<LinkButton href="/workers">All workers</LinkButton>}
        >
          A worker that comes back registers as a new one, with another id.
        </EmptyState>
      </Page>
    );
  if (data === undefined)
    return (
      <Page title="Worker" crumbs={CRUMBS}>
        {error === null ? (
          <SkeletonLines lines={10} label="Loading the worker" />
        ) : (
          <QueryProblem error={error} what="the worker" onRetry={() => void refetch()} />
        )}
      </Page>
    );
  return <KnownWorker worker={data} onChanged={() => void refetch()} />;
}

function KnownWorker({ worker, onChanged }: { worker: WorkerDetail; onChanged: () => void }) {
  const { can } = usePermissions();
  return (
    <Page
      title={worker.name}
      crumbs={CRUMBS}
      beside={
        <>
          <WorkerBadge worker={worker} />
          <CopyButton text={worker.id} label="Copy the id of the worker" />
        </>
      }
      actions={<WorkerActions worker={worker} onChanged={onChanged} />}
    >
      <Panels>
        <WorkerFacts worker={worker} />
        <WorkerHours worker={worker} />
        <CurrentTasks worker={worker} />
        <WorkerFailures worker={worker} onChanged={onChanged} />
        {can('diagnostics.read') && <WorkerLog id={worker.id} />}
      </Panels>
    </Page>
  );
}

function WorkerActions({ worker, onChanged }: { worker: WorkerDetail; onChanged: () => void }) {
  const { rest } = useService();
  const { why } = usePermissions();
  const [, navigate] = useLocation();
  const [isDeleting, setIsDeleting] = useState(false);
  const [isBusy, setIsBusy] = useState(false);
  const retryFailed = useWorkerRetry();
  const { id, name } = worker;
  const isDisabled = worker.status === 'disabled';
  const forbidden = why('workers.manage');

  const toggle = async (): Promise<void> => {
    setIsBusy(true);
    try {
      await rest.call('post', isDisabled ? '/workers/{id}/enable' : '/workers/{id}/disable', {
        path: { id },
      });
      toasts.done(
        isDisabled ? `${name} is enabled` : `${name} is disabled`,
        isDisabled ? '' : heldText(worker),
      );
      onChanged();
    } catch (error) {
      toasts.failed(error, isDisabled ? `Enable ${name}` : `Disable ${name}`);
    }
    setIsBusy(false);
  };
  return (
    <>
      <Button
        icon={<RotateCcw aria-hidden="true" />}
        disabledReason={worker.failed_attempts === 0 ? 'Nothing has failed on it.' : why('jobs.write')}
        title="Tasks of any job that have failed, and were tried here last"
        onPress={() => retryFailed(worker)}
      >
        Retry what failed here
      </Button>
      <Button
        icon={isDisabled ? <CirclePlay aria-hidden="true" /> : <Pause aria-hidden="true" />}
        isBusy={isBusy}
        disabledReason={forbidden}
        title={
          isDisabled
            ? 'It gets tasks again'
            : 'It gets no more tasks, and brings to their end what it holds: it drains'
        }
        onPress={() => void toggle()}
      >
        {isDisabled ? 'Enable' : 'Disable'}
      </Button>
      <Button
        look="danger"
        icon={<Trash2 aria-hidden="true" />}
        disabledReason={forbidden === '' ? disabledReason('delete', worker) : forbidden}
        onPress={() => setIsDeleting(true)}
      >
        Delete…
      </Button>
      {isDeleting && (
        <ConfirmDialog
          title={`Delete the worker ${name}?`}
          action="Delete the worker"
          onClose={() => setIsDeleting(false)}
          onConfirm={async () => {
            await rest.call('delete', '/workers/{id}', { path: { id } });
            toasts.done(`${name} is deleted`);
            navigate('/workers');
          }}
        >
          <p>
            Its entry goes, with the count of its failures. When it is started again it registers as a new
            worker.
          </p>
        </ConfirmDialog>
      )}
    </>
  );
}

function heldText({ current_task_count: held }: WorkerDetail): string {
  if (held === 0) return '';
  return held === 1 ? 'It brings its task to the end.' : `It brings its ${held} tasks to their end.`;
}
