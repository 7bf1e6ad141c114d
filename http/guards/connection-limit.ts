/** Open connections of the event channel by client. */
export class ConnectionLimit {
  readonly #max: number | null;
  readonly #open = new Map<string, number>();

  /** `max` is the limit of each client (`http.rate_limit.connections`); null for no limit. */
  constructor(max: number | null) {
    this.#max = max;
  }

  /** Returns why the client may not open another connection, or null. */
  refusal(client: string): string | null {
    if (this.#max === null || (this.#open.get(client) ?? 0) < this.#max) return null;
    return `this address has ${this.#max} open event connections, the limit; close one of them`;
  }

  /** Counts a connection. Returns a function that ends the count; it must be called once. */
  opened(client: string): () => void {
    this.#open.set(client, (this.#open.get(client) ?? 0) + 1);
    return () => {
      const left = (this.#open.get(client) ?? 1) - 1;
      if (left === 0) this.#open.delete(client);
      else this.#open.set(client, left);
    };
  }
}
