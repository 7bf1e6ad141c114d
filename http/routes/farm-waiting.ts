import type { OwnerScope } from '../../src/core/access/owner-scope.ts';
import { farmId, jobId, type FarmId } from '../../src/core/ids.ts';
import type { JobStatus } from '../../src/core/lifecycle/job-transitions.ts';
import type { JobIdPage } from '../../src/core/lists/job-directory.ts';
import { keys } from '../../src/core/records/tables.ts';
import type { Ports } from '../ports.ts';
import type { Schemas } from '../views/schemas.ts';
import { waitingView } from '../views/waiting-view.ts';
import { askWhatWaits } from './query-schedulers.ts';
import { notFound, problem, type Handler } from './operation.ts';
import type { WaitingExplanation } from '../../src/core/lease/explanation.ts';

/** Maximum age of a reply that clients share: pages poll every few seconds. */
const FRESH_MS = 3000;
const REPLIES_MAX = 256;
/** Maximum number of jobs of one owner that are examined. */
const OWN_JOBS_MAX = 1000;
/** Maximum number of paused jobs that are named. */
const PAUSED_NAMED_MAX = 10;

interface Known {
  /** Time of the query, by the steady clock. */
  readonly askedAt: number;
  /** Time of the query, in milliseconds since the epoch. */
  readonly at: number;
  readonly answer: Promise<WaitingExplanation | null>;
}

/** Reads what waits in a farm; null if its scheduler does not reply. */
export type FarmWaitingReader = (
  farm: FarmId,
  scope: OwnerScope,
  ports: Ports,
) => Promise<Schemas['FarmWaiting'] | null>;

/** Returns a reader that queries the scheduler of a farm once for all clients with the same scope within a few seconds. */
export function farmWaitingReader(): FarmWaitingReader {
  const known = new Map<string, Known>();

  const ask = (farm: FarmId, scope: OwnerScope, ports: Ports): Known => {
    const key = keyOf(farm, scope);
    const before = known.get(key);
    if (before !== undefined && ports.steadyNow() - before.askedAt < FRESH_MS) return before;
    const asked = { askedAt: ports.steadyNow(), at: ports.now(), answer: whatWaits(farm, scope, ports) };
    if (known.size >= REPLIES_MAX) known.clear();
    known.set(key, asked);
    return asked;
  };

  return async (farm, scope, ports) => {
    const { at, answer } = ask(farm, scope, ports);
    const waiting = await answer;
    if (waiting === null) {
      known.delete(keyOf(farm, scope));
      return null;
    }
    const paused = {
      ...ports.history.paused(farm, scope),
      jobIds: oldestJobs(farm, ['paused'], PAUSED_NAMED_MAX, scope, ports).ids,
    };
    return waitingView(ports.store, farm, at, waiting, paused);
  };
}

export const getFarmWaiting =
  (read: FarmWaitingReader): Handler<'getFarmWaiting'> =>
  async ({ query, principal: { ownerScope } }, ports) => {
    const farm = farmId(query.farm_id);
    if (ports.store.get('farm', keys.farm(farm)) === undefined) return notFound('farm', farm);
    const body = await read(farm, ownerScope, ports);
    return body === null ? NO_ANSWER : { kind: 'json', status: 200, body };
  };

export const NO_ANSWER = problem(
  'unavailable',
  'the scheduler of the farm did not answer; retry the request',
);

const keyOf = (farm: FarmId, scope: OwnerScope): string => `${farm} ${scope ?? ''}`;

/** Asks about all jobs, or about those of one owner. */
async function whatWaits(farm: FarmId, scope: OwnerScope, ports: Ports): Promise<WaitingExplanation | null> {
  if (scope === null) return askWhatWaits(ports, farm, null);
  const { ids, total } = oldestJobs(farm, ['pending', 'running'], OWN_JOBS_MAX, scope, ports);
  const waiting = await askWhatWaits(ports, farm, ids.map(jobId));
  return waiting === null ? null : { ...waiting, isPartial: waiting.isPartial || total > ids.length };
}

const oldestJobs = (
  farm: FarmId,
  statuses: readonly JobStatus[],
  limit: number,
  scope: OwnerScope,
  ports: Ports,
): JobIdPage =>
  ports.jobLists.page(
    { farmId: farm, statuses, words: [], sortBy: 'created_at', descending: false, offset: 0, limit },
    scope,
  );
