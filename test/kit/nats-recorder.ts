/** Records items and lets a test wait for them. */
export class Recorder<T> {
  readonly all: T[] = [];
  readonly #waiting = new Set<() => void>();

  #fault: Error | null = null;

  readonly add = (item: T): void => {
    const fault = this.#fault;
    this.#fault = null;
    if (fault !== null) throw fault;
    this.all.push(item);
    for (const look of this.#waiting) look();
  };

  /** The next `add` throws this and records nothing. */
  failOnce(fault: Error): void {
    this.#fault = fault;
  }

  /** Returns the first item from index `from` on that `fits`; waits for it if necessary. */
  next<S extends T>(fits: (item: T) => item is S, from?: number): Promise<S>;
  next(fits: (item: T) => boolean, from?: number): Promise<T>;
  next(fits: (item: T) => boolean, from = 0): Promise<T> {
    return new Promise((resolve) => {
      const look = (): void => {
        const found = this.all.slice(from).find(fits);
        if (found === undefined) return;
        this.#waiting.delete(look);
        resolve(found);
      };
      this.#waiting.add(look);
      look();
    });
  }

  /** Resolves once this many items are recorded. */
  count(wanted: number): Promise<void> {
    return new Promise((resolve) => {
      const look = (): void => {
        if (this.all.length < wanted) return;
        this.#waiting.delete(look);
        resolve();
      };
      this.#waiting.add(look);
      look();
    });
  }
}

/** Returns a predicate for items of one type of a tagged union. */
export const ofType =
  <K extends string>(type: K) =>
  <T extends { readonly type: string }>(item: T): item is Extract<T, { type: K }> =>
    item.type === type;
