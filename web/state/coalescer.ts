/**
 * States: empty, waiting, overflowed, closed (final). Invariants: one scheduled delivery at a time; nothing is
 * delivered while paused. Exits: a delivery, or `close`.
 */

/** Maximum number of items kept while paused; beyond it, `overflow` asks the owner to reload. */
const KEPT_MAX = 10_000;

export interface CoalescerOptions<Item> {
  readonly everyMs: number;
  readonly deliver: (items: readonly Item[]) => void;
  /** Called when items were dropped because too many arrived while paused. */
  readonly overflow: () => void;
  readonly isPaused: () => boolean;
  readonly now: () => number;
  /** Calls `act` after `ms` milliseconds. Returns a function that cancels the call. */
  readonly later: (act: () => void, ms: number) => () => void;
}

/** Batches single items: delivers the first at once, and later ones at most every `everyMs` milliseconds. */
export class Coalescer<Item> {
  readonly #options: CoalescerOptions<Item>;
  #waiting: Item[] = [];
  #hasOverflowed = false;
  #lastAt = -Infinity;
  #cancel: (() => void) | null = null;
  #isClosed = false;

  constructor(options: CoalescerOptions<Item>) {
    this.#options = options;
  }

  add(items: readonly Item[]): void {
    if (this.#waiting.length + items.length > KEPT_MAX) {
      this.#waiting = [];
      this.#hasOverflowed = true;
    } else for (const item of items) this.#waiting.push(item);
    this.#schedule();
  }

  /** Delivers the kept items if the pause has ended. */
  resume(): void {
    this.#schedule();
  }

  close(): void {
    this.#isClosed = true;
    this.#cancel?.();
    this.#cancel = null;
  }

  #schedule(): void {
    const hasNothing = this.#waiting.length === 0 && !this.#hasOverflowed;
    if (this.#cancel !== null || this.#isClosed || hasNothing || this.#options.isPaused()) return;
    const waitMs = Math.max(0, this.#lastAt + this.#options.everyMs - this.#options.now());
    this.#cancel = this.#options.later(() => this.#flush(), waitMs);
  }

  #flush(): void {
    this.#cancel = null;
    if (this.#isClosed || this.#options.isPaused()) return;
    this.#lastAt = this.#options.now();
    const items = this.#waiting;
    const hasOverflowed = this.#hasOverflowed;
    this.#waiting = [];
    this.#hasOverflowed = false;
    if (hasOverflowed) this.#options.overflow();
    if (items.length > 0) this.#options.deliver(items);
  }
}
