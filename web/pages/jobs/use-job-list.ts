import { useQuery } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useRef } from 'react';
import type { Job, JobSummary } from '../../../client/resources.ts';
import { useRowWindow, type RowWindow } from '../../parts/data-table/use-row-window.ts';
import { liveUpdates } from '../../state/live-updates.ts';
import { queries } from '../../state/queries.ts';
import { useService } from '../../state/service.tsx';
import { useEvents } from '../../state/use-events.ts';
import { listQuery, summaryQuery, type JobListView } from './job-filters.ts';
import { isMoving, jobAfter, latestEvents } from './live-jobs.ts';

/** Counts of tasks have no events of their own: jobs that are looked at are asked for again so often. */
const COUNTS_MS = 2_000;
/** The counts by status are asked for no oftener. */
const SUMMARY_MS = 1_000;

export interface JobList {
  readonly rows: RowWindow<Job>;
  readonly summary: JobSummary | undefined;
}

/**
 * The jobs of a view, live: what happens to those that are looked at shows at once; that jobs come, go and change places waits until the
 * list is at rest.
 */
export function useJobList(
  view: JobListView,
  isAtRest: boolean,
  onGone: (ids: readonly string[]) => void,
): JobList {
  const { rest } = useService();
  const query = listQuery(view);
  const rows = useRowWindow<Job>({
    key: ['jobs', 'list', query],
    fetchPage: (offset, limit, signal) =>
      rest.call('get', '/jobs', { query: { ...query, offset, limit }, signal }),
  });
  const summary = useQuery(queries.jobSummary(rest, summaryQuery(view)));
  const summaryTimer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const { refetch } = summary;

  const look = (): void => {
    if (isAtRest) rows.refresh();
    else rows.freshen();
  };
  const catchUp = (): void => {
    look();
    summaryTimer.current ??= setTimeout(() => {
      summaryTimer.current = undefined;
      void refetch();
    }, SUMMARY_MS);
  };
  useEffect(() => () => clearTimeout(summaryTimer.current), []);

  useEvents(
    'jobs',
    (events) => {
      const { changed, gone } = latestEvents(events.map((event) => event.payload));
      rows.patch((job) => jobAfter(job, changed.get(job.id)));
      if (gone.size > 0) {
        rows.drop((job) => gone.has(job.id));
        onGone([...gone]);
      }
      catchUp();
    },
    catchUp,
  );

  const tick = useEffectEvent(() => {
    if (!document.hidden && !liveUpdates.isPaused() && rows.inView().some(isMoving)) look();
  });
  useEffect(() => {
    const timer = setInterval(tick, COUNTS_MS);
    return () => clearInterval(timer);
  }, []);

  // What has waited comes as soon as nobody is disturbed.
  const settle = useEffectEvent(() => {
    if (rows.drift !== 0) rows.refresh();
  });
  useEffect(() => {
    if (isAtRest) settle();
  }, [isAtRest]);

  return { rows, summary: summary.data };
}
