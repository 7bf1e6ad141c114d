import { useQuery } from '@tanstack/react-query';
import { CircleOff, CirclePlay, Pause, RotateCcw, Server, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useLocation, useParams } from 'wouter';
import { ProblemError } from '../../../client/problem.ts';
import type { WorkerDetail } from '../../../client/resources.ts';
import { Button, LinkButton } from '../../parts/button.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { ConfirmDialog } from '../../parts/dialog.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Notice } from '../../parts/notice.tsx';
import { Page } from '../../parts/page.tsx';
import { Panels } from '../../parts/panel.tsx';
import { QueryProblem } from '../../parts/query-problem.tsx';
import { SkeletonLines } from '../../parts/skeleton.tsx';
import { queries } from '../../state/queries.ts';
import { useService } from '../../state/service.tsx';
import { ifVersion } from '../../state/if-match.ts';
import { toasts } from '../../state/toasts.ts';
import { useEvents } from '../../state/use-events.ts';
import { useFirstLoad } from '../../state/use-first-load.ts';
import { usePermissions } from '../../state/use-permissions.ts';
import { useRefresh } from '../../state/use-refresh.ts';
import { latestEvents } from '../workers/live-workers.ts';
import { DisableFailing, failingText } from '../workers/failing-worker.tsx';
import { useWorkerRetry } from '../workers/use-worker-retry.ts';
import { disabledReason } from '../workers/worker-actions.ts';
import { WorkerBadge } from '../workers/worker-marks.tsx';
import { CurrentTasks } from './current-tasks.tsx';
import { DisableDialog } from './disable-dialog.tsx';
import { WorkerCredentialPanel } from './worker-credential.tsx';
import { WorkerFacts } from './worker-facts.tsx';
import { WorkerFailures } from './worker-failures.tsx';
import { WorkerHours } from './worker-hours.tsx';
import { WorkerLog } from './worker-log.tsx';
import { QuarantineNotice, WorkerEvidence } from './worker-quarantine.tsx';
import { WorkerTimeline } from './worker-timeline.tsx';
import './worker-page.css';

/** Cores, tasks and heartbeat of a worker have no events of their own. */
const REFRESH_MS = 3_000;
const CRUMBS = [{ label: 'Workers', href: '/workers' }];

/** The page of a worker: its machine, its tasks, its failures and its log. */
export function WorkerPage() {
  const { id = '' } = useParams<{ id: string }>();
  // The key resets the state of the page, such as an open dialog, when the address changes to another worker.
  return <WorkerView key={id} id={id} />;
}

function WorkerView({ id }: { id: string }) {
  const { rest } = useService();
  const refetchInterval = useRefresh(REFRESH_MS);
  const { isOpen, began } = useFirstLoad(1);
  const { data, error, refetch } = useQuery({
    ...queries.worker(rest, id),
    refetchInterval,
    enabled: isOpen,
  });
  const [isRemoved, setIsRemoved] = useState(false);
  useEvents(
    'workers',
    (events) => {
      const { changed, removed } = latestEvents(events.map(({ payload }) => payload));
      if (removed.has(id)) setIsRemoved(true);
      if (changed.has(id)) {
        setIsRemoved(false);
        void refetch();
      }
    },
    (reason) => {
      if (reason === 'lost' || began()) void refetch({ cancelRefetch: reason === 'lost' });
    },
  );
  const isMissing = isRemoved || (error instanceof ProblemError && error.status === 404);
  if (isMissing)
    return (
      <Page title={data?.name ?? 'Worker'} crumbs={CRUMBS}>
        <EmptyState
          title={data === undefined ? 'Worker not found' : `${data.name} was deleted`}
          icon={Server}
          actions={<LinkButton href="/workers">Show all workers</LinkButton>}
        >
          {data === undefined || data.credential === null
            ? 'If you start the worker again, it registers as a new worker with another ID.'
            : 'Its credential is revoked. Start the worker with a new join token to add the machine again.'}
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
  const failing = failingText(worker);
  return (
    <Page
      title={worker.name}
      crumbs={CRUMBS}
      beside={
        <>
          <WorkerBadge worker={worker} />
          <CopyButton text={worker.id} label="Copy worker ID" />
        </>
      }
      actions={<WorkerActions worker={worker} onChanged={onChanged} />}
    >
      <QuarantineNotice worker={worker} onChanged={onChanged} />
      {failing !== null && (
        <Notice kind="warning" title={failing} detail="The cause is probably the worker, not the jobs.">
          <DisableFailing worker={worker} onChanged={onChanged} />
        </Notice>
      )}
      <Panels>
        <WorkerFacts worker={worker} />
        <WorkerHours worker={worker} />
        <CurrentTasks worker={worker} />
        <WorkerTimeline worker={worker} />
        {worker.credential !== null && (
          <WorkerCredentialPanel worker={worker} credential={worker.credential} onChanged={onChanged} />
        )}
        <WorkerFailures worker={worker} onChanged={onChanged} />
        <WorkerEvidence worker={worker} />
        {can('diagnostics.read') && <WorkerLog id={worker.id} />}
      </Panels>
    </Page>
  );
}

function WorkerActions({ worker, onChanged }: { worker: WorkerDetail; onChanged: () => void }) {
  const { why } = usePermissions();
  const [isDeleting, setIsDeleting] = useState(false);
  const [isStopping, setIsStopping] = useState(false);
  const [isBusy, toggle] = useToggle(worker, onChanged);
  const retryFailed = useWorkerRetry();
  const isDisabled = worker.status === 'disabled';
  const forbidden = why('workers.manage');
  return (
    <>
      <Button
        icon={<RotateCcw aria-hidden="true" />}
        disabledReason={
          worker.failed_attempts === 0 ? 'No task has failed on this worker.' : why('jobs.write')
        }
        title="Retries the failed tasks of all jobs whose last attempt was on this worker"
        onPress={() => retryFailed(worker)}
      >
        Retry failed tasks
      </Button>
      <Button
        icon={isDisabled ? <CirclePlay aria-hidden="true" /> : <Pause aria-hidden="true" />}
        isBusy={isBusy}
        disabledReason={forbidden}
        title={
          isDisabled ? 'Takes tasks again' : 'Takes no new tasks and finishes its current ones (draining)'
        }
        onPress={() => void toggle()}
      >
        {isDisabled ? 'Enable' : 'Disable'}
      </Button>
      {(!isDisabled || worker.current_task_count > 0) && (
        <Button
          icon={<CircleOff aria-hidden="true" />}
          disabledReason={forbidden}
          title="Stops its tasks at once; they run elsewhere"
          onPress={() => setIsStopping(true)}
        >
          Stop tasks and disable…
        </Button>
      )}
      <Button
        look="danger"
        icon={<Trash2 aria-hidden="true" />}
        disabledReason={forbidden || disabledReason('delete', worker)}
        onPress={() => setIsDeleting(true)}
      >
        Delete…
      </Button>
      {isStopping && (
        <DisableDialog worker={worker} onChanged={onChanged} onClose={() => setIsStopping(false)} />
      )}
      {isDeleting && <DeleteDialog worker={worker} onClose={() => setIsDeleting(false)} />}
    </>
  );
}

/** Returns a function that enables a disabled worker and disables any other. */
function useToggle(
  worker: WorkerDetail,
  onChanged: () => void,
): readonly [isBusy: boolean, toggle: () => Promise<void>] {
  const { rest } = useService();
  const [isBusy, setIsBusy] = useState(false);
  const { id, name, settings_version: version } = worker;
  const action = worker.status === 'disabled' ? 'enable' : 'disable';
  const toggle = async (): Promise<void> => {
    setIsBusy(true);
    try {
      await ifVersion(rest, version).call('post', `/workers/{id}/${action}`, { path: { id } });
      toasts.done(`${name} ${action}d`, action === 'enable' ? '' : currentTasksText(worker));
    } catch (error) {
      toasts.failed(error, `Could not ${action} ${name}`);
    }
    onChanged();
    setIsBusy(false);
  };
  return [isBusy, toggle];
}

function DeleteDialog({
  worker: { id, name, credential },
  onClose,
}: {
  worker: WorkerDetail;
  onClose: () => void;
}) {
  const { rest } = useService();
  const [, navigate] = useLocation();
  return (
    <ConfirmDialog
      title={`Delete worker ${name}?`}
      action="Delete worker"
      onClose={onClose}
      onConfirm={async () => {
        await rest.call('delete', '/workers/{id}', { path: { id } });
        toasts.done(`${name} deleted`);
        navigate('/workers');
      }}
    >
      <p>
        {credential === null
          ? 'Deletes the worker and its failure counts. It registers as a new worker when you start it again.'
          : 'Deletes the worker and its failure counts, and revokes its credential. It needs a new join token to register again.'}
      </p>
    </ConfirmDialog>
  );
}

function currentTasksText({ current_task_count: count }: WorkerDetail): string {
  if (count === 0) return '';
  return count === 1 ? 'It finishes its current task.' : `It finishes its ${count} current tasks.`;
}
