import type { MessagePort } from 'node:worker_threads';
import type { CommitCallbacks, StoreWriter } from '../../core/ports/store.ts';
import type { ChangeSet } from '../../core/records/change-set.ts';
import { encodeChangeSet } from './change-set-codec.ts';
import { STORE_PROTOCOL_VERSION, type CommitNotice, type ShardRequest } from './store-protocol.ts';

export interface StoreClient extends StoreWriter {
  /** The same as `commit`, for a set that is to be readable as soon as it is durable. */
  commitAndApply(set: ChangeSet, onCommit: CommitCallbacks): void;
  /** Somebody waits until what was committed can be read. Without it that takes some milliseconds under load. */
  requestApply(): void;
  /** Lets the port go. Sets of which nothing was told are never told of. */
  close(): void;
}

/** A set of which not all is told. What its first stage holds is let go with it: many sets wait for the second. */
interface Waiting {
  readonly sequence: number;
  durable: (() => void) | null;
  readonly readable: () => void;
}

/**
 * A shard's writer: sends change sets to the store thread on the shard's port and calls back, in order, once they are on disk and once they can be read.
 * `commit` throws `ChangeSetFormatError` when a set cannot be encoded, and has sent nothing then.
 */
export function createStoreClient(port: MessagePort): StoreClient {
  /** In the order of their sequences: those of which nothing was told, and those that are durable. */
  const fresh: Waiting[] = [];
  const durable: Waiting[] = [];
  const send = (request: ShardRequest, transfer: ArrayBuffer[] = []): void =>
    port.postMessage(request, transfer);
  const ackDurable = (sequence: number): void => {
    // Who is told commits more.
    for (let [first] = fresh; first !== undefined && first.sequence <= sequence; [first] = fresh) {
      const { durable: tell } = first;
      fresh.shift();
      durable.push(first);
      first.durable = null;
      tell?.();
    }
  };
  const ackReadable = (sequence: number): void => {
    for (let [first] = durable; first !== undefined && first.sequence <= sequence; [first] = durable) {
      durable.shift();
      first.readable();
    }
  };
  port.on('message', ({ type, sequence }: CommitNotice) => {
    ackDurable(sequence);
    if (type === 'readable') ackReadable(sequence);
  });
  const commit = (set: ChangeSet, onCommit: CommitCallbacks, isAwaited: boolean): void => {
    const encoded = encodeChangeSet(set);
    fresh.push({ sequence: set.sequence, durable: onCommit.durable, readable: onCommit.readable });
    send({ v: STORE_PROTOCOL_VERSION, type: 'commit', set: encoded, isAwaited }, [encoded]);
  };
  return {
    commit: (set, onCommit) => commit(set, onCommit, false),
    commitAndApply: (set, onCommit) => commit(set, onCommit, true),
    requestApply: () => send({ v: STORE_PROTOCOL_VERSION, type: 'request-apply' }),
    close: () => port.close(),
  };
}
