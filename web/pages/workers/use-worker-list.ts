import { useQuery } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useRef } from 'react';
import type { Worker, WorkerSummary } from '../../../client/resources.ts';
import { useRowWindow, type RowWindow } from '../../parts/data-table/use-row-window.ts';
import { farmQueries } from '../../state/farm-queries.ts';
import { liveUpdates } from '../../state/live-updates.ts';
import { useService } from '../../state/service.tsx';
import { useEvents } from '../../state/use-events.ts';
import { latestEvents, workerAfter } from './live-workers.ts';
import { listQuery, summaryQuery, type WorkerListView } from './worker-filters.ts';

/** Cores and heartbeats have no events of their own: workers that are looked at are asked for again so often. */
const CORES_MS = 3_000;
/** The sums are asked for no oftener. */
const SUMMARY_MS = 1_500;

export interface WorkerList {
  readonly rows: RowWindow<Worker>;
  readonly summary: WorkerSummary | undefined;
}

/** The workers of a view, live: their status at once, the rest some seconds later. */
export function useWorkerList(
  view: WorkerListView,
  isAtRest: boolean,
  onGone: (ids: readonly string[]) => void,
): WorkerList {
  const { rest } = useService();
  const query = listQuery(view);
  const rows = useRowWindow<Worker>({
    key: ['workers', 'list', query],
    fetchPage: (offset, limit, signal) =>
      rest.call('get', '/workers', { query: { ...query, offset, limit }, signal }),
  });
  const summary = useQuery(farmQueries.workerSummary(rest, summaryQuery(view)));
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const { refetch } = summary;

  const catchUp = (): void => {
    if (isAtRest) rows.refresh();
    else rows.freshen();
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      void refetch();
    }, SUMMARY_MS);
  };
  useEffect(() => () => clearTimeout(timer.current), []);

  useEvents(
    'workers',
    (events) => {
      const { changed, gone } = latestEvents(events.map((event) => event.payload));
      rows.patch((worker) => workerAfter(worker, changed.get(worker.id)));
      if (gone.size > 0) {
        rows.drop((worker) => gone.has(worker.id));
        onGone([...gone]);
      }
      catchUp();
    },
    catchUp,
  );

  const tick = useEffectEvent(() => {
    if (!document.hidden && !liveUpdates.isPaused()) catchUp();
  });
  useEffect(() => {
    const interval = setInterval(tick, CORES_MS);
    return () => clearInterval(interval);
  }, []);
  return { rows, summary: summary.data };
}
