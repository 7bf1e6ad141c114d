import type { Worker, WorkerSummary } from '../../../client/resources.ts';
import type { RowWindow } from '../../parts/data-table/use-row-window.ts';
import { useService } from '../../state/service.tsx';
import type { ListState } from '../list/use-list-state.ts';
import { useLiveRows } from '../list/use-live-rows.ts';
import { usePageSummary } from '../list/use-page-summary.ts';
import { applyWorkerEvent, latestEvents } from './live-workers.ts';
import type { WorkerAction } from './worker-actions.ts';
import { listQuery, summaryQuery, type WorkerListView } from './worker-filters.ts';

/** Cores and heartbeats have no events of their own, so visible workers are loaded again at this interval. */
const CORES_MS = 3_000;

export interface WorkerList {
  readonly rows: RowWindow<Worker>;
  readonly summary: WorkerSummary | undefined;
}

/** Returns the workers of a view, live. */
export function useWorkerList(view: WorkerListView, state: ListState<Worker, WorkerAction>): WorkerList {
  const { rest } = useService();
  const query = listQuery(view);
  const { summary, keep } = usePageSummary<WorkerSummary>(['workers', 'list-summary', summaryQuery(view)]);
  const rows = useLiveRows<Worker, 'workers'>({
    key: ['workers', 'list', query],
    fetchPage: async (offset, limit, signal) => {
      const page = await rest.call('get', '/workers', {
        query: { ...query, summary: true, offset, limit },
        signal,
      });
      keep(page.summary);
      return page;
    },
    subject: 'workers',
    latestEvents,
    applyEvent: applyWorkerEvent,
    isAtRest: state.isAtRest,
    onRemoved: state.deselectRemoved,
    pollMs: CORES_MS,
  });
  return { rows, summary };
}
