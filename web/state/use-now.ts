/**
 * States of a clock: stopped, running while it has listeners. Invariants: one timer per clock. Exits: the last
 * unsubscription stops it.
 */

import { useSyncExternalStore } from 'react';

/**
 * One timer for all relative times of a page, so that they change together. It runs only while the page uses it, and
 * changes nothing while the tab is hidden.
 */
class Clock {
  readonly #everyMs: number;
  readonly #listeners = new Set<() => void>();
  #now: number;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(everyMs: number) {
    this.#everyMs = everyMs;
    this.#now = Date.now();
  }

  readonly now = (): number => this.#now;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    if (this.#timer === undefined) {
      this.#now = Date.now();
      this.#timer = setInterval(() => {
        if (document.hidden) return;
        this.#now = Date.now();
        for (const each of this.#listeners) each();
      }, this.#everyMs);
    }
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    };
  };
}

const seconds = new Clock(1_000);
const halfMinutes = new Clock(30_000);

/** Returns the time in milliseconds, updated every second or every half minute, and renders the component again. */
export function useNow(step: 'second' | 'half-minute'): number {
  const clock = step === 'second' ? seconds : halfMinutes;
  return useSyncExternalStore(clock.subscribe, clock.now);
}
