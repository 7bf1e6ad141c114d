/** Live updates can be held: what is on the screen then stays as it is. */
class LiveUpdates {
  #isPaused = false;
  readonly #listeners = new Set<() => void>();

  readonly isPaused = (): boolean => this.#isPaused;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  pause(isPaused: boolean): void {
    this.#isPaused = isPaused;
    for (const listener of this.#listeners) listener();
  }
}

export const liveUpdates = new LiveUpdates();
