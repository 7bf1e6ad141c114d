import {
  openReplicatedJournal,
  type ReplicatedJournal,
} from '../../src/adapters/cluster/replicated-journal.ts';
import { CLUSTER_MARK_KEY } from '../../src/adapters/lmdb/store-format.ts';
import { readChangeSet } from '../../src/adapters/lmdb/change-set-codec.ts';
import type { JournaledStore } from '../../src/adapters/lmdb/local-journal.ts';
import { openStateWriter } from '../../src/adapters/lmdb/state-writer.ts';
import type { ClusterHooks, ClusterStoreOptions } from '../../src/adapters/lmdb/store-thread.ts';
import type { WriterOptions } from '../../src/adapters/lmdb/writer-environment.ts';

/** Copies of the log. */
const REPLICAS = 3;

/**
 * Opens the state store of a node of a cluster for writing, with the log of the cluster as its journal
 * (docs/decisions/replicated-log.md). The node is a follower until it takes the log over. Throws `StoreOpenError`, or an
 * error that says why the node cannot use the log.
 */
export async function openClusterStore(
  options: WriterOptions,
  { cluster, node, servers, standing }: ClusterStoreOptions,
  { foreignChanges, standingChanged }: ClusterHooks,
): Promise<JournaledStore> {
  const { endProcess, warn } = options;
  const writer = await openStateWriter(options);
  let opened: ReplicatedJournal | null = null;
  try {
    const journal = await openReplicatedJournal(
      {
        servers,
        cluster,
        node,
        replicas: REPLICAS,
        standing,
        storedMark: writer.appliedMark(CLUSTER_MARK_KEY),
        isEmptyStore: writer.isEmpty(),
      },
      {
        apply: (sets, position) =>
          foreignChanges(
            sets.map((set) => readChangeSet(bufferOf(set))),
            position,
          ),
        stateChanged: (state, epoch) => standingChanged(state, epoch, opened?.logId ?? ''),
        ended: (reason, text) =>
          endProcess({ kind: reason === 'fenced' ? 'log-lost' : 'log-unreadable', detail: text }),
        warned: warn,
      },
    );
    opened = journal;
    setImmediate(() => standingChanged(journal.state, journal.epoch, journal.logId));
    return { writer, journal, isShared: true };
  } catch (error) {
    await writer.close();
    throw error;
  }
}

/** Returns the bytes as a buffer of their own. */
function bufferOf({ buffer, byteOffset, byteLength }: Uint8Array): ArrayBuffer {
  const copy = new ArrayBuffer(byteLength);
  new Uint8Array(copy).set(new Uint8Array(buffer, byteOffset, byteLength));
  return copy;
}
