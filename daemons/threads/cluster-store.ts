import { LogOpenError } from '../../src/adapters/cluster/open-log.ts';
import { prepareStore } from '../../src/adapters/cluster/prepare-store.ts';
import {
  openReplicatedJournal,
  type ReplicatedJournal,
} from '../../src/adapters/cluster/replicated-journal.ts';
import { CLUSTER_MARK_KEY, StoreOpenError } from '../../src/adapters/lmdb/store-format.ts';
import { readChangeSet } from '../../src/adapters/lmdb/change-set-codec.ts';
import type { JournaledStore } from '../../src/adapters/lmdb/local-journal.ts';
import { reasonOf } from '../../src/adapters/nats/connection.ts';
import { openStateWriter } from '../../src/adapters/lmdb/state-writer.ts';
import type { ClusterHooks, ClusterStoreOptions } from '../../src/adapters/lmdb/store-thread.ts';
import type { WriterOptions } from '../../src/adapters/lmdb/writer-environment.ts';

/**
 * Opens the state store of a node of a cluster for writing, with the log of the cluster as its journal
 * (docs/decisions/replicated-log.md). The node is a follower until it takes the log over. Throws `StoreOpenError`, or an
 * error that says why the node cannot use the log.
 */
export async function openClusterStore(
  options: WriterOptions,
  { cluster, node, servers, replicas, standing, members }: ClusterStoreOptions,
  { foreignChanges, standingChanged }: ClusterHooks,
): Promise<JournaledStore> {
  const { endProcess, warn, directory } = options;
  await copyIfBehind(options, { cluster, node, servers });
  const writer = await openStateWriter(options);
  let opened: ReplicatedJournal | null = null;
  let isLeaving = false;
  try {
    const journal = await openReplicatedJournal(
      {
        servers,
        cluster,
        node,
        replicas,
        standing,
        storedMark: writer.appliedMark(CLUSTER_MARK_KEY),
        isEmptyStore: writer.isEmpty(),
        stateDirectory: directory,
        members,
      },
      {
        apply: (sets, position) =>
          foreignChanges(
            sets.map((set) => readChangeSet(bufferOf(set))),
            position,
          ),
        stateChanged: (state, epoch) => standingChanged(state, epoch, opened?.logId ?? ''),
        ended: (reason, text) => {
          if (reason === 'handed-over' && isLeaving) return;
          endProcess({
            kind: reason === 'fenced' || reason === 'handed-over' ? 'log-lost' : 'log-unreadable',
            detail: text,
          });
        },
        warned: warn,
      },
    );
    opened = journal;
    setImmediate(() => standingChanged(journal.state, journal.epoch, journal.logId));
    return {
      writer,
      journal,
      isShared: true,
      handOver: (to, begun) => journal.handOver(to, begun),
      leave: async () => {
        if (journal.state !== 'owner') return;
        isLeaving = true;
        // Without a successor that is current, one takes over by itself.
        await journal.handOver(null).catch((error: unknown) => warn(reasonOf(error)));
      },
    };
  } catch (error) {
    await writer.close();
    throw refusalOf(directory, error);
  }
}

/** Replaces the store by a copy of another node's, if the log no longer has the records after it. */
async function copyIfBehind(
  { directory, warn }: WriterOptions,
  { cluster, node, servers }: Pick<ClusterStoreOptions, 'cluster' | 'node' | 'servers'>,
): Promise<void> {
  try {
    const fetched = await prepareStore({ servers, cluster, node, directory, warned: warn }).done;
    if (fetched === null) return;
    const { from, bytes, position } = fetched;
    warn(
      `node ${node} was too far behind for the log of cluster ${cluster}: its state store is now a copy of that of node ${from} (${bytes} bytes, with the changes up to record ${position})`,
    );
  } catch (error) {
    throw refusalOf(directory, error);
  }
}

const refusalOf = (directory: string, error: unknown): unknown =>
  error instanceof LogOpenError ? new StoreOpenError(directory, error.message, { cause: error }) : error;

/** Returns the bytes as a buffer of their own. */
function bufferOf({ buffer, byteOffset, byteLength }: Uint8Array): ArrayBuffer {
  const copy = new ArrayBuffer(byteLength);
  new Uint8Array(copy).set(new Uint8Array(buffer, byteOffset, byteLength));
  return copy;
}
