import type { ChangeSubscription } from '../../src/adapters/lmdb/change-subscription.ts';
import { openStateReader, type StateReader } from '../../src/adapters/lmdb/state-reader.ts';
import { startStoreThread, type StoreThread } from '../../src/adapters/lmdb/store-thread-host.ts';
import type { EventLoopLag } from '../../src/adapters/system/event-loop-lag.ts';
import { assertRestoreComplete, storeDirectory } from '../maintenance/data-directory.ts';
import { entryUrl } from '../threads/entry-url.ts';
import { prepareData } from './prepare-data.ts';
import { throwIfStopping, type StartContext } from './start-context.ts';

/** The store thread, and the observer of its event loop lag. */
export interface StartedStore {
  readonly thread: StoreThread;
  /** Sets the observer of the thread's event loop lag. Measures before that are dropped. */
  readonly observeLag: (observer: (lag: EventLoopLag) => void) => void;
}

/** The state store as the main thread reads it. */
export interface OpenState {
  readonly reader: StateReader;
  readonly changes: ChangeSubscription;
}

/** Prepares `data.dir` and starts the store thread. Throws if a restore was started meanwhile. */
export async function startStore(context: StartContext): Promise<StartedStore> {
  const { config, directory, version, logger, stopping, shutdown } = context;
  const { compactFreePercent } = config.data;
  await prepareData({ directory, compactFreePercent, logger, stopping });
  throwIfStopping(stopping);
  let observer: (lag: EventLoopLag) => void = () => undefined;
  const thread = await startStoreThread(
    entryUrl('store-thread'),
    {
      directory: storeDirectory(directory, 'state'),
      softwareVersion: version.version,
    },
    {
      diskChanged: (disk) => logger.warn({ disk }, diskText(disk)),
      warned: (text) => logger.warn(text),
      measured: (lag) => observer(lag),
    },
  );
  shutdown.add('store', () => thread.stop());
  if (thread.diskState() === 'low') logger.warn({ disk: 'low' }, diskText('low'));
  assertRestoreComplete(directory);
  throwIfStopping(stopping);
  return {
    thread,
    observeLag: (added) => {
      observer = added;
    },
  };
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
