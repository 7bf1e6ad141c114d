import { useQuery, useQueryClient, type UseQueryResult } from '@tanstack/react-query';
import { useState } from 'react';
import { tasksOf, type TaskEvent } from '../../../client/events/subjects.ts';
import type { JobDetail } from '../../../client/resources.ts';
import { queries } from '../../state/queries.ts';
import { useService } from '../../state/service.tsx';
import { useEvents, type GapReason } from '../../state/use-events.ts';
import { useThrottle } from '../../state/use-throttle.ts';

/** Nothing of the page is loaded again more often than this. */
export const REFRESH_MS = 1_000;

export interface LiveJob {
  readonly query: UseQueryResult<JobDetail>;
  /** It was removed while it was looked at. */
  readonly isRemoved: boolean;
  /** Loads all that is shown of the job again, now. */
  readonly refresh: () => void;
}

/** A job that follows its events. */
export function useJob(id: string): LiveJob {
  const { rest } = useService();
  const client = useQueryClient();
  const query = useQuery(queries.job(rest, id));
  const [removedId, setRemovedId] = useState('');
  const throttledJob = useThrottle(REFRESH_MS);
  const throttledAll = useThrottle(REFRESH_MS);
  const reloadAll = (cancelRefetch = true): void => {
    void client.invalidateQueries({ queryKey: ['jobs', 'one', id] }, { cancelRefetch });
  };
  const missed = (reason: GapReason): void => throttledAll(() => reloadAll(reason === 'lost'));
  useEvents(
    'jobs',
    (events) => {
      const ours = events.filter(({ payload }) => payload.job_id === id);
      if (ours.some(({ payload }) => payload.status === 'removed')) setRemovedId(id);
      else if (ours.length > 0) throttledAll(() => reloadAll());
    },
    missed,
  );
  useEvents(
    tasksOf(id),
    () =>
      throttledJob(() => {
        void client.invalidateQueries({ queryKey: ['jobs', 'one', id], exact: true });
        void client.invalidateQueries({ queryKey: ['jobs', 'one', id, 'failures'] });
        void client.invalidateQueries({ queryKey: ['jobs', 'one', id, 'first-failure'] });
      }),
    missed,
  );
  return { query, isRemoved: removedId === id, refresh: () => reloadAll() };
}

/** Task events of the job as they come. */
export function useTaskEvents(id: string, onEvents: (events: readonly TaskEvent[]) => void): void {
  useEvents(tasksOf(id), (events) => onEvents(events.map(({ payload }) => payload)));
}
