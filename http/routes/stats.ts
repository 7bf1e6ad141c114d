import { jobCountsView } from '../views/job-counts-view.ts';
import type { Handler } from './operation.ts';

/** Jobs and tasks are those of the scope; workers, cores and leases are those of the service. */
export const getStats: Handler<'getStats'> = ({ principal: { ownerScope } }, ports) => {
  const { state, parkedRequests, leasedPerSecond } = ports.activity();
  const { tasks, workers, cores } = state;
  return {
    kind: 'json',
    status: 200,
    body: {
      jobs: jobCountsView(ports.jobLists.counts({ words: [] }, ownerScope)),
      tasks: ownerScope === null ? tasks : ports.history.tasksOf(ownerScope),
      workers,
      cores,
      parked_requests: parkedRequests,
      leased_tasks_per_second: leasedPerSecond,
    },
  };
};
