import type { JobId } from '../../core/ids.ts';
import { PAGES_PER_BLOCK } from '../../core/lists/step-tasks.ts';
import type { PageVersions } from '../../core/ports/committed-changes.ts';
import { keys } from '../../core/records/tables.ts';
import { keyBytes } from './key-bytes.ts';

/** Versions that all blocks of pages share, by the hash of their keys: a power of two. */
const VERSIONS = 2 ** 16;
const HASH_SHIFT = 16;
/** Of the key of a page: the page's number, in decimal (src/core/records/tables.ts). */
const NUMBER_BYTES = 10;
const ZERO = 0x30;

/** Memory for the versions of task pages, to be shared by the store thread, which changes them, and readers. */
export const pageVersionMemory = (): SharedArrayBuffer =>
  new SharedArrayBuffer((VERSIONS + 1) * Int32Array.BYTES_PER_ELEMENT);

/**
 * Versions of task pages in shared memory. A reader that keeps pages takes their version before its snapshot, and reads
 * them again once it is another.
 */
export class SharedPageVersions implements PageVersions {
  readonly #versions: Int32Array;

  constructor(memory: SharedArrayBuffer) {
    this.#versions = new Int32Array(memory);
  }

  of(job: JobId, stepOrder: number, block: number): number {
    const version = Atomics.load(this.#versions, placeOf(keyBytes(keys.taskPagesOf(job, stepOrder)), block));
    // The version of everything rises too, and never so often that the sum could be an old one.
    return version + Atomics.load(this.#versions, VERSIONS);
  }

  /** The page of a key is about to be written, or was. */
  change(key: Uint8Array): void {
    const number = pageNumberOf(key);
    if (number === null) this.changeAll();
    else {
      const block = Math.floor(number / PAGES_PER_BLOCK);
      const place = placeOf(key.subarray(0, key.length - NUMBER_BYTES), block);
      Atomics.add(this.#versions, place, 1);
    }
  }

  /** Any page may be about to be written, or was. */
  changeAll(): void {
    Atomics.add(this.#versions, VERSIONS, 1);
  }
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

/** FNV-1a of what the keys of a step's pages begin with, mixed with the block. */
function placeOf(prefix: Uint8Array, block: number): number {
  let hash = 0x811c9dc5;
  for (const byte of prefix) hash = Math.imul(hash ^ byte, 0x01000193);
  return Math.imul(hash ^ block, 0x9e3779b1) >>> HASH_SHIFT;
}
