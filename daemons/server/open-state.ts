import { standingMemory, type StandingMemory } from '../../src/adapters/cluster/standing.ts';
import type { ServerList } from '../../src/adapters/nats/server-address.ts';
import { CLUSTER_REPLICAS } from '../../src/core/config/cluster-config.ts';
import type { NodeState } from '../../src/core/cluster/node-states.ts';
import type { ChangeSubscription } from '../../src/adapters/lmdb/change-subscription.ts';
import { openStateReader, type StateReader } from '../../src/adapters/lmdb/state-reader.ts';
import { startStoreThread, type StoreThread } from '../../src/adapters/lmdb/store-thread-host.ts';
import type { EventLoopLag } from '../../src/adapters/system/event-loop-lag.ts';
import { assertRestoreComplete, storeDirectory } from '../maintenance/data-directory.ts';
import { entryUrl } from '../threads/entry-url.ts';
import { prepareData } from './prepare-data.ts';
import { StoppedEarlyError, throwIfStopping, type StartContext } from './start-context.ts';

/** The store thread, and the observer of its event loop lag. */
export interface StartedStore {
  readonly thread: StoreThread;
  /** Sets the observer of the thread's event loop lag. Measures before that are dropped. */
  readonly observeLag: (observer: (lag: EventLoopLag) => void) => void;
  /** The standing of this node in its cluster; null on a single node. */
  readonly standing: StandingMemory | null;
  /** Returns the id of the log of the cluster; empty until the standing is known. */
  readonly logId: () => string;
  /** Calls back with the present standing of a node of a cluster, and after each change. */
  readonly onStanding: (listener: StandingListener) => void;
}

type StandingListener = (state: NodeState, epoch: number) => void;

/** The log of a cluster, as a node reaches it. */
interface ClusterLog {
  readonly name: string;
  readonly node: string;
  /** All nodes. */
  readonly peers: readonly { readonly name: string }[];
  readonly servers: ServerList;
}

/** The state store as the main thread reads it. */
export interface OpenState {
  readonly reader: StateReader;
  readonly changes: ChangeSubscription;
}

/**
 * Prepares `data.dir` and starts the store thread. Throws if a restore was started meanwhile.
 *
 * @param cluster - Null for a single node.
 */
export async function startStore(context: StartContext, cluster: ClusterLog | null): Promise<StartedStore> {
  const { config, directory, version, logger, stopping, shutdown } = context;
  const { compactFreePercent } = config.data;
  await prepareData({ directory, compactFreePercent, logger, stopping });
  throwIfStopping(stopping);
  let observer: (lag: EventLoopLag) => void = () => undefined;
  let log = '';
  let present: Parameters<StandingListener> | null = null;
  const listeners: StandingListener[] = [];
  const standing = cluster === null ? null : standingMemory();
  const starting = startStoreThread(
    entryUrl('store-thread'),
    {
      directory: storeDirectory(directory, 'state'),
      softwareVersion: version.version,
      cluster:
        cluster === null || standing === null
          ? null
          : {
              cluster: cluster.name,
              node: cluster.node,
              members: cluster.peers.map(({ name }) => name),
              servers: cluster.servers,
              replicas: config.bus.replicas ?? CLUSTER_REPLICAS,
              standing,
            },
    },
    {
      diskChanged: (disk) => logger.warn({ disk }, diskText(disk)),
      warned: (text) => logger.warn(text),
      measured: (lag) => observer(lag),
      standingChanged: (state, epoch, logId) => {
        log = logId;
        present = [state, epoch];
        for (const listener of listeners) listener(state, epoch);
      },
    },
  );
  const thread = cluster === null ? await starting : await openedOrStopped(starting, context);
  shutdown.add('store', () => thread.stop());
  if (thread.diskState() === 'low') logger.warn({ disk: 'low' }, diskText('low'));
  assertRestoreComplete(directory);
  throwIfStopping(stopping);
  return {
    thread,
    observeLag: (added) => {
      observer = added;
    },
    standing,
    logId: () => log,
    onStanding: (listener) => {
      listeners.push(listener);
      if (present !== null) listener(...present);
    },
  };
}

/**
 * A node of a cluster waits for the log, perhaps for long. A service that is stopped meanwhile ends without the thread, which
 * has written nothing.
 */
async function openedOrStopped(
  starting: Promise<StoreThread>,
  { stopping }: StartContext,
): Promise<StoreThread> {
  const stopped = new Promise<null>((resolve) => {
    if (stopping.aborted) resolve(null);
    stopping.addEventListener('abort', () => resolve(null), { once: true });
  });
  const thread = await Promise.race([starting, stopped]);
  if (thread !== null) return thread;
  throw new StoppedEarlyError();
}

/** Opens the state store for the main thread and subscribes to its commits. */
export async function openState(
  { directory, shutdown }: StartContext,
  store: StoreThread,
): Promise<OpenState> {
  const reader = await openStateReader(storeDirectory(directory, 'state'));
  shutdown.add('store', () => reader.close());
  const changes = store.watch();
  shutdown.add('store', () => changes.close());
  return { reader, changes };
}

const diskText = (disk: 'ok' | 'low'): string =>
  disk === 'low'
    ? 'disk space is low: new jobs are refused'
    : 'disk space is sufficient again: new jobs are accepted';
