import { useQuery } from '@tanstack/react-query';
import { useEffect, useEffectEvent } from 'react';
import type { Job, JobSummary } from '../../../client/resources.ts';
import type { RowWindow } from '../../parts/data-table/use-row-window.ts';
import { queries } from '../../state/queries.ts';
import { useService } from '../../state/service.tsx';
import type { ListState } from '../list/use-list-state.ts';
import { useLiveRows } from '../list/use-live-rows.ts';
import type { JobAction } from './job-actions.ts';
import { listQuery, summaryQuery, type JobListView } from './job-filters.ts';
import { applyJobEvent, changesWithoutEvents, latestEvents } from './live-jobs.ts';

/** Task counts and reasons have no events of their own, so visible jobs are loaded again at this interval. */
const COUNTS_MS = 2_000;
const SUMMARY_MS = 1_000;

export interface JobList {
  readonly rows: RowWindow<Job>;
  readonly summary: JobSummary | undefined;
}

/** Returns the jobs of a view, live. */
export function useJobList(view: JobListView, state: ListState<Job, JobAction>): JobList {
  const { rest } = useService();
  const query = listQuery(view);
  const summary = useQuery(queries.jobSummary(rest, summaryQuery(view)));
  const { isAtRest } = state;
  const rows = useLiveRows<Job, 'jobs'>({
    key: ['jobs', 'list', query],
    fetchPage: (offset, limit, signal) =>
      rest.call('get', '/jobs', { query: { ...query, offset, limit }, signal }),
    subject: 'jobs',
    latestEvents,
    applyEvent: applyJobEvent,
    isAtRest,
    onRemoved: state.deselectRemoved,
    refetchSummary: () => void summary.refetch(),
    summaryMs: SUMMARY_MS,
    pollMs: COUNTS_MS,
    needsPoll: changesWithoutEvents,
  });

  const showNewRows = useEffectEvent(() => {
    if (rows.drift !== 0) rows.refresh();
  });
  useEffect(() => {
    if (isAtRest) showNewRows();
  }, [isAtRest]);

  return { rows, summary: summary.data };
}
