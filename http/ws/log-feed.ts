/**
 * States: idle, a read is scheduled (`#isReading`), closed (final). Invariants: chunks are published in order, each
 * once. Exits: `close`.
 */

import type { TaskAddress } from '../../src/core/ids.ts';
import type { LogReader } from '../../src/core/ports/log-store.ts';
import type { LogChunk } from '../../src/core/records/log-chunk.ts';
import type { TaskEvents } from '../log-follow/task-events.ts';

const CHUNKS_AT_ONCE = 100;
/** Number of characters after which reading yields to other work of the thread. */
const CHARACTERS_AT_ONCE = 64 * 1024;

/** Reads new chunks of a task's log from the store and publishes them. */
export class LogFeed {
  readonly #address: TaskAddress;
  readonly #logs: Pick<LogReader, 'page'>;
  readonly #found: (chunks: readonly LogChunk[]) => void;
  readonly #unwatch: () => void;
  #busSeq: number;
  #isReading = false;
  #isClosed = false;

  constructor(
    address: TaskAddress,
    logs: Pick<LogReader, 'page' | 'extent'>,
    events: TaskEvents,
    found: (chunks: readonly LogChunk[]) => void,
  ) {
    this.#address = address;
    this.#logs = logs;
    this.#found = found;
    this.#busSeq = logs.extent(address).lastBusSeq;
    this.#unwatch = events.watch(address, () => this.#readSoon());
  }

  close(): void {
    this.#isClosed = true;
    this.#unwatch();
  }

  #readSoon(): void {
    if (this.#isReading) return;
    this.#isReading = true;
    setImmediate(() => {
      this.#isReading = false;
      if (!this.#isClosed) this.#read();
    });
  }

  #read(): void {
    const chunks = this.#logs.page(this.#address, this.#busSeq, CHUNKS_AT_ONCE, CHARACTERS_AT_ONCE);
    const last = chunks.at(-1);
    if (last === undefined) return;
    this.#busSeq = last.busSeq;
    this.#found(chunks);
    this.#readSoon();
  }
}
