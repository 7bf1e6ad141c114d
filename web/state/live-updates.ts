/** Pauses live updates: the data on the screen then stays unchanged. */
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
