import { useQuery } from '@tanstack/react-query';
import { Rows3 } from 'lucide-react';
import { useParams } from 'wouter';
import type { Queue } from '../../../client/resources.ts';
import { LinkButton } from '../../parts/button.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { FarmName } from '../../parts/names.tsx';
import { KeyValues } from '../../parts/key-values.tsx';
import { Page } from '../../parts/page.tsx';
import { Panel } from '../../parts/panel.tsx';
import { QueryProblem } from '../../parts/query-problem.tsx';
import { SkeletonLines } from '../../parts/skeleton.tsx';
import { RetryRuleList } from '../../parts/retry-rule-list.tsx';
import { Stat, Stats } from '../../parts/stat.tsx';
import { queries } from '../../state/queries.ts';
import { useService } from '../../state/service.tsx';
import { usePermissions } from '../../state/use-permissions.ts';
import { useRefresh } from '../../state/use-refresh.ts';
import { limitText } from '../catalog/scheduling-fields.ts';
import { QueueOnOpenBus } from '../queues/open-bus-notice.tsx';
import { PauseSwitch } from '../queues/pause-switch.tsx';
import { QueueJobs, QueueTasks } from '../queues/queue-load.tsx';
import { QueueEnvironments } from './queue-environments.tsx';
import { QueueUse } from './queue-use.tsx';

/** Time between two loads of the jobs and tasks of the queue, in milliseconds. */
const LOAD_MS = 5_000;
const CRUMBS = [{ label: 'Queues', href: '/queues' }];

/** The page of a queue: its settings in short, its load, its environments, and the cores that it books. */
export function QueuePage() {
  const { id = '' } = useParams<{ id: string }>();
  const { rest } = useService();
  const { data, error, refetch } = useQuery(queries.queues(rest));
  const queue = data?.find((each) => each.id === id);
  if (queue !== undefined) return <KnownQueue queue={queue} />;
  if (data !== undefined)
    return (
      <Page title="Queue" crumbs={CRUMBS}>
        <EmptyState
          title="Queue not found"
          icon={Rows3}
          actions={<LinkButton href="/queues">Show all queues</LinkButton>}
        >
          It may have been deleted.
        </EmptyState>
      </Page>
    );
  return (
    <Page title="Queue" crumbs={CRUMBS}>
      {error === null ? (
        <SkeletonLines lines={6} label="Loading the queue" />
      ) : (
        <QueryProblem error={error} what="the queue" onRetry={() => void refetch()} />
      )}
    </Page>
  );
}

function KnownQueue({ queue }: { queue: Queue }) {
  const { why } = usePermissions();
  const { id, name, description, priority, max_concurrent_tasks: limit, farm_id: farm } = queue;
  return (
    <Page
      title={name}
      crumbs={CRUMBS}
      actions={
        <>
          <LinkButton href={`/jobs?queue=${encodeURIComponent(id)}`}>Show jobs</LinkButton>
          {why('infra.manage') === '' && (
            <LinkButton href={`/queues?edit=${encodeURIComponent(id)}`}>Edit</LinkButton>
          )}
        </>
      }
    >
      <QueueOnOpenBus queue={queue} />
      {description !== '' && <p className="muted">{description}</p>}
      <Stats>
        <Stat label="Farm" value={<FarmName id={farm} />} />
        <Stat label="State" value={<PauseSwitch queue={queue} />} />
        <Stat label="Priority" value={priority.toLocaleString('en')} />
        <Stat label="Task limit" value={limit === 0 ? 'None' : limit.toLocaleString('en')} />
        {queue.owner_caps !== undefined && <Stat label="Owner limits" value={capsText(queue.owner_caps)} />}
        {queue.project_caps !== undefined && (
          <Stat label="Project limits" value={capsText(queue.project_caps)} />
        )}
        {queue.preempt_after_seconds !== undefined && (
          <Stat label="Preempts after" value={`${queue.preempt_after_seconds.toLocaleString('en')} s`} />
        )}
        {queue.preemptible === true && <Stat label="Preemptible" value="Yes" />}
      </Stats>
      <RetryRuleList rules={queue.retry_rules} version={queue.retry_rules_version} />
      <QueueLoad id={queue.id} />
      <QueueEnvironments queue={queue} />
      <QueueUse queue={queue} />
    </Page>
  );
}

/** `ana 20, each other 50`. */
const capsText = (caps: Readonly<Record<string, number>>): string =>
  Object.entries(caps)
    .map(([name, cap]) => `${name === '*' ? 'each other' : name || 'none'} ${limitText(cap)}`)
    .join(', ');

/** The jobs and tasks of the queue, live. */
function QueueLoad({ id }: { id: string }) {
  const { rest } = useService();
  const refetchInterval = useRefresh(LOAD_MS);
  const { data } = useQuery({
    ...queries.queueSummaries(rest),
    refetchInterval,
  });
  const queue = data?.find((each) => each.id === id);
  if (queue === undefined) return null;
  return (
    <Panel title="Load">
      <KeyValues
        facts={[
          ['Jobs', <QueueJobs key="jobs" queue={queue} />],
          ['Tasks', <QueueTasks key="tasks" queue={queue} />],
        ]}
      />
    </Panel>
  );
}
