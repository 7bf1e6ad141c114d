/** More than this is not kept while it is held: whoever listens loads anew. */
const KEPT_MAX = 10_000;

export interface CoalescerOptions<Item> {
  readonly everyMs: number;
  readonly deliver: (items: readonly Item[]) => void;
  /** Too many came while they were held: they are dropped. */
  readonly overflow: () => void;
  readonly isHeld: () => boolean;
  readonly now: () => number;
  /** Calls `act` after so many milliseconds; gives what prevents it. */
  readonly later: (act: () => void, ms: number) => () => void;
}

/** Brings what comes one by one together: the first at once, what follows at most once in `everyMs`. */
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

  /** Nothing holds it any more, perhaps. */
  released(): void {
    this.#schedule();
  }

  close(): void {
    this.#isClosed = true;
    this.#cancel?.();
    this.#cancel = null;
  }

  #schedule(): void {
    const hasNothing = this.#waiting.length === 0 && !this.#hasOverflowed;
    if (this.#cancel !== null || this.#isClosed || hasNothing || this.#options.isHeld()) return;
    const waitMs = Math.max(0, this.#lastAt + this.#options.everyMs - this.#options.now());
    this.#cancel = this.#options.later(() => this.#flush(), waitMs);
  }

  #flush(): void {
    this.#cancel = null;
    if (this.#isClosed || this.#options.isHeld()) return;
    this.#lastAt = this.#options.now();
    const items = this.#waiting;
    const hasOverflowed = this.#hasOverflowed;
    this.#waiting = [];
    this.#hasOverflowed = false;
    if (hasOverflowed) this.#options.overflow();
    if (items.length > 0) this.#options.deliver(items);
  }
}
