import { TASK_PAGE_BYTES } from './task-page.ts';

/**
 * Maximum number of pages in one buffer. A buffer of its own for each page would cost an additional quarter of the
 * page.
 */
const PAGES_A_SLAB = 64;

const slabOf = (pages: number): Uint8Array => new Uint8Array(pages * TASK_PAGE_BYTES);

const pageAt = (slab: Uint8Array, nth: number): Uint8Array =>
  slab.subarray(nth * TASK_PAGE_BYTES, (nth + 1) * TASK_PAGE_BYTES);

/** Copies numbered pages next to each other, into exactly as much memory as they need. */
export function gatherPages(
  pages: Iterable<readonly [number: number, page: Uint8Array]>,
): Map<number, Uint8Array> {
  const gathered = new Map<number, Uint8Array>();
  let batch: (readonly [number, Uint8Array])[] = [];
  const settle = (): void => {
    const slab = slabOf(batch.length);
    for (const [nth, [number, page]] of batch.entries()) {
      const own = pageAt(slab, nth);
      own.set(page);
      gathered.set(number, own);
    }
    batch = [];
  };
  for (const page of pages) {
    batch.push(page);
    if (batch.length === PAGES_A_SLAB) settle();
  }
  if (batch.length > 0) settle();
  return gathered;
}

/**
 * Memory for the new pages of one step. The pages are adjacent, and the memory allocated in advance never exceeds the
 * memory in use, so that a step with few touched tasks needs little. It has the same lifetime as the step's pages and
 * keeps no other memory alive.
 */
export class PageArena {
  private slab = slabOf(0);
  private used = 0;

  /** Returns an empty page for a step that has `pages` pages and may get up to `pagesMax`. */
  take(pages: number, pagesMax: number): Uint8Array {
    if (this.used * TASK_PAGE_BYTES === this.slab.length) {
      this.slab = slabOf(Math.max(1, Math.min(PAGES_A_SLAB, pages, pagesMax - pages)));
      this.used = 0;
    }
    return pageAt(this.slab, this.used++);
  }
}
