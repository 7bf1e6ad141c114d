import { useQuery } from '@tanstack/react-query';
import { ShareMenu } from '../../parts/share-menu.tsx';
import { queries } from '../../state/queries.ts';
import { useService } from '../../state/service.tsx';
import { listCommand, listCurl, type JobListView } from './job-filters.ts';

/** Offers the list as a link, a command and a request. */
export function ShareJobs({ view }: { view: JobListView }) {
  const { rest } = useService();
  const farms = useQuery(queries.farms(rest)).data ?? [];
  const queues = useQuery(queries.queues(rest)).data ?? [];
  const chosenQueue = queues.find((queue) => queue.id === view.queue);
  // The command needs the farm of a queue, because names of queues are unique only within a farm.
  const farmId = view.farm === '' ? chosenQueue?.farm_id : view.farm;
  const names = { farm: farms.find((farm) => farm.id === farmId)?.name, queue: chosenQueue?.name };
  return (
    <ShareMenu command={listCommand(view, names, location.origin)} curl={listCurl(view, location.origin)} />
  );
}
