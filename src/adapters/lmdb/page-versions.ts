import type { JobId } from '../../core/ids.ts';
import { PAGES_PER_BLOCK } from '../../core/lists/step-tasks.ts';
import type { PageVersions, Transactions } from '../../core/ports/committed-changes.ts';
import { keys } from '../../core/records/tables.ts';
import { keyBytes } from './key-bytes.ts';

/** Number of versions, shared by all blocks of pages by the hash of their keys: a power of two. */
const VERSIONS = 2 ** 16;
const HASH_SHIFT = 16;
/** Number of digits of the page number in the key of a page (src/core/records/tables.ts). */
const NUMBER_BYTES = 10;
const ZERO = 0x30;

/** Index of the version of all pages, which is the version of a block if it is higher than the block's own. */
const OF_ALL_PAGES = VERSIONS;

/** Returns the memory for the versions of task pages, shared by the store thread, which changes them, and readers. */
export const pageVersionMemory = (): SharedArrayBuffer =>
  new SharedArrayBuffer((VERSIONS + 1) * BigInt64Array.BYTES_PER_ELEMENT);

/** The store thread's side of the versions of task pages. */
export class PageVersionWriter {
  readonly #versions: BigInt64Array;

  constructor(memory: SharedArrayBuffer) {
    this.#versions = new BigInt64Array(memory);
  }

  /** Must be called before the transaction writes the page of a key. */
  set(key: Uint8Array, transaction: bigint): void {
    Atomics.store(this.#versions, placeOfKey(key), transaction);
  }

  /** Must be called before a transaction that may write any page. */
  setAll(transaction: bigint): void {
    Atomics.store(this.#versions, OF_ALL_PAGES, transaction);
  }
}

/**
 * Versions of task pages in shared memory. A reader that caches pages takes their readable version before its snapshot.
 * It reads the pages again if there was none, or if the version has changed after the snapshot.
 */
export class PageVersionReader implements PageVersions {
  readonly #versions: BigInt64Array;
  readonly #transactions: Transactions;

  constructor(memory: SharedArrayBuffer, transactions: Transactions) {
    this.#versions = new BigInt64Array(memory);
    this.#transactions = transactions;
  }

  of(job: JobId, stepOrder: number, block: number): number {
    const place = placeOf(keyBytes(keys.taskPagesOf(job, stepOrder)), block);
    return Math.max(this.#at(place), this.#at(OF_ALL_PAGES));
  }

  readableVersion(job: JobId, stepOrder: number, block: number): number | null {
    const version = this.of(job, stepOrder, block);
    return version <= this.#transactions.lastReadable() ? version : null;
  }

  #at(place: number): number {
    return Number(Atomics.load(this.#versions, place));
  }
}

/** Returns the index of the version for the page of a key. */
function placeOfKey(key: Uint8Array): number {
  const number = pageNumberOf(key);
  if (number === null) return OF_ALL_PAGES;
  return placeOf(key.subarray(0, key.length - NUMBER_BYTES), Math.floor(number / PAGES_PER_BLOCK));
}

function pageNumberOf(key: Uint8Array): number | null {
  if (key.length <= NUMBER_BYTES) return null;
  let number = 0;
  for (const byte of key.subarray(key.length - NUMBER_BYTES)) {
    const digit = byte - ZERO;
    if (digit < 0 || digit > 9) return null;
    number = number * 10 + digit;
  }
  return number;
}

/** FNV-1a of the key prefix of a step's pages, mixed with the block. */
function placeOf(prefix: Uint8Array, block: number): number {
  let hash = 0x811c9dc5;
  for (const byte of prefix) hash = Math.imul(hash ^ byte, 0x01000193);
  return Math.imul(hash ^ block, 0x9e3779b1) >>> HASH_SHIFT;
}
