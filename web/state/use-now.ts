/**
 * States of the clock: stopped, running while it has listeners. Invariants: one timer. Exits: the last unsubscription
 * stops it.
 */

import { useSyncExternalStore } from 'react';

const TICK_MS = 1_000;
const HALF_MINUTE_MS = 30_000;

/**
 * The timer of all relative times of a page, so that ages and elapsed times change together. It runs only while the page uses
 * it, and changes nothing while the tab is hidden.
 */
class Clock {
  readonly #listeners = new Set<() => void>();
  #now = Date.now();
  #timer: ReturnType<typeof setInterval> | undefined;

  readonly now = (): number => this.#now;

  readonly halfMinute = (): number => Math.floor(this.#now / HALF_MINUTE_MS) * HALF_MINUTE_MS;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    if (this.#timer === undefined) {
      this.#now = Date.now();
      this.#timer = setInterval(() => {
        if (document.hidden) return;
        this.#now = Date.now();
        for (const each of this.#listeners) each();
      }, TICK_MS);
    }
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    };
  };
}

const clock = new Clock();

/**
 * Returns the time in milliseconds, and renders the component again when it changes: every second, or every half minute,
 * which is then the start of the current half minute.
 */
export function useNow(step: 'second' | 'half-minute'): number {
  return useSyncExternalStore(clock.subscribe, step === 'second' ? clock.now : clock.halfMinute);
}

/** Returns the text of a relative time. The component is rendered again only when the text changes. */
export function useTimeText(textAt: (now: number) => string): string {
  return useSyncExternalStore(clock.subscribe, () => textAt(clock.now()));
}
