import { jobCountsView } from '../views/job-counts-view.ts';
import type { Handler } from './operation.ts';

export const getStats: Handler<'getStats'> = (_call, ports) => {
  const { state, parkedRequests, leasedPerSecond } = ports.activity();
  const { tasks, workers, cores } = state;
  return {
    kind: 'json',
    status: 200,
    body: {
      jobs: jobCountsView(ports.jobLists.counts({ words: [] })),
      tasks,
      workers,
      cores,
      parked_requests: parkedRequests,
      leased_tasks_per_second: leasedPerSecond,
    },
  };
};
