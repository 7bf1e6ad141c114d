import { useQuery } from '@tanstack/react-query';
import { queries } from '../../state/queries.ts';
import { useService } from '../../state/service.tsx';
import { useFirstLoad } from '../../state/use-first-load.ts';
import { useInvalidateOnEvents } from '../../state/use-invalidate-on-events.ts';
import { useRefresh } from '../../state/use-refresh.ts';
import type { Presence } from './first-start-model.ts';

/** Shortest time between two loads of the workers and jobs of the overview, in milliseconds. */
const REFRESH_MS = 2_000;
const WORKERS = [['workers', 'summary']];
const JOBS = [
  ['jobs', 'summary'],
  ['jobs', 'troubled'],
];
const PRESENCE = ['presence'];

/** Reports whether the setup steps that need a worker and a job are done. */
const isSetUp = ({ workers, jobs }: Pick<Presence, 'workers' | 'jobs'>): boolean => workers > 0 && jobs > 0;

export interface PresenceState {
  /** Null until it is loaded. */
  readonly presence: Presence | null;
  /** Why it could not be loaded; null if it could. */
  readonly error: Error | null;
  readonly retry: () => void;
  /** True once the page may load the parts of a farm. */
  readonly isOpen: boolean;
}

/** Counts the farms, queues, workers and jobs of the server, and keeps the parts of the overview current. */
export function usePresence(): PresenceState {
  const { rest } = useService();
  const farms = useQuery(queries.farms(rest));
  const queues = useQuery(queries.queues(rest));
  const refetchMs = useRefresh(REFRESH_MS);
  const counts = useQuery({
    ...queries.presence(rest),
    // The number of workers is a second or two old, so the load at an event can be too early.
    refetchInterval: ({ state: { data } }) => (data !== undefined && isSetUp(data) ? false : refetchMs),
  });
  const { isOpen, began } = useFirstLoad(2);
  useInvalidateOnEvents('workers', WORKERS, REFRESH_MS, began);
  const isComplete = counts.data !== undefined && isSetUp(counts.data);
  useInvalidateOnEvents('jobs', isComplete ? JOBS : [...JOBS, PRESENCE], REFRESH_MS, began);
  const retry = (): void => {
    for (const query of [farms, queues, counts]) if (query.error !== null) void query.refetch();
  };
  if (farms.data === undefined || queues.data === undefined || counts.data === undefined)
    return { presence: null, error: farms.error ?? queues.error ?? counts.error, retry, isOpen };
  const presence = { farms: farms.data.length, queues: queues.data.length, ...counts.data };
  return { presence, error: null, retry, isOpen };
}
