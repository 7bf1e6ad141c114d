import { useQuery, useQueryClient } from '@tanstack/react-query';
import { queries } from '../../state/queries.ts';
import { useService } from '../../state/service.tsx';
import { useEvents } from '../../state/use-events.ts';
import type { Presence } from './first-start-model.ts';

/** What there is of what a farm needs; null until it is known. */
export function usePresence(): Presence | null {
  const { rest } = useService();
  const client = useQueryClient();
  const farms = useQuery(queries.farms(rest));
  const queues = useQuery(queries.queues(rest));
  const workers = useQuery(queries.workers(rest));
  const jobs = useQuery(queries.jobSummary(rest, {}));
  const staleWorkers = (): void => void client.invalidateQueries({ queryKey: ['workers'] });
  const staleJobs = (): void => void client.invalidateQueries({ queryKey: ['jobs', 'summary'] });
  useEvents('workers', staleWorkers, staleWorkers);
  useEvents('jobs', staleJobs, staleJobs);
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
    workers: workers.data.total,
    jobs: jobs.data.total,
  };
}
