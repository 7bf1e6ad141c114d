import { useSyncExternalStore } from 'react';

/** All relative times of a page move together, by one timer, and only while somebody looks. */
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

/** The time in milliseconds, to the second or to the half minute; the component is drawn anew as it passes. */
export function useNow(step: 'second' | 'half-minute'): number {
  const clock = step === 'second' ? seconds : halfMinutes;
  return useSyncExternalStore(clock.subscribe, clock.now);
}
