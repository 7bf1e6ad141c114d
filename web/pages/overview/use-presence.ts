import { useQuery } from '@tanstack/react-query';
import { farmQueries } from '../../state/farm-queries.ts';
import { queries } from '../../state/queries.ts';
import { useService } from '../../state/service.tsx';
import { useInvalidateOnEvents } from '../../state/use-invalidate-on-events.ts';
import type { Presence } from './first-start-model.ts';

/** Shortest time between two loads of the workers and jobs of the overview, in milliseconds. */
const REFRESH_MS = 2_000;
const WORKERS = [['workers', 'summary']];
const JOBS = [
  ['jobs', 'summary'],
  ['jobs', 'troubled'],
];

export interface PresenceState {
  /** Null until it is loaded. */
  readonly presence: Presence | null;
  /** Why it could not be loaded; null if it could. */
  readonly error: Error | null;
  readonly retry: () => void;
}

/** Counts the farms, queues, workers and jobs of the server, live. */
export function usePresence(): PresenceState {
  const { rest } = useService();
  const farms = useQuery(queries.farms(rest));
  const queues = useQuery(queries.queues(rest));
  const workers = useQuery(farmQueries.workerSummary(rest, {}));
  const jobs = useQuery(queries.jobSummary(rest, {}));
  useInvalidateOnEvents('workers', WORKERS, REFRESH_MS);
  useInvalidateOnEvents('jobs', JOBS, REFRESH_MS);
  const retry = (): void => {
    for (const query of [farms, queues, workers, jobs]) if (query.error !== null) void query.refetch();
  };
  if (
    farms.data === undefined ||
    queues.data === undefined ||
    workers.data === undefined ||
    jobs.data === undefined
  )
    return {
      presence: null,
      error: farms.error ?? queues.error ?? workers.error ?? jobs.error,
      retry,
    };
  const presence = {
    farms: farms.data.length,
    queues: queues.data.length,
    workers: workers.data.online + workers.data.offline + workers.data.disabled,
    jobs: jobs.data.total,
  };
  return { presence, error: null, retry };
}
