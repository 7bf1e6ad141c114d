import { useQuery } from '@tanstack/react-query';
import { Gauge } from 'lucide-react';
import { useMemo } from 'react';
import { Link, useParams } from 'wouter';
import { ProblemError } from '../../../client/problem.ts';
import type { PoolHolder, PoolWaiter, UsagePool, UsagePoolUse } from '../../../client/resources.ts';
import { LinkButton } from '../../parts/button.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { UseMeter } from '../../parts/meter.tsx';
import { Notice } from '../../parts/notice.tsx';
import { counted } from '../../parts/number-text.ts';
import { Page } from '../../parts/page.tsx';
import { Panel, Panels } from '../../parts/panel.tsx';
import { QueryProblem } from '../../parts/query-problem.tsx';
import { RetryRuleList } from '../../parts/retry-rule-list.tsx';
import { ShortTable, type ShortColumn } from '../../parts/short-table.tsx';
import { SkeletonLines } from '../../parts/skeleton.tsx';
import { Stat, Stats } from '../../parts/stat.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { TimeChart } from '../../parts/time-chart.tsx';
import { Ago } from '../../parts/time.tsx';
import { queries } from '../../state/queries.ts';
import { useService } from '../../state/service.tsx';
import { useFirstLoad } from '../../state/use-first-load.ts';
import { useInvalidateOnEvents } from '../../state/use-invalidate-on-events.ts';
import { useNow } from '../../state/use-now.ts';
import { usePermissions } from '../../state/use-permissions.ts';
import { useRefresh } from '../../state/use-refresh.ts';
import { MeasuredNotices, MeasuredStat } from './measured-slots.tsx';
import { poolSeries } from './pool-series.ts';

/** Tasks have no events of their own. */
const REFRESH_MS = 3_000;
const EVENTS_MS = 1_000;
const SPAN_SECONDS = 3_600;
const CHART_HEIGHT = 200;
const CRUMBS = [{ label: 'Usage pools', href: '/usage-pools' }];
/** Sentences about pools of which not each task takes one slot. */
const COUNTS_TEXTS: Readonly<Record<NonNullable<UsagePool['counts']>, string>> = {
  amounts: 'A task takes as many slots as its step requires.',
  hosts: 'A machine takes one slot, however many tasks it runs.',
};

/** Waiting steps that are listed. */
const WAITERS_SHOWN = 20;

/** The page of a usage pool: its slots, the tasks that hold them, and those that wait for them. */
export function UsagePoolPage() {
  const { id = '' } = useParams<{ id: string }>();
  const { rest } = useService();
  const refetchInterval = useRefresh(REFRESH_MS);
  const { isOpen, began } = useFirstLoad(1);
  const { data, error, refetch } = useQuery({
    ...queries.usagePoolUse(rest, id),
    refetchInterval,
    enabled: isOpen,
  });
  useInvalidateOnEvents('jobs', [['usage-pools', id]], EVENTS_MS, began);
  if (data !== undefined && error === null) return <KnownPool use={data} />;
  if (error instanceof ProblemError && error.status === 404)
    return (
      <Page title="Usage pool" crumbs={CRUMBS}>
        <EmptyState
          title="Usage pool not found"
          icon={Gauge}
          actions={<LinkButton href="/usage-pools">Show all usage pools</LinkButton>}
        >
          It may have been deleted.
        </EmptyState>
      </Page>
    );
  return (
    <Page title="Usage pool" crumbs={CRUMBS}>
      {error === null ? (
        <SkeletonLines lines={8} label="Loading the usage pool" />
      ) : (
        <QueryProblem error={error} what="the usage pool" onRetry={() => void refetch()} />
      )}
    </Page>
  );
}

function KnownPool({ use }: { use: UsagePoolUse }) {
  const { why } = usePermissions();
  const { pool, holders, waiting, waiting_tasks: waitingTasks } = use;
  const slots = pool.effective_slots ?? pool.max_concurrent;
  const hidden = pool.in_use - holders.length;
  const shown = waiting.slice(0, WAITERS_SHOWN);
  const isCut = use.is_partial || waiting.length > shown.length;
  return (
    <Page
      title={pool.name}
      crumbs={CRUMBS}
      actions={
        why('infra.manage') === '' && (
          <LinkButton href={`/usage-pools?edit=${encodeURIComponent(pool.id)}`}>Edit</LinkButton>
        )
      }
    >
      {pool.server_hint !== undefined && <p className="muted">{pool.server_hint}</p>}
      {pool.counts !== undefined && <p className="muted">{COUNTS_TEXTS[pool.counts]}</p>}
      {pool.hold !== undefined && (
        <Notice
          kind="warning"
          title={`Held back until ${new Date(pool.hold.until).toLocaleTimeString('en')}`}
          detail={`No task that requires the pool starts before that: ${pool.hold.reason}.`}
        />
      )}
      <MeasuredNotices pool={pool} />
      {pool.in_use > pool.max_concurrent && (
        <Notice
          kind="warning"
          title={`${counted(pool.in_use - pool.max_concurrent, 'slot')} more in use than there are`}
          detail="The pool was made smaller while tasks held its slots. They keep them until they end."
        />
      )}
      <Stats>
        <Stat
          label="Slots in use"
          value={`${pool.in_use.toLocaleString('en')} of ${slots.toLocaleString('en')}`}
          note={<UseMeter used={pool.in_use} total={slots} unit="slots" />}
        />
        <MeasuredStat pool={pool} />
        <Stat label="Free" value={pool.available.toLocaleString('en')} note="slots" />
        <Stat
          label="Waiting"
          value={waitingTasks.toLocaleString('en')}
          note={waitingTasks === 1 ? 'ready task requires the pool' : 'ready tasks require the pool'}
        />
      </Stats>
      <Panels>
        <Panel
          title="Tasks that hold slots"
          beside={<span className="muted number">{holders.length.toLocaleString('en')}</span>}
          isWide
        >
          {holders.length > 0 && (
            <ShortTable
              label="Tasks that hold slots"
              columns={HOLDERS}
              rows={holders}
              rowId={({ task_id: task }) => task}
            />
          )}
          {hidden > 0 && (
            <p className="muted">
              {`${counted(hidden, 'slot')} held by tasks that are not listed: of jobs that you may not see, or past the first ${HOLDERS_MAX}.`}
            </p>
          )}
          {pool.in_use === 0 && holders.length === 0 && <p className="muted">All slots are free.</p>}
        </Panel>
        <Panel
          title="Waiting steps, in order"
          beside={<span className="muted number">{counted(waitingTasks, 'task')}</span>}
        >
          {shown.length > 0 ? (
            <ShortTable
              label="Waiting steps"
              columns={WAITERS}
              rows={shown}
              rowId={({ step_id: step }) => step}
            />
          ) : (
            <p className="muted">No ready task requires the pool.</p>
          )}
          {isCut && <p className="muted">Not all of them are listed.</p>}
        </Panel>
        <PoolHistory use={use} />
        <RetryRuleList rules={pool.retry_rules} version={pool.retry_rules_version} />
      </Panels>
    </Page>
  );
}

/** The largest number of holders that the server lists. */
const HOLDERS_MAX = 200;

const HOLDERS: readonly ShortColumn<PoolHolder>[] = [
  {
    header: 'Task',
    cell: (holder) => <Link href={`/tasks/${encodeURIComponent(holder.task_id)}`}>{holder.task_name}</Link>,
  },
  {
    header: 'Job',
    cell: (holder) => <Link href={`/jobs/${encodeURIComponent(holder.job_id)}`}>{holder.job_name}</Link>,
  },
  {
    header: 'Worker',
    cell: (holder) => (
      <Link href={`/workers/${encodeURIComponent(holder.worker_id)}`}>{holder.worker_name}</Link>
    ),
  },
  {
    header: 'Status',
    cell: ({ status }) => <StatusBadge kind="task" status={status} />,
    isMinor: true,
  },
  { header: 'Since', align: 'end', cell: ({ since }) => <Ago iso={since} /> },
];

const WAITERS: readonly ShortColumn<PoolWaiter>[] = [
  {
    header: 'Job',
    cell: (waiter) => <Link href={`/jobs/${encodeURIComponent(waiter.job_id)}`}>{waiter.job_name}</Link>,
  },
  { header: 'Step', cell: ({ step_name: step }) => step, isMinor: true },
  { header: 'Ready tasks', align: 'end', cell: ({ tasks }) => tasks.toLocaleString('en') },
];

function PoolHistory({ use }: { use: UsagePoolUse }) {
  const { history, pool } = use;
  const now = useNow('half-minute');
  const chart = useMemo(() => poolSeries(history, pool, now), [history, pool, now]);
  return (
    <Panel title="Slots in use, last hour">
      <TimeChart
        label="Slots in use in the last hour, since the start of the server at most"
        unit="slots"
        span={SPAN_SECONDS}
        height={CHART_HEIGHT}
        {...chart}
      />
      <p className="muted">One value a minute, since the server was started, and that of now.</p>
    </Panel>
  );
}
