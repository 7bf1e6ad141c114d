import { useEffect, useEffectEvent } from 'react';
import type { Job, JobSummary } from '../../../client/resources.ts';
import type { RowWindow } from '../../parts/data-table/use-row-window.ts';
import { useService } from '../../state/service.tsx';
import type { ListState } from '../list/use-list-state.ts';
import { useLiveRows } from '../list/use-live-rows.ts';
import { usePageSummary } from '../list/use-page-summary.ts';
import type { JobAction } from './job-actions.ts';
import { filterQuery, listQuery, type JobListView } from './job-filters.ts';
import { applyJobEvent, changesWithoutEvents, latestEvents } from './live-jobs.ts';

/** Task counts and reasons have no events of their own, so visible jobs are loaded again at this interval. */
const COUNTS_MS = 2_000;

export interface JobList {
  readonly rows: RowWindow<Job>;
  readonly summary: JobSummary | undefined;
}

/** Returns the jobs of a view, live. */
export function useJobList(view: JobListView, state: ListState<Job, JobAction>): JobList {
  const { rest } = useService();
  const query = listQuery(view);
  const { summary, keep } = usePageSummary<JobSummary>(['jobs', 'list-summary', filterQuery(view)]);
  const { isAtRest } = state;
  const rows = useLiveRows<Job, 'jobs'>({
    key: ['jobs', 'list', query],
    fetchPage: async (offset, limit, signal) => {
      const page = await rest.call('get', '/jobs', {
        query: { ...query, summary: true, offset, limit },
        signal,
      });
      keep(page.summary);
      return page;
    },
    subject: 'jobs',
    latestEvents,
    applyEvent: applyJobEvent,
    isAtRest,
    onRemoved: state.deselectRemoved,
    pollMs: COUNTS_MS,
    needsPoll: changesWithoutEvents,
  });

  const showNewRows = useEffectEvent(() => {
    if (rows.drift !== 0) rows.refresh();
  });
  useEffect(() => {
    if (isAtRest) showNewRows();
  }, [isAtRest]);

  return { rows, summary };
}
