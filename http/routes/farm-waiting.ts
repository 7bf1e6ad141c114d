import { farmId, type FarmId } from '../../src/core/ids.ts';
import { keys } from '../../src/core/records/tables.ts';
import type { Ports } from '../ports.ts';
import { waitingView } from '../views/waiting-view.ts';
import { askWhatWaits } from './query-schedulers.ts';
import { notFound, problem, type Handler } from './operation.ts';
import type { WaitingExplanation } from '../../src/core/lease/explanation.ts';

/** Maximum age of a reply that clients share: pages poll every few seconds. */
const FRESH_MS = 3000;
const FARMS_MAX = 64;
/** Maximum number of paused jobs that are named. */
const PAUSED_NAMED_MAX = 10;

interface Known {
  /** Time of the query, by the steady clock. */
  readonly askedAt: number;
  /** Time of the query, in milliseconds since the epoch. */
  readonly at: number;
  readonly answer: Promise<WaitingExplanation | null>;
}

/** Returns a handler that queries the scheduler of a farm once for all clients within a few seconds. */
export function getFarmWaiting(): Handler<'getFarmWaiting'> {
  const known = new Map<FarmId, Known>();

  const ask = (farm: FarmId, ports: Ports): Known => {
    const before = known.get(farm);
    if (before !== undefined && ports.steadyNow() - before.askedAt < FRESH_MS) return before;
    const asked = { askedAt: ports.steadyNow(), at: ports.now(), answer: askWhatWaits(ports, farm) };
    if (known.size >= FARMS_MAX) known.clear();
    known.set(farm, asked);
    return asked;
  };

  return async ({ query }, ports) => {
    const farm = farmId(query.farm_id);
    if (ports.store.get('farm', keys.farm(farm)) === undefined) return notFound('farm', farm);
    const { at, answer } = ask(farm, ports);
    const waiting = await answer;
    if (waiting === null) {
      known.delete(farm);
      return problem('unavailable', 'the scheduler of the farm did not answer; retry the request');
    }
    const paused = {
      ...ports.history.paused(farm),
      jobIds: ports.jobLists.page({
        farmId: farm,
        statuses: ['paused'],
        words: [],
        sortBy: 'created_at',
        descending: false,
        offset: 0,
        limit: PAUSED_NAMED_MAX,
      }).ids,
    };
    return { kind: 'json', status: 200, body: waitingView(ports.store, farm, at, waiting, paused) };
  };
}
