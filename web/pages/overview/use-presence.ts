import { useQuery } from '@tanstack/react-query';
import { farmQueries } from '../../state/farm-queries.ts';
import { queries } from '../../state/queries.ts';
import { useService } from '../../state/service.tsx';
import { useStaleOnEvents } from '../../state/use-stale-on-events.ts';
import type { Presence } from './first-start-model.ts';

const EVERY_MS = 2_000;
const WORKERS = [['workers', 'summary']];
const JOBS = [['jobs', 'summary']];

/** What there is of what a farm needs; null until it is known. */
export function usePresence(): Presence | null {
  const { rest } = useService();
  const farms = useQuery(queries.farms(rest));
  const queues = useQuery(queries.queues(rest));
  const workers = useQuery(farmQueries.workerSummary(rest, {}));
  const jobs = useQuery(queries.jobSummary(rest, {}));
  useStaleOnEvents('workers', WORKERS, EVERY_MS);
  useStaleOnEvents('jobs', JOBS, EVERY_MS);
  if (
    farms.data === undefined ||
    queues.data === undefined ||
    workers.data === undefined ||
    jobs.data === undefined
  )
    return null;
  return {
    farms: farms.data.length,
    queues: queues.data.length,
    workers: workers.data.online + workers.data.offline + workers.data.disabled,
    jobs: jobs.data.total,
  };
}
