import { parseAttemptId, type FarmId, type JobId } from '../ids.ts';
import { ONLINE_WORKERS_SLOT } from '../ports/tallies.ts';
import type { StoreReader } from '../ports/store.ts';
import { keys } from '../records/tables.ts';
import { poolKey } from '../records/usage-pool.ts';

/** Share of a farm in the total of a slot. */
export interface Share {
  readonly farmId: FarmId;
  readonly slot: number;
  readonly count: number;
}

/** Returns the shares for a committed state: online workers, and pool slots that open attempts hold. */
export function committedShares(reader: StoreReader): readonly Share[] {
  const slots = new Map([...reader.scan('usagePool')].map(({ value }) => [poolKey(value.name), value.slot]));
  const poolsOfSteps = new Map<JobId, readonly (readonly string[])[]>();
  const counts = new Map<string, Share>();
  const add = (farmId: FarmId, slot: number): void => {
    const key = `${farmId} ${slot}`;
    counts.set(key, { farmId, slot, count: (counts.get(key)?.count ?? 0) + 1 });
  };
  for (const { value: worker } of reader.scan('worker')) {
    if (worker.status === 'online') add(worker.farmId, ONLINE_WORKERS_SLOT);
    for (const { attemptId } of reader.get('booking', keys.booking(worker.id))?.bookings ?? []) {
      const attempt = parseAttemptId(attemptId);
      if (attempt === null)
        throw new Error(`the store contains a booking of ${attemptId}, which is not a valid attempt id`);
      let ofSteps = poolsOfSteps.get(attempt.jobId);
      if (ofSteps === undefined) {
        const steps = reader.get('plan', keys.plan(attempt.jobId))?.steps ?? [];
        ofSteps = steps.map((step) => step.requirements.pools);
        poolsOfSteps.set(attempt.jobId, ofSteps);
      }
      for (const pool of ofSteps[attempt.stepOrder] ?? []) {
        const slot = slots.get(pool);
        if (slot !== undefined) add(worker.farmId, slot);
      }
    }
  }
  return [...counts.values()];
}
