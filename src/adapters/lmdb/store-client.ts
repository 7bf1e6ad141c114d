import type { MessagePort } from 'node:worker_threads';
import type { CommitTold, StoreWriter } from '../../core/ports/store.ts';
import type { ChangeSet } from '../../core/records/change-set.ts';
import { encodeChangeSet } from './change-set-codec.ts';
import { STORE_PROTOCOL, type CommitNotice, type ShardRequest } from './store-protocol.ts';

export interface StoreClient extends StoreWriter {
  /** The same as `commit`, for a set that is to be readable as soon as it is durable. */
  commitReadable(set: ChangeSet, told: CommitTold): void;
  /** Somebody waits until what was committed can be read. Without it that takes some milliseconds under load. */
  readSoon(): void;
  /** Lets the port go. Sets of which nothing was told are never told of. */
  close(): void;
}

interface Waiting {
  readonly sequence: number;
  readonly told: CommitTold;
  isDurable: boolean;
}

/**
 * A shard's writer: sends change sets to the store thread on the shard's port and calls back, in order, once they are on disk and once they can be read.
 * `commit` throws `ChangeSetFormatError` when a set cannot be encoded, and has sent nothing then.
 */
export function createStoreClient(port: MessagePort): StoreClient {
  let waiting: Waiting[] = [];
  const send = (request: ShardRequest, transfer: ArrayBuffer[] = []): void =>
    port.postMessage(request, transfer);
  port.on('message', ({ type, sequence }: CommitNotice) => {
    // Who is told commits more.
    const reached = waiting.filter((each) => each.sequence <= sequence);
    if (type === 'readable') waiting = waiting.slice(reached.length);
    for (const each of reached) {
      if (each.isDurable) continue;
      each.isDurable = true;
      each.told.durable();
    }
    if (type === 'readable') for (const { told } of reached) told.readable();
  });
  const commit = (set: ChangeSet, told: CommitTold, isAwaited: boolean): void => {
    const encoded = encodeChangeSet(set);
    waiting.push({ sequence: set.sequence, told, isDurable: false });
    send({ v: STORE_PROTOCOL, type: 'commit', set: encoded, isAwaited }, [encoded]);
  };
  return {
    commit: (set, told) => commit(set, told, false),
    commitReadable: (set, told) => commit(set, told, true),
    readSoon: () => send({ v: STORE_PROTOCOL, type: 'read-soon' }),
    close: () => port.close(),
  };
}
