import { publishEvents } from '../publish-events.ts';
import type { Observers } from '../observers.ts';
import type { OpenedBus } from '../open-bus.ts';
import type { OpenState, StartedStore } from '../open-state.ts';
import type { StartContext } from '../start-context.ts';
import { ClusterNode } from './cluster-node.ts';

/** Parts of a node that its front end uses. */
interface ClusterNodeDeps {
  readonly bus: OpenedBus;
  readonly store: StartedStore;
  readonly state: OpenState;
  readonly observers: Observers;
}

/** Starts the front end of a node of a cluster. Returns null for a single node. */
export function startClusterNode(
  { config, version, logger, shutdown }: StartContext,
  { bus, store, state, observers }: ClusterNodeDeps,
): ClusterNode | null {
  if (config.cluster === null || store.standing === null) return null;
  const { host, port } = config.http.addr;
  const node = new ClusterNode(
    {
      config: config.cluster,
      servers: bus.streams,
      standing: store.standing,
      logId: () => store.logId(),
      version: version.version,
      handOver: (to) => store.thread.handOver(to),
      httpAddress: `${host}:${port}`,
    },
    {
      events: (batches) => publishEvents(batches, observers, state.reader),
      gap: () => {
        observers.events.loseEvents();
        observers.taskEvents.publishAll();
      },
      warned: (text) => logger.warn(text),
      busChanged: (event) => observers.busLog.note('nodes', event),
      failed: (error) => logger.error({ err: error }, 'a request of another node was not answered'),
    },
  );
  observers.metrics.cluster(() => node.sample());
  shutdown.add('bus', () => node.close());
  shutdown.add('http', () => node.stopServing());
  return node;
}
