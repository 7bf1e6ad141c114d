import { useQuery } from '@tanstack/react-query';
import type { Worker, WorkerSummary } from '../../../client/resources.ts';
import type { RowWindow } from '../../parts/data-table/use-row-window.ts';
import { farmQueries } from '../../state/farm-queries.ts';
import { useService } from '../../state/service.tsx';
import type { ListState } from '../list/use-list-state.ts';
import { useLiveRows } from '../list/use-live-rows.ts';
import { applyWorkerEvent, latestEvents } from './live-workers.ts';
import type { WorkerAction } from './worker-actions.ts';
import { listQuery, summaryQuery, type WorkerListView } from './worker-filters.ts';

/** Cores and heartbeats have no events of their own, so visible workers are loaded again at this interval. */
const CORES_MS = 3_000;
const SUMMARY_MS = 1_500;

export interface WorkerList {
  readonly rows: RowWindow<Worker>;
  readonly summary: WorkerSummary | undefined;
}

/** Returns the workers of a view, live. */
export function useWorkerList(view: WorkerListView, state: ListState<Worker, WorkerAction>): WorkerList {
  const { rest } = useService();
  const query = listQuery(view);
  const summary = useQuery(farmQueries.workerSummary(rest, summaryQuery(view)));
  const rows = useLiveRows<Worker, 'workers'>({
    key: ['workers', 'list', query],
    fetchPage: (offset, limit, signal) =>
      rest.call('get', '/workers', { query: { ...query, offset, limit }, signal }),
    subject: 'workers',
    latestEvents,
    applyEvent: applyWorkerEvent,
    isAtRest: state.isAtRest,
    onRemoved: state.deselectRemoved,
    refetchSummary: () => void summary.refetch(),
    summaryMs: SUMMARY_MS,
    pollMs: CORES_MS,
  });
  return { rows, summary: summary.data };
}
