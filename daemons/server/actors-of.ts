import type { Actors } from '../../http/ports.ts';
import type { StateReader } from '../../src/adapters/lmdb/state-reader.ts';
import type { Shards } from './shards.ts';

/** The actors of all shards. After each answer the reader sees the changes of its commit. */
export const actorsOf = (shards: () => Shards, reader: StateReader): Actors => ({
  ask: async (make, origin) => {
    const outcome = await shards().ask(make, origin);
    reader.refresh();
    return outcome;
  },
  tell: (envelope) => shards().tell(envelope),
  submit: async (farm, submission, plan, origin) => {
    const outcome = await shards().submit(farm, submission, plan, origin);
    reader.refresh();
    return outcome;
  },
});
