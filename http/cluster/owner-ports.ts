import type { Actors, Ports } from '../ports.ts';
import { refused } from '../../src/core/problems.ts';
import { OwnerNeededError } from './cluster-ports.ts';

/** Ports whose data only the owner of a cluster has. */
export type OwnersPorts = Pick<Ports, 'actors' | 'tally' | 'activity' | 'history'>;

/**
 * Returns the ports of a node of a cluster: while it has no actors, they and what only the shards of the owner know,
 * throw `OwnerNeededError`. The pipeline passes such a request on to the owner (docs/decisions/any-node-serves.md).
 */
export function ownersPorts(
  own: OwnersPorts,
  hasActors: () => boolean,
  /** Sends the few messages that any node may send. Throws `OwnerNeededError` for the others, before it returns. */
  relayed: Pick<Actors, 'tell' | 'ask'>,
): OwnersPorts {
  const { actors, history } = own;
  const need = (): void => {
    if (!hasActors()) throw new OwnerNeededError();
  };
  return {
    actors: {
      ask: (make, origin) => (hasActors() ? actors : relayed).ask(make, origin),
      tell: (envelope) => (hasActors() ? actors : relayed).tell(envelope),
      submit: (farm, submission, plan, origin) => {
        need();
        return actors.submit(farm, submission, plan, origin);
      },
    },
    tally: (slot) => {
      need();
      return own.tally(slot);
    },
    activity: () => {
      need();
      return own.activity();
    },
    history: {
      farm: (...parameters) => {
        need();
        return history.farm(...parameters);
      },
      farmNow: (...parameters) => {
        need();
        return history.farmNow(...parameters);
      },
      worker: (...parameters) => {
        need();
        return history.worker(...parameters);
      },
      pool: (...parameters) => {
        need();
        return history.pool(...parameters);
      },
      paused: (...parameters) => history.paused(...parameters),
      tasksOf: (...parameters) => history.tasksOf(...parameters),
      queueLoads: (...parameters) => history.queueLoads(...parameters),
    },
  };
}

/** Returns the ports for a read while no node owns the cluster: schedulers do not answer. */
export const withoutOwner = (ports: Ports): Ports => ({
  ...ports,
  actors: {
    ...ports.actors,
    ask: () => Promise.resolve(refused('unavailable', 'no node owns the cluster')),
  },
});
