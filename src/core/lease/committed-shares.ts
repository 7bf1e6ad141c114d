import { parseAttemptId, type FarmId, type JobId } from '../ids.ts';
import { ONLINE_WORKERS_SLOT } from '../ports/tallies.ts';
import type { StoreReader } from '../ports/store.ts';
import { keys } from '../records/tables.ts';
import { poolKey } from '../records/usage-pool.ts';
import { PoolLoad, slotsOfTask, type PoolDemand } from './pool-load.ts';

/** Share of a farm in the total of a slot. */
export interface Share {
  readonly farmId: FarmId;
  readonly slot: number;
  readonly count: number;
}

/** Returns the shares for a committed state: online workers, and pool slots that open attempts hold. */
export function committedShares(reader: StoreReader): readonly Share[] {
  const pools = new Map([...reader.scan('usagePool')].map(({ value }) => [poolKey(value.name), value]));
  const demands = new Map<JobId, readonly PoolDemand[]>();
  const online = new Map<FarmId, number>();
  const loads = new Map<FarmId, Map<string, PoolLoad>>();
  for (const { value: worker } of reader.scan('worker')) {
    if (worker.status === 'online') online.set(worker.farmId, (online.get(worker.farmId) ?? 0) + 1);
    for (const { attemptId } of reader.get('booking', keys.booking(worker.id))?.bookings ?? []) {
      const attempt = parseAttemptId(attemptId);
      if (attempt === null)
        throw new Error(`the store contains a booking of ${attemptId}, which is not a valid attempt id`);
      let ofSteps = demands.get(attempt.jobId);
      if (ofSteps === undefined) {
        const steps = reader.get('plan', keys.plan(attempt.jobId))?.steps ?? [];
        ofSteps = steps.map((step) => step.requirements);
        demands.set(attempt.jobId, ofSteps);
      }
      const demand = ofSteps[attempt.stepOrder];
      for (const name of demand?.pools ?? []) {
        if (demand === undefined || !pools.has(name)) continue;
        const ofFarm = loads.get(worker.farmId) ?? new Map<string, PoolLoad>();
        loads.set(worker.farmId, ofFarm);
        const load = ofFarm.get(name) ?? new PoolLoad();
        ofFarm.set(name, load);
        load.add(worker.id, worker.hostname, 1, slotsOfTask(demand, name));
      }
    }
  }
  const shares = [...online].map(([farmId, count]): Share => ({ farmId, slot: ONLINE_WORKERS_SLOT, count }));
  for (const [farmId, ofFarm] of loads) {
    for (const [name, load] of ofFarm) {
      const pool = pools.get(name);
      if (pool !== undefined) shares.push({ farmId, slot: pool.slot, count: load.share(pool.counts) });
    }
  }
  return shares;
}
