import { storeDirectory } from '../maintenance/data-directory.ts';
import { failStop } from '../process/fail-stop.ts';
import type { ClusterNode } from './cluster/cluster-node.ts';
import type { Observers } from './observers.ts';
import type { OpenedBus } from './open-bus.ts';
import type { OpenState, StartedStore } from './open-state.ts';
import type { StartContext } from './start-context.ts';
import { startJoinDesk, startRefusedKeys } from './start-join-desk.ts';
import type { StartedLogs } from './start-logs.ts';
import { startPoolReconciler } from './start-pool-reconciler.ts';
import { launchShard, StandbyShards } from './shard-workers.ts';
import { retryOf, startShards, type StartedShards } from './start-shards.ts';
import type { StartedWebhooks } from './start-webhooks.ts';

/** Parts of the service that the actors use. */
interface OwnerDeps {
  readonly bus: OpenedBus;
  readonly store: StartedStore;
  readonly state: OpenState;
  readonly observers: Observers;
  readonly logs: StartedLogs;
  readonly webhooks: StartedWebhooks;
  /** Null for a single node. */
  readonly cluster: Pick<ClusterNode, 'publishEvents'> | null;
}

/**
 * The part of the service that owns the farms: the actors, the sending of webhooks, the desk that issues credentials, the
 * measurements of usage pools. A
 * single node has it from its start, a node of a cluster from a takeover until its process ends.
 */
export class OwnerRole {
  readonly #context: StartContext;
  readonly #deps: OwnerDeps;
  #started: StartedShards | null = null;
  #standby: StandbyShards | null = null;

  constructor(context: StartContext, deps: OwnerDeps) {
    this.#context = context;
    this.#deps = deps;
  }

  /** Returns the actors; null if this node does not own the farms. */
  current(): StartedShards | null {
    return this.#started;
  }

  /** Starts the threads of the actors, for a takeover. Must be called at most once, by a node that may become the owner. */
  standBy(): void {
    const { config, directory, logger, shutdown } = this.#context;
    const { store } = this.#deps;
    const standby = new StandbyShards(
      {
        count: config.scheduler.shards,
        stateDirectory: storeDirectory(directory, 'state'),
        retry: retryOf(config),
      },
      () => store.thread.watchJobs(),
      (error) => failStop(logger, 'a shard in standby has ended', error),
    );
    this.#standby = standby;
    shutdown.add('bus', () => standby.stop());
  }

  /** Starts the actors. Must be called once, by the owner of the farms. */
  start(): StartedShards {
    const { bus, store, state, observers, logs, webhooks, cluster } = this.#deps;
    const refused = startRefusedKeys(this.#context, bus, state.reader);
    const started = startShards(this.#context, {
      bus,
      launch: this.#standby?.launch ?? launchShard,
      store: store.thread,
      reader: state.reader,
      observers,
      logThread: logs.thread,
      workerIdentity: bus.authority !== null ? 'joined' : bus.isScoped ? 'operator' : 'open',
      refusedKeysChanged: () => refused?.changed(),
      sendWebhook: (order) => webhooks.send(order),
      standing: store.standing,
      publishToNodes: cluster === null ? null : (batches) => cluster.publishEvents(batches),
    });
    webhooks.connect(started.shards);
    startJoinDesk(this.#context, bus, { reader: state.reader, shards: started.shards, observers });
    startPoolReconciler(this.#context, state.reader, started.shards);
    this.#started = started;
    return started;
  }
}
