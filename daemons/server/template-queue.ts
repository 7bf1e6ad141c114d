/**
 * States of an item: waiting, running (taken), finished or withdrawn (final). Invariants: at most `threads` items run;
 * a client without a waiting or running item has no entry. Exits: `finished`, `withdraw`.
 */

/** An evaluation of at least this time is long: its client may not occupy every thread. */
export const LONG_MS = 250;

/** Maximum number of clients whose last evaluation was short that are remembered. */
const QUICK_CLIENTS_MAX = 1_000;

export interface QueueLimits {
  /** Items that run at the same time. */
  readonly threads: number;
  /** Items that wait. */
  readonly waiting: number;
  readonly waitingPerClient: number;
}

/** `service`: the queue is full; `client`: too many items of this client wait. */
export type Entry = 'waiting' | 'service' | 'client';

interface Client<Item> {
  readonly name: string;
  readonly waiting: Set<Item>;
  running: number;
}

export interface Taken<Item> {
  readonly item: Item;
  /** Must be called once, with the time of the evaluation. */
  readonly finished: (tookMs: number) => void;
}

/**
 * Shares threads among clients. They take turns, one item each. A client may use all threads only while its last
 * evaluation was short; otherwise it leaves one thread to others.
 */
export class TemplateQueue<Item> {
  readonly #limits: QueueLimits;
  /** The client that was served the longest time ago is first. */
  readonly #clients = new Map<string, Client<Item>>();
  readonly #quick = new Set<string>();
  #running = 0;
  #waiting = 0;

  constructor(limits: QueueLimits) {
    this.#limits = limits;
  }

  add(client: string, item: Item): Entry {
    if (this.#waiting >= this.#limits.waiting) return 'service';
    const entry = this.#clients.get(client) ?? { name: client, waiting: new Set(), running: 0 };
    if (entry.waiting.size >= this.#limits.waitingPerClient) return 'client';
    this.#clients.set(client, entry);
    entry.waiting.add(item);
    this.#waiting += 1;
    return 'waiting';
  }

  /** Returns the next item that may run now, or null. */
  take(): Taken<Item> | null {
    if (this.#running >= this.#limits.threads) return null;
    for (const client of this.#clients.values()) {
      const [item] = client.waiting;
      if (item === undefined || client.running >= this.#shareOf(client.name)) continue;
      client.waiting.delete(item);
      client.running += 1;
      this.#waiting -= 1;
      this.#running += 1;
      this.#moveToEnd(client);
      return { item, finished: (tookMs) => this.#finished(client, tookMs) };
    }
    return null;
  }

  /** Removes an item that waits. Returns false if it does not wait. */
  withdraw(client: string, item: Item): boolean {
    const entry = this.#clients.get(client);
    if (entry?.waiting.delete(item) !== true) return false;
    this.#waiting -= 1;
    this.#forgetIfIdle(entry);
    return true;
  }

  #shareOf(client: string): number {
    const { threads } = this.#limits;
    return this.#quick.has(client) ? threads : Math.max(1, threads - 1);
  }

  #finished(client: Client<Item>, tookMs: number): void {
    client.running -= 1;
    this.#running -= 1;
    this.#quick.delete(client.name);
    if (tookMs < LONG_MS) this.#quick.add(client.name);
    for (const name of this.#quick) {
      if (this.#quick.size <= QUICK_CLIENTS_MAX) break;
      this.#quick.delete(name);
    }
    this.#moveToEnd(client);
    this.#forgetIfIdle(client);
  }

  /** The turn of a client that was or is served comes after those of all others. */
  #moveToEnd(client: Client<Item>): void {
    this.#clients.delete(client.name);
    this.#clients.set(client.name, client);
  }

  #forgetIfIdle(client: Client<Item>): void {
    if (client.running === 0 && client.waiting.size === 0) this.#clients.delete(client.name);
  }
}
