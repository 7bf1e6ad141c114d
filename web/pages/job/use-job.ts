import { useQuery, useQueryClient, type UseQueryResult } from '@tanstack/react-query';
import { useState } from 'react';
import { tasksOf, type TaskEvent } from '../../../client/events/subjects.ts';
import type { JobDetail } from '../../../client/resources.ts';
import { queries } from '../../state/queries.ts';
import { useService } from '../../state/service.tsx';
import { useEvents, type GapReason } from '../../state/use-events.ts';
import { hasJobEnded } from '../../state/ended.ts';
import { useFirstLoad } from '../../state/use-first-load.ts';
import { useRefresh } from '../../state/use-refresh.ts';
import { useThrottle } from '../../state/use-throttle.ts';

/** Shortest time between two loads of the same part of the page, in milliseconds. */
export const REFRESH_MS = 1_000;

/** Both subscriptions of the page begin within this time, so that it is loaded again once. */
const GAP_LEAD_MS = 100;

/** Time between two loads of a job that waits, in milliseconds. */
const WAITING_MS = 3_000;

const hasWaiting = ({ status, task_counts: { pending, ready } }: JobDetail): boolean =>
  !hasJobEnded(status) && pending + ready > 0;

export interface LiveJob {
  readonly query: UseQueryResult<JobDetail>;
  /** The job was removed while the page was open. */
  readonly isRemoved: boolean;
  /** Loads all parts of the page again immediately. */
  readonly refresh: () => void;
}

/** Returns a job, live. */
export function useJob(id: string): LiveJob {
  const { rest } = useService();
  const client = useQueryClient();
  const waitingMs = useRefresh(WAITING_MS);
  const { isOpen, began } = useFirstLoad(2);
  const query = useQuery({
    ...queries.job(rest, id),
    enabled: isOpen,
    // The reasons of waiting steps change without an event of the job.
    refetchInterval: ({ state: { data } }) => (data !== undefined && hasWaiting(data) ? waitingMs : false),
  });
  const [removedId, setRemovedId] = useState('');
  const throttledJob = useThrottle(REFRESH_MS);
  const throttledAll = useThrottle(REFRESH_MS, GAP_LEAD_MS);
  const reloadAll = (cancelRefetch = true): void => {
    void client.invalidateQueries({ queryKey: ['jobs', 'one', id] }, { cancelRefetch });
  };
  const onGap = (reason: GapReason): void => {
    if (reason === 'lost' || began()) throttledAll(() => reloadAll(reason === 'lost'));
  };
  useEvents(
    'jobs',
    (events) => {
      const own = events.filter(({ payload }) => payload.job_id === id);
      if (own.some(({ payload }) => payload.status === 'removed')) setRemovedId(id);
      else if (own.length > 0) throttledAll(() => reloadAll());
    },
    onGap,
  );
  useEvents(
    tasksOf(id),
    () =>
      throttledJob(() => {
        void client.invalidateQueries({ queryKey: ['jobs', 'one', id], exact: true });
        void client.invalidateQueries({ queryKey: ['jobs', 'one', id, 'failures'] });
      }),
    onGap,
  );
  return { query, isRemoved: removedId === id, refresh: () => reloadAll() };
}

/** Calls `onEvents` with the task events of a job. */
export function useTaskEvents(id: string, onEvents: (events: readonly TaskEvent[]) => void): void {
  useEvents(tasksOf(id), (events) => onEvents(events.map(({ payload }) => payload)));
}
