import type { Ports } from '../../http/ports.ts';
import { tallyOf } from '../../src/adapters/system/shared-tallies.ts';
import { failStop } from '../process/fail-stop.ts';
import { actorsOf } from './actors-of.ts';
import { bootstrapAdmin } from './bootstrap-admin.ts';
import type { ClusterNode } from './cluster/cluster-node.ts';
import { keepSamples } from './keep-samples.ts';
import type { OpenedBus } from './open-bus.ts';
import type { OpenLists } from './open-lists.ts';
import type { OpenState, StartedStore } from './open-state.ts';
import type { OwnerRole } from './owner-role.ts';
import { StoppedEarlyError, type StartContext } from './start-context.ts';
import { waitAfterRestore } from './wait-after-restore.ts';

/** Parts of a node that are ready before it may own the farms. */
interface FollowerParts {
  readonly bus: OpenedBus;
  readonly store: StartedStore;
  readonly state: OpenState;
  readonly lists: OpenLists;
  readonly owner: OwnerRole;
  readonly ports: Ports;
  readonly cluster: Pick<ClusterNode, 'serve'>;
}

/**
 * Starts the actors when this node of a cluster becomes the owner of the log (docs/decisions/replicated-log.md). A node
 * that loses the log ends its process, so this happens at most once.
 */
export function takeOverWhenOwner(context: StartContext, parts: FollowerParts): void {
  const { logger, stopping } = context;
  let isBegun = false;
  parts.owner.standBy();
  parts.store.onStanding((state, epoch) => {
    logger.info({ state, epoch }, 'standing of this node in its cluster');
    if (state !== 'owner' || isBegun || stopping.aborted) return;
    isBegun = true;
    takeOver(context, parts).then(
      () => logger.info({ epoch }, 'this node owns the farms'),
      (error: unknown) => {
        if (error instanceof StoppedEarlyError) return;
        failStop(logger, 'the takeover failed', error instanceof Error ? error : new Error(String(error)));
      },
    );
  });
}

async function takeOver(context: StartContext, parts: FollowerParts): Promise<void> {
  const { bus, store, state, lists, owner, ports, cluster } = parts;
  await waitAfterRestore(context, bus.requests, state.reader);
  const { shards, tallies } = owner.start();
  store.onStanding((standing) => shards.setOwnership(standing === 'owner'));
  cluster.serve(actorsOf(() => shards, state.reader));
  lists.begin(keepSamples(shards, context), (slot) => tallyOf(tallies, slot));
  await bootstrapAdmin(context.config.auth, ports, context.logger);
}
