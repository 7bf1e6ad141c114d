import { steadyMs } from './standing.ts';

/** The same trouble is reported again after this time. */
const AGAIN_MS = 10_000;

/** Passes warnings on, but not each repetition. */
export class QuietWarnings {
  readonly #warned: (text: string) => void;
  #last = { text: '', atMs: -Infinity };

  constructor(warned: (text: string) => void) {
    this.#warned = warned;
  }

  warn(text: string): void {
    const atMs = steadyMs();
    if (text === this.#last.text && atMs - this.#last.atMs < AGAIN_MS) return;
    this.#last = { text, atMs };
    this.#warned(text);
  }
}
