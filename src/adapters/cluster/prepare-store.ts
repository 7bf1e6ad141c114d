import { storeForCluster } from '../lmdb/cluster-mark.ts';
import { BackoffTimer } from '../nats/backoff.ts';
import { LogStream } from '../nats/log/log-stream.ts';
import type { LogInfo } from '../nats/log/stream-config.ts';
import type { ServerList } from '../nats/server-address.ts';
import { parseAppliedMark } from './applied-mark.ts';
import { fetchStore, type FetchedStore } from './fetch-store.ts';

export interface PrepareOptions {
  readonly servers: ServerList;
  readonly cluster: string;
  readonly node: string;
  /** Directory of the state store, which no process has open. */
  readonly directory: string;
  readonly warned: (text: string) => void;
}

/** A store that is being prepared. */
export interface Preparation {
  /**
   * Resolves with the copy that has replaced the store, or with null if the store can follow the log as it is, or the log does
   * not answer now. Rejects with a `LogOpenError` or a `StoreOpenError`.
   */
  readonly done: Promise<FetchedStore | null>;
  /** Ends the wait for a copy: the process stops. */
  cancel(): void;
}

/** Waits this long for a connection before it is decided that the log does not answer. */
const CONNECT_MS = 3000;

/**
 * Before a node opens its state store: replaces it by a copy of another node's store if the log no longer has the records that
 * follow it, or begins with a store that this node does not have.
 */
export function prepareStore(options: PrepareOptions): Preparation {
  const pauses = new BackoffTimer();
  let isCancelled = false;
  const cancel = (): void => {
    isCancelled = true;
    pauses.end();
  };
  return { done: prepare(options, pauses, () => isCancelled), cancel };
}

async function prepare(
  { servers, cluster, node, directory, warned }: PrepareOptions,
  pauses: BackoffTimer,
  isClosing: () => boolean,
): Promise<FetchedStore | null> {
  const store = await storeForCluster(directory);
  const stored = store.storedMark === null ? null : parseAppliedMark(store.storedMark);
  // Opening the journal says why such a store cannot be used.
  if (stored === null && (store.storedMark !== null || !store.isEmpty)) return null;
  const connecting = new BackoffTimer();
  const stream = new LogStream(
    { servers, cluster, node },
    { connected: () => connecting.end(), troubled: () => undefined },
  );
  try {
    await connecting.pause(CONNECT_MS);
    const look = await stream.lookUp();
    if (look.type !== 'found' || look.info.identity === null) return null;
    const { logId } = look.info.identity;
    if (stored !== null && stored.logId !== logId) return null;
    if (!isBehind(look.info, stored?.mark.position ?? null)) return null;
    return await fetchStore({
      stream,
      cluster,
      node,
      logId,
      directory,
      pause: (ms) => pauses.pause(ms),
      isClosing,
      warned,
    });
  } finally {
    connecting.end();
    await stream.close();
  }
}

/** @param position - Of the store; null if it never had a record. */
const isBehind = ({ first, identity }: LogInfo, position: number | null): boolean =>
  (position === null && identity?.base === 'store') || first > (position ?? 0) + 1;
