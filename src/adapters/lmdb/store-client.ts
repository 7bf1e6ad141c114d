import type { MessagePort } from 'node:worker_threads';
import type { StoreWriter } from '../../core/ports/store.ts';
import type { ChangeSet } from '../../core/records/change-set.ts';
import { encodeChangeSet } from './change-set-codec.ts';
import { STORE_PROTOCOL, type CommitRequest, type DurableNotice } from './store-protocol.ts';

export interface StoreClient extends StoreWriter {
  /** Lets the port go. Sets that were not told to be durable are never told. */
  close(): void;
}

interface Waiting {
  readonly sequence: number;
  readonly onDurable: () => void;
}

/**
 * A shard's writer: sends change sets to the store thread on the shard's port and calls back, in order, once they are on disk. `commit` throws
 * `ChangeSetFormatError` when a set cannot be encoded, and has sent nothing then.
 */
export function createStoreClient(port: MessagePort): StoreClient {
  let waiting: Waiting[] = [];
  port.on('message', (notice: DurableNotice) => {
    const after = waiting.findIndex(({ sequence }) => sequence > notice.sequence);
    const durable = after < 0 ? waiting : waiting.slice(0, after);
    waiting = after < 0 ? [] : waiting.slice(after);
    for (const { onDurable } of durable) onDurable();
  });
  return {
    commit(set: ChangeSet, onDurable: () => void): void {
      const encoded = encodeChangeSet(set);
      const request: CommitRequest = { v: STORE_PROTOCOL, type: 'commit', set: encoded };
      waiting.push({ sequence: set.sequence, onDurable });
      port.postMessage(request, [encoded]);
    },
    close: () => port.close(),
  };
}
