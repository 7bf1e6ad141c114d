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
 * The store thread's side of a change subscription (change-subscription.ts): publishes the rows of a commit before it
 * can be read, and then that it can be, so that a reader of a snapshot has already received the notice of each commit
 * in it. Handles requests of a subscriber that waits for durable changes to become readable.
 */
export class ChangePublisher {
  readonly #port: MessagePort;
  readonly #versions: SharedPageVersions;
  readonly #watermarks: BigInt64Array;
  readonly #ring: NoticeRing;
  /** Set after the subscriber was notified that the ring is half full, until it reads the ring. */
  #isSignalled = false;
  #number = 0;
  /** Set while the subscriber waits until all changes are readable. */
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

  /** This number of sets is on disk, but not readable yet. */
  markDurable(sets: number): void {
    Atomics.add(this.#watermarks, WATERMARKS.durableSets, BigInt(sets));
  }

  /** Called before the sets are applied. */
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

  /**
   * Called once the sets are readable, and before their commit is acknowledged. `markDurable` was already called for
   * them.
   */
  afterApply(sets: readonly EncodedChangeSet[]): void {
    for (const { op, key } of pageChanges(sets)) {
      if (op === 'removePrefix') this.#versions.endAll();
      else this.#versions.end(key);
    }
    Atomics.store(this.#watermarks, WATERMARKS.notices, BigInt(this.#number));
    Atomics.add(this.#watermarks, WATERMARKS.commits, 1n);
    Atomics.add(this.#watermarks, WATERMARKS.readableSets, BigInt(sets.length));
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
