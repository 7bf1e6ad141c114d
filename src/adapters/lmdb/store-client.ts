import type { MessagePort } from 'node:worker_threads';
import type { CommitCallbacks, StoreWriter } from '../../core/ports/store.ts';
import type { ChangeSet } from '../../core/records/change-set.ts';
import { encodeChangeSet } from './change-set-codec.ts';
import { STORE_PROTOCOL_VERSION, type CommitNotice, type ShardRequest } from './store-protocol.ts';

export interface StoreClient extends StoreWriter {
  /** Like `commit`, for a set that must be readable as soon as it is durable. */
  commitAndApply(set: ChangeSet, onCommit: CommitCallbacks): void;
  /**
   * Requests that the committed sets become readable immediately. Without it this takes some milliseconds under load.
   */
  requestApply(): void;
  /** Closes the port. Sets without an acknowledgment never get one. */
  close(): void;
}

/**
 * A set that is not fully acknowledged. The callback of its first stage is released after that stage, because many sets
 * wait for the second.
 */
interface Waiting {
  readonly sequence: number;
  onDurable: (() => void) | null;
  readonly onReadable: () => void;
}

/**
 * A shard's writer: sends change sets to the store thread on the shard's port and calls back, in order, once they are
 * on disk and once they are readable. `commit` throws `ChangeSetFormatError` if a set cannot be encoded, and then sends
 * nothing.
 */
export function createStoreClient(port: MessagePort): StoreClient {
  /** In the order of their sequences: sets without an acknowledgment, and durable ones. */
  const fresh: Waiting[] = [];
  const durable: Waiting[] = [];
  const send = (request: ShardRequest, transfer: ArrayBuffer[] = []): void =>
    port.postMessage(request, transfer);
  const ackDurable = (sequence: number): void => {
    // A callback may commit more sets.
    for (let [first] = fresh; first !== undefined && first.sequence <= sequence; [first] = fresh) {
      const { onDurable } = first;
      fresh.shift();
      durable.push(first);
      first.onDurable = null;
      onDurable?.();
    }
  };
  const ackReadable = (sequence: number): void => {
    for (let [first] = durable; first !== undefined && first.sequence <= sequence; [first] = durable) {
      durable.shift();
      first.onReadable();
    }
  };
  port.on('message', ({ type, sequence }: CommitNotice) => {
    ackDurable(sequence);
    if (type === 'readable') ackReadable(sequence);
  });
  const commit = (set: ChangeSet, onCommit: CommitCallbacks, isAwaited: boolean): void => {
    const encoded = encodeChangeSet(set);
    fresh.push({ sequence: set.sequence, onDurable: onCommit.onDurable, onReadable: onCommit.onReadable });
    send({ v: STORE_PROTOCOL_VERSION, type: 'commit', set: encoded, isAwaited }, [encoded]);
  };
  return {
    commit: (set, onCommit) => commit(set, onCommit, false),
    commitAndApply: (set, onCommit) => commit(set, onCommit, true),
    requestApply: () => send({ v: STORE_PROTOCOL_VERSION, type: 'request-apply' }),
    close: () => port.close(),
  };
}
