import type { MessagePort } from 'node:worker_threads';
import type { CommitCallbacks, StoreWriter } from '../../core/ports/store.ts';
import type { ChangeSet } from '../../core/records/change-set.ts';
import { encodeChangeSet } from './change-set-codec.ts';
import { STORE_PROTOCOL_VERSION, type CommitNotice, type ShardRequest } from './store-protocol.ts';

/** How a set is committed. */
export interface CommitOptions {
  /** The set must be readable as soon as it is durable. */
  readonly isAwaited: boolean;
  /** The causes of its units of work as sections, to be transferred; null on a single node, which does not record them. */
  readonly causes: Uint8Array<ArrayBuffer> | null;
}

export interface StoreClient extends StoreWriter {
  /** Default: the set need not be readable at once, and has no causes. */
  commit(set: ChangeSet, onCommit: CommitCallbacks, options?: CommitOptions): void;
  /**
   * Requests that the committed sets become readable immediately. Without it this takes some milliseconds under load.
   */
  requestApply(): void;
  /** Closes the port. Sets without an acknowledgment never get one. */
  close(): void;
}

const PLAIN: CommitOptions = { isAwaited: false, causes: null };

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
  const commit: StoreClient['commit'] = (set, onCommit, { isAwaited, causes } = PLAIN) => {
    const encoded = encodeChangeSet(set);
    fresh.push({ sequence: set.sequence, onDurable: onCommit.onDurable, onReadable: onCommit.onReadable });
    const buffers = causes === null ? [encoded] : [encoded, causes.buffer];
    send({ v: STORE_PROTOCOL_VERSION, type: 'commit', set: encoded, isAwaited, causes }, buffers);
  };
  return {
    commit,
    requestApply: () => send({ v: STORE_PROTOCOL_VERSION, type: 'request-apply' }),
    close: () => port.close(),
  };
}
