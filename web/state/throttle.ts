/**
 * States: idle, waiting (`#timer` is set). Invariants: one timer at a time; the last action wins. Exits: the timer runs
 * the action; `close` drops it.
 */

/** Runs an action at most once per interval: `leadMs` after the first of a quiet interval, else at its end. */
export class Throttle {
  readonly #everyMs: number;
  readonly #leadMs: number;
  #lastAt = -Infinity;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #act: () => void = () => undefined;

  constructor(everyMs: number, leadMs = 0) {
    this.#everyMs = everyMs;
    this.#leadMs = leadMs;
  }

  /** Of several actions within one interval, only the last runs. */
  readonly run = (act: () => void): void => {
    this.#act = act;
    if (this.#timer !== null) return;
    const waitMs = Math.max(this.#leadMs, this.#lastAt + this.#everyMs - performance.now());
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#lastAt = performance.now();
      this.#act();
    }, waitMs);
  };

  readonly close = (): void => {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  };
}
