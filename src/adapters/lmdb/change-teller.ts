import type { MessagePort } from 'node:worker_threads';
import type { EncodedChangeSet } from './change-set-codec.ts';
import { NoticeRing } from './notice-ring.ts';
import { SharedPageVersions } from './page-versions.ts';
import {
  SETTLED,
  STORE_PROTOCOL,
  type WatchMemory,
  type WatchNotice,
  type WatchRequest,
} from './store-protocol.ts';

/**
 * The store thread's part of a change watch (change-watch.ts): tells of the rows of a commit before it can be read, and that
 * it can be, so that whoever sees a commit in a snapshot can know of it. Hears when the watcher waits for what is on disk and cannot be read yet.
 */
export class ChangeTeller {
  readonly #port: MessagePort;
  readonly #versions: SharedPageVersions;
  readonly #settled: BigInt64Array;
  readonly #ring: NoticeRing;
  /** Whether the watcher was told that the ring is half full, and has not read it since. */
  #isCalled = false;
  #number = 0;
  /** Whether the watcher waits to be told that all can be read. */
  #isAsked = false;

  constructor(port: MessagePort, memory: WatchMemory, readSoon: () => void) {
    this.#port = port;
    port.on('message', (_request: WatchRequest) => {
      this.#isAsked = true;
      readSoon();
    });
    this.#versions = new SharedPageVersions(memory.pageVersions);
    this.#settled = new BigInt64Array(memory.settled);
    this.#ring = new NoticeRing(memory.notices);
  }

  /** So many sets are on disk, and cannot be read yet. */
  hardened(sets: number): void {
    Atomics.add(this.#settled, SETTLED.durableSets, BigInt(sets));
  }

  /** Before the sets are applied. */
  begins(sets: readonly EncodedChangeSet[]): void {
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
    if (!this.#ring.put(notice)) this.#post({ v: STORE_PROTOCOL, type: 'jobs-changed', ...notice });
    const isHalfFull = this.#ring.isHalfFull;
    if (isHalfFull && !this.#isCalled) this.#post({ v: STORE_PROTOCOL, type: 'jobs-wait' });
    this.#isCalled = isHalfFull;
  }

  /** Once the sets can be read, and before anybody is told so. `hardened` was told of them. */
  ended(sets: readonly EncodedChangeSet[]): void {
    for (const { op, key } of pageChanges(sets)) {
      if (op === 'removePrefix') this.#versions.endAll();
      else this.#versions.end(key);
    }
    Atomics.store(this.#settled, SETTLED.notices, BigInt(this.#number));
    Atomics.add(this.#settled, SETTLED.commits, 1n);
    Atomics.add(this.#settled, SETTLED.readableSets, BigInt(sets.length));
  }

  /** All that is on disk can be read: a watcher that waits for it is told. */
  caughtUp(): void {
    if (!this.#isAsked) return;
    this.#isAsked = false;
    this.#post({ v: STORE_PROTOCOL, type: 'readable' });
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
