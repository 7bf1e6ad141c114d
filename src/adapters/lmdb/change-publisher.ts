import type { MessagePort } from 'node:worker_threads';
import type { EncodedChangeSet } from './change-set-codec.ts';
import { NoticeRing } from './notice-ring.ts';
import { SharedPageVersions } from './page-versions.ts';
import {
  WATERMARKS,
  STORE_PROTOCOL_VERSION,
  type WatchMemory,
  type WatchNotice,
  type WatchRequest,
} from './store-protocol.ts';

/**
 * The store thread's part of a change watch (change-subscription.ts): tells of the rows of a commit before it can be read, and that
 * it can be, so that whoever sees a commit in a snapshot can know of it. Hears when the watcher waits for what is on disk and cannot be read yet.
 */
export class ChangePublisher {
  readonly #port: MessagePort;
  readonly #versions: SharedPageVersions;
  readonly #watermarks: BigInt64Array;
  readonly #ring: NoticeRing;
  /** Whether the watcher was told that the ring is half full, and has not read it since. */
  #isSignalled = false;
  #number = 0;
  /** Whether the watcher waits to be told that all can be read. */
  #isReaderWaiting = false;

  constructor(port: MessagePort, memory: WatchMemory, requestApply: () => void) {
    this.#port = port;
    port.on('message', (_request: WatchRequest) => {
      this.#isReaderWaiting = true;
      requestApply();
    });
    this.#versions = new SharedPageVersions(memory.pageVersions);
    this.#watermarks = new BigInt64Array(memory.watermarks);
    this.#ring = new NoticeRing(memory.notices);
  }

  /** So many sets are on disk, and cannot be read yet. */
  markDurable(sets: number): void {
    Atomics.add(this.#watermarks, WATERMARKS.durableSets, BigInt(sets));
  }

  /** Before the sets are applied. */
  beforeApply(sets: readonly EncodedChangeSet[]): void {
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
      if (op === 'removePrefix') this.#versions.beginAll();
      else this.#versions.begin(key);
    }
    if (jobs.size === 0 && prefixes.length === 0) return;
    this.#number += 1;
    const notice = { number: this.#number, keys: [...jobs], prefixes };
    if (!this.#ring.put(notice)) this.#post({ v: STORE_PROTOCOL_VERSION, type: 'jobs-changed', ...notice });
    const isHalfFull = this.#ring.isHalfFull;
    if (isHalfFull && !this.#isSignalled) this.#post({ v: STORE_PROTOCOL_VERSION, type: 'jobs-wait' });
    this.#isSignalled = isHalfFull;
  }

  /** Once the sets can be read, and before anybody is told so. `hardened` was told of them. */
  afterApply(sets: readonly EncodedChangeSet[]): void {
    for (const { op, key } of pageChanges(sets)) {
      if (op === 'removePrefix') this.#versions.endAll();
      else this.#versions.end(key);
    }
    Atomics.store(this.#watermarks, WATERMARKS.notices, BigInt(this.#number));
    Atomics.add(this.#watermarks, WATERMARKS.commits, 1n);
    Atomics.add(this.#watermarks, WATERMARKS.readableSets, BigInt(sets.length));
  }

  /** All that is on disk can be read: a watcher that waits for it is told. */
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
