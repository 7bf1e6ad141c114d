import { TASK_PAGE_BYTES } from './task-page.ts';

/** Pages that lie in one piece of memory, at most: a piece of its own for each page costs a quarter of the page besides. */
const PAGES_A_SLAB = 64;

const slabOf = (pages: number): Uint8Array => new Uint8Array(pages * TASK_PAGE_BYTES);

const pageAt = (slab: Uint8Array, nth: number): Uint8Array =>
  slab.subarray(nth * TASK_PAGE_BYTES, (nth + 1) * TASK_PAGE_BYTES);

/** Copies numbered pages side by side, into as much memory as they take. */
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
 * Room for the new pages of one step: they lie side by side, and what is kept ahead is never more than what the step has, so that a
 * step of which few tasks are touched keeps little. It lives as long as the step's pages do: no other's memory is held by it.
 */
export class PageArena {
  private slab = slabOf(0);
  private used = 0;

  /** An empty page for a step that has `pages` pages by now and may come to have `pagesMax`. */
  take(pages: number, pagesMax: number): Uint8Array {
    if (this.used * TASK_PAGE_BYTES === this.slab.length) {
      this.slab = slabOf(Math.max(1, Math.min(PAGES_A_SLAB, pages, pagesMax - pages)));
      this.used = 0;
    }
    return pageAt(this.slab, this.used++);
  }
}
