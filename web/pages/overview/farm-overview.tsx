import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { Link } from 'wouter';
import type { Farm, FarmHistory, FarmWaiting } from '../../../client/resources.ts';
import { QueueName } from '../../parts/names.tsx';
import { Panel, Panels } from '../../parts/panel.tsx';
import { QueryProblem } from '../../parts/query-problem.tsx';
import { SkeletonLines } from '../../parts/skeleton.tsx';
import { TimeChart } from '../../parts/time-chart.tsx';
import { WhenVisible } from '../../parts/when-visible.tsx';
import { farmQueries } from '../../state/farm-queries.ts';
import { useService } from '../../state/service.tsx';
import { useNow } from '../../state/use-now.ts';
import { usePermissions } from '../../state/use-permissions.ts';
import { useRefresh } from '../../state/use-refresh.ts';
import { attentionOf } from './attention.ts';
import { AttentionPanel } from './attention-panel.tsx';
import { FailuresPanel } from './failures-panel.tsx';
import { farmCharts, RANGE_NAMES, RANGES, type RangeName } from './farm-series.ts';
import { FarmOutages } from './farm-outages.tsx';
import { FarmStats } from './farm-stats.tsx';
import { shareRows } from './share-rows.ts';
import { ShareTable } from './share-table.tsx';
import { WaitingPanel } from './waiting-panel.tsx';
import '../../parts/filter-chips.css';
import './farm-overview.css';

const HISTORY_MS = 15_000;
const WAITING_MS = 5_000;
/** Charts of a group share their cursor. */
const CHART_GROUP = 'farm';
const CHART_HEIGHT = 170;

interface FarmOverviewProps {
  farm: Farm;
  range: RangeName;
  onRange: (range: RangeName) => void;
}

/** The overview of a farm: its load, its waiting tasks, its failures and its throughput. */
export function FarmOverview({ isOpen, ...props }: FarmOverviewProps & { isOpen: boolean }) {
  const { rest } = useService();
  const { minutes, step } = RANGES[props.range];
  const start = useQuery({
    ...farmQueries.overview(rest, props.farm.id, minutes, step),
    enabled: isOpen,
  });
  return start.isPending ? (
    <SkeletonLines lines={8} label="Loading the overview" />
  ) : (
    <LoadedOverview {...props} />
  );
}

/** Its parts load themselves again. */
function LoadedOverview({ farm, range, onRange }: FarmOverviewProps) {
  const { rest } = useService();
  const { can } = usePermissions();
  const { minutes, step } = RANGES[range];
  const historyMs = useRefresh(HISTORY_MS);
  const waitingMs = useRefresh(WAITING_MS);
  const history = useQuery({
    ...farmQueries.history(rest, farm.id, minutes, step),
    refetchInterval: historyMs,
    enabled: can('infra.read'),
  });
  const waiting = useQuery({ ...farmQueries.waiting(rest, farm.id), refetchInterval: waitingMs });
  return (
    <>
      <FarmOutages farm={farm} />
      <FarmStats farm={farm} waiting={waiting.data} />
      <div className="farm-overview__range" role="group" aria-label="Time range">
        {RANGE_NAMES.map((name) => (
          <button
            key={name}
            type="button"
            className="filter-chip"
            aria-pressed={name === range}
            onClick={() => onRange(name)}
          >
            {RANGES[name].label}
          </button>
        ))}
      </div>
      {history.data !== undefined ? (
        <Charts history={history.data} farm={farm} minutes={minutes} step={step} />
      ) : history.error !== null ? (
        <QueryProblem error={history.error} what="the history" onRetry={() => void history.refetch()} />
      ) : (
        can('infra.read') && <SkeletonLines lines={8} label="Loading the history" />
      )}
      <Panels>
        <WaitingPanel
          farm={farm.id}
          waiting={waiting.data}
          error={waiting.error}
          onRetry={() => void waiting.refetch()}
        />
        {(!history.isPending || !can('infra.read')) && (
          // The page is short until the charts are drawn.
          <WhenVisible height={200}>
            <TroubledJobs farm={farm} waiting={waiting.data} />
          </WhenVisible>
        )}
      </Panels>
    </>
  );
}

/** The jobs that need attention, and the newest failures. They are loaded when the page is scrolled to them. */
function TroubledJobs({ farm, waiting }: { farm: Farm; waiting: FarmWaiting | undefined }) {
  const { rest } = useService();
  const now = useNow('half-minute');
  const { data: jobs, error, refetch } = useQuery(farmQueries.troubledJobs(rest, farm.id));
  const attention = useMemo(
    () => (jobs === undefined ? undefined : attentionOf(jobs, waiting?.groups ?? [], now)),
    [jobs, waiting, now],
  );
  return (
    <>
      <AttentionPanel items={attention} farm={farm.id} error={error} onRetry={() => void refetch()} />
      {jobs !== undefined && <FailuresPanel jobs={jobs} />}
    </>
  );
}

function Charts({
  history,
  farm,
  minutes,
  step,
}: {
  history: FarmHistory;
  farm: Farm;
  minutes: number;
  step: number;
}) {
  const charts = useMemo(() => farmCharts(history), [history]);
  const queues = useMemo(() => shareRows(history.queues, history.now?.queues ?? []), [history]);
  const owners = useMemo(() => shareRows(history.owners, history.now?.owners ?? []), [history]);
  const projects = useMemo(() => shareRows(history.projects, history.now?.projects ?? []), [history]);
  const inFarm = `farm=${encodeURIComponent(farm.id)}`;
  const chart = { times: charts.times, height: CHART_HEIGHT, group: CHART_GROUP, span: minutes * 60 };
  const throughputUnit = step === 1 ? 'tasks per minute' : `tasks per ${step} min`;
  return (
    <>
      <div className="farm-overview__charts">
        <Panel title="Cores">
          <TimeChart {...chart} label="Cores booked and online" series={charts.cores} unit="cores" />
        </Panel>
        <Panel title="Tasks">
          <TimeChart {...chart} label="Tasks running and ready" series={charts.tasks} unit="tasks" />
        </Panel>
        <Panel title="Throughput">
          <TimeChart
            {...chart}
            label="Finished tasks"
            series={charts.ended}
            unit={throughputUnit}
            isStacked
          />
        </Panel>
      </div>
      <div className="farm-overview__shares">
        <ShareTable
          title="By queue"
          what="Queue"
          rows={queues}
          name={(id) => (
            <Link href={`/jobs?${inFarm}&queue=${encodeURIComponent(id)}`}>
              <QueueName id={id} />
            </Link>
          )}
        />
        <ShareTable
          title="By owner"
          what="Owner"
          rows={owners}
          name={(owner) =>
            owner === '' ? (
              <span className="muted">no owner</span>
            ) : (
              <Link href={`/jobs?${inFarm}&owner=${encodeURIComponent(owner)}`}>{owner}</Link>
            )
          }
        />
        <ShareTable
          title="By project"
          what="Project"
          rows={projects}
          name={(project) =>
            project === '' ? (
              <span className="muted">no project</span>
            ) : (
              <Link href={`/jobs?${inFarm}&project=${encodeURIComponent(project)}`}>{project}</Link>
            )
          }
        />
      </div>
    </>
  );
}
