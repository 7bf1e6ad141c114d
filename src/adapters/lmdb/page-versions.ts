import type { JobId } from '../../core/ids.ts';
import { PAGES_PER_BLOCK } from '../../core/lists/step-tasks.ts';
import type { PageVersions } from '../../core/ports/committed-changes.ts';
import { keys } from '../../core/records/tables.ts';
import { keyBytes } from './key-bytes.ts';

/** Number of versions, shared by all blocks of pages by the hash of their keys: a power of two. */
const VERSIONS = 2 ** 16;
const HASH_SHIFT = 16;
/** Number of digits of the page number in the key of a page (src/core/records/tables.ts). */
const NUMBER_BYTES = 10;
const ZERO = 0x30;

/** Each version, and the global one, is counted twice: before commits, and after them. */
const COUNTS = VERSIONS + 1;

/** Returns the memory for the versions of task pages, shared by the store thread, which changes them, and readers. */
export const pageVersionMemory = (): SharedArrayBuffer =>
  new SharedArrayBuffer(2 * COUNTS * Int32Array.BYTES_PER_ELEMENT);

/**
 * Versions of task pages in shared memory. A reader that caches pages takes their applied version before its snapshot.
 * It reads the pages again if there was none, or if the version has changed after the snapshot.
 */
export class SharedPageVersions implements PageVersions {
  readonly #begun: Int32Array;
  readonly #ended: Int32Array;

  constructor(memory: SharedArrayBuffer) {
    this.#begun = new Int32Array(memory, 0, COUNTS);
    this.#ended = new Int32Array(memory, COUNTS * Int32Array.BYTES_PER_ELEMENT, COUNTS);
  }

  of(job: JobId, stepOrder: number, block: number): number {
    return sumAt(this.#begun, placeOf(keyBytes(keys.taskPagesOf(job, stepOrder)), block));
  }

  appliedVersion(job: JobId, stepOrder: number, block: number): number | null {
    const place = placeOf(keyBytes(keys.taskPagesOf(job, stepOrder)), block);
    // In this order: a commit that ends in between makes the two differ, never agree.
    const begun = sumAt(this.#begun, place);
    return sumAt(this.#ended, place) === begun ? begun : null;
  }

  /** Called before the page of a key is written. */
  begin(key: Uint8Array): void {
    Atomics.add(this.#begun, countOf(key), 1);
  }

  /** Called after the page of a key was written. */
  end(key: Uint8Array): void {
    Atomics.add(this.#ended, countOf(key), 1);
  }

  /** Called before any page may be written. */
  beginAll(): void {
    Atomics.add(this.#begun, VERSIONS, 1);
  }

  /** Called after any page may have been written. */
  endAll(): void {
    Atomics.add(this.#ended, VERSIONS, 1);
  }
}

/** The global count increases too, but never enough for the sum to be an old one again. */
const sumAt = (counts: Int32Array, place: number): number =>
  Atomics.load(counts, place) + Atomics.load(counts, VERSIONS);

/** Returns the index of the count for the page of a key. */
function countOf(key: Uint8Array): number {
  const number = pageNumberOf(key);
  if (number === null) return VERSIONS;
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
