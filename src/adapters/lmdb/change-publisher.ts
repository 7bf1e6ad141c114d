import type { MessagePort } from 'node:worker_threads';
import type { EncodedChangeSet } from './change-set-codec.ts';
import { NoticeRing } from './notice-ring.ts';
import { PageVersionWriter } from './page-versions.ts';
import {
  WATERMARKS,
  STORE_PROTOCOL_VERSION,
  type WatchMemory,
  type WatchNotice,
  type WatchRequest,
} from './store-protocol.ts';

/**
 * The store thread's side of a change subscription (change-subscription.ts): publishes the rows of a commit before it
 * can be read, and then that it can be, so that a reader of a snapshot has already received the notice of each commit
 * in it. Handles requests of a subscriber that waits for durable changes to become readable.
 */
export class ChangePublisher {
  readonly #port: MessagePort;
  readonly #versions: PageVersionWriter;
  readonly #watermarks: BigInt64Array;
  readonly #ring: NoticeRing;
  /** Set after the subscriber was notified that the ring is half full, until it reads the ring. */
  #isSignalled = false;
  /** Number of the last transaction that has begun. */
  #transaction = 0n;
  /** Set while the subscriber waits until all changes are readable. */
  #isReaderWaiting = false;

  constructor(port: MessagePort, memory: WatchMemory, requestApply: () => void) {
    this.#port = port;
    port.on('message', (_request: WatchRequest) => {
      this.#isReaderWaiting = true;
      requestApply();
    });
    this.#versions = new PageVersionWriter(memory.pageVersions);
    this.#watermarks = new BigInt64Array(memory.watermarks);
    this.#ring = new NoticeRing(memory.notices);
  }

  /** Called when change sets are on disk that the next transaction makes readable. */
  markDurable(): void {
    Atomics.store(this.#watermarks, WATERMARKS.durable, this.#transaction + 1n);
  }

  /** Called before the transaction that writes the sets. */
  beforeApply(sets: readonly EncodedChangeSet[]): void {
    this.#transaction += 1n;
    const jobs = new Set<string>();
    const prefixes: string[] = [];
    for (const { changes } of sets) {
      for (const { op, table, key } of changes) {
        if (table !== 'job') continue;
        const text = Buffer.from(key.buffer, key.byteOffset, key.length).toString('utf8');
        if (op === 'removePrefix') prefixes.push(text);
        else jobs.add(text);
      }
    }
    for (const { op, key } of pageChanges(sets)) {
      if (op === 'removePrefix') this.#versions.setAll(this.#transaction);
      else this.#versions.set(key, this.#transaction);
    }
    if (jobs.size === 0 && prefixes.length === 0) return;
    const notice = { transaction: Number(this.#transaction), keys: [...jobs], prefixes };
    if (!this.#ring.put(notice)) this.#post({ v: STORE_PROTOCOL_VERSION, type: 'jobs-changed', ...notice });
    const isHalfFull = this.#ring.isHalfFull;
    if (isHalfFull && !this.#isSignalled) this.#post({ v: STORE_PROTOCOL_VERSION, type: 'jobs-wait' });
    this.#isSignalled = isHalfFull;
  }

  /** Called once the transaction is readable, and before its sets are acknowledged: no durable set is left unread. */
  afterApply(): void {
    Atomics.store(this.#watermarks, WATERMARKS.durable, this.#transaction);
    Atomics.store(this.#watermarks, WATERMARKS.readable, this.#transaction);
  }

  /** All durable changes are readable: notifies a waiting subscriber. */
  notifyReadable(): void {
    if (!this.#isReaderWaiting) return;
    this.#isReaderWaiting = false;
    this.#post({ v: STORE_PROTOCOL_VERSION, type: 'readable' });
  }

  close(): void {
    this.#port.close();
  }

  #post(notice: WatchNotice): void {
    this.#port.postMessage(notice);
  }
}

const pageChanges = (sets: readonly EncodedChangeSet[]): EncodedChangeSet['changes'] =>
  sets.flatMap(({ changes }) => changes.filter(({ table }) => table === 'taskPage'));
