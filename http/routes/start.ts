import type { Ports } from '../ports.ts';
import { jobCountsView } from '../views/job-counts-view.ts';
import type { Schemas } from '../views/schemas.ts';
import { principalView } from './auth.ts';
import { computeLocationViews } from './compute-locations.ts';
import { farmViews } from './farms.ts';
import type { Handler } from './operation.ts';
import { readinessView } from './probes.ts';
import { queueViews } from './queues.ts';
import { settingsView } from './settings.ts';

/** A page does not wait longer for the checks: those of a bus that is down take seconds. */
const READINESS_BUDGET_MS = 1000;

export const getStart: Handler<'getStart'> = async ({ principal }, ports) => {
  const readiness = await promptReadiness(ports);
  return {
    kind: 'json',
    status: 200,
    body: {
      principal: principalView(principal),
      settings: settingsView(ports),
      farms: farmViews(ports.store),
      queues: queueViews(ports),
      compute_locations: computeLocationViews(ports.store),
      presence: {
        workers: workerCount(ports),
        jobs: jobCountsView(ports.jobLists.counts({ words: [] }, principal.ownerScope)).total,
      },
      ...(readiness !== null && { readiness }),
    },
  };
};

/** Only the shards count the workers; another node of a cluster counts their rows. */
function workerCount({ cluster, activity, store }: Pick<Ports, 'cluster' | 'activity' | 'store'>): number {
  if (cluster !== null && !cluster.isServing()) return [...store.scan('worker')].length;
  const { online, offline, disabled } = activity().state.workers;
  return online + offline + disabled;
}

/** Returns null if the checks do not finish within the budget. */
async function promptReadiness(ports: Ports): Promise<Schemas['Readiness'] | null> {
  const finished = new AbortController();
  const late = ports.delay(READINESS_BUDGET_MS, finished.signal).then(() => null);
  try {
    return await Promise.race([readinessView(ports), late]);
  } finally {
    finished.abort();
  }
}
