import { encodeChangeSet, readChangeSet } from '../../src/adapters/lmdb/change-set-codec.ts';
import { openStateReader } from '../../src/adapters/lmdb/state-reader.ts';
import { openStateWriter } from '../../src/adapters/lmdb/state-writer.ts';
import type { CommitCallbacks } from '../../src/core/ports/store.ts';
import type { WriterOptions } from '../../src/adapters/lmdb/writer-environment.ts';
import type { MemoryStore } from '../../src/adapters/memory/memory-store.ts';

/**
 * The real state store with the interface of a test farm's store. A commit becomes durable and readable when it is
 * flushed.
 */
export async function openDiskStore(
  options: WriterOptions,
): Promise<MemoryStore & { close(): Promise<void> }> {
  const writer = await openStateWriter(options);
  const reader = await openStateReader(options.directory);
  let waiting: { readonly encoded: ArrayBuffer; readonly onCommit: CommitCallbacks }[] = [];
  const flushNext = (): boolean => {
    const next = waiting.shift();
    if (next === undefined) return false;
    writer.apply([readChangeSet(next.encoded)]);
    reader.refresh();
    next.onCommit.onDurable();
    next.onCommit.onReadable();
    return true;
  };
  return {
    get waiting() {
      return waiting.length;
    },
    get: (table, key) => reader.get(table, key),
    scan: (table, scan) => reader.scan(table, scan),
    commit(set, onCommit) {
      waiting.push({ encoded: encodeChangeSet(set), onCommit });
    },
    unread: 0,
    durable: reader,
    flushNext,
    readAll: () => undefined,
    flushAll() {
      for (let left = waiting.length; left > 0; left--) flushNext();
    },
    crash() {
      waiting = [];
    },
    async close() {
      await reader.close();
      await writer.close();
    },
  };
}
