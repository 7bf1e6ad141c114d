import type { Actors } from '../../http/ports.ts';
import type { StateReader } from '../../src/adapters/lmdb/state-reader.ts';
import { refused, type Outcome } from '../../src/core/problems.ts';
import type { OwnerRole } from './owner-role.ts';
import type { Shards } from './shards.ts';

/** The actors of all shards. After each answer the reader sees the changes of its commit. */
export const actorsOf = (shards: Shards, reader: StateReader): Actors => ({
  ask: async (make) => {
    const outcome = await shards.ask(make);
    reader.refresh();
    return outcome;
  },
  tell: (envelope) => shards.tell(envelope),
  submit: async (farm, submission, plan) => {
    const outcome = await shards.submit(farm, submission, plan);
    reader.refresh();
    return outcome;
  },
});

/** The actors of the node that owns the farms. Others refuse. */
export const ownerActors = (owner: OwnerRole, reader: StateReader): Actors => {
  const current = (): Actors | null => {
    const started = owner.current();
    return started === null ? null : actorsOf(started.shards, reader);
  };
  const notOwner = (): Promise<Outcome<never>> =>
    Promise.resolve(refused('unavailable', 'this node of the cluster does not own the farms'));
  return {
    ask: (make) => current()?.ask(make) ?? notOwner(),
    tell: (envelope) => current()?.tell(envelope),
    submit: (farm, submission, plan) => current()?.submit(farm, submission, plan) ?? notOwner(),
  };
};
