/** docs/contract/events.md#connection-timing. */
export const PING_EVERY_MS = 30_000;
export const IDLE_CLOSE_MS = 5 * 60_000;

/** How often `tick` is to be called: a connection is closed at most this late. */
export const TICK_MS = 1_000;

/** Status of a connection that is closed because one side goes away, or is gone already. */
const GOING_AWAY = 1001;
const TICKS_PER_PING = PING_EVERY_MS / TICK_MS;

/** A connection that is watched. */
interface Watched {
  ping(): void;
  close(code: number, reason: string): void;
}

/**
 * Pings connections, and closes those from which no frame has come for long; the answer to a ping is one. Pings are spread
 * over the time between two of a connection, so that ten thousand do not go out at once.
 */
export class Liveness<Connection extends Watched> {
  readonly #steadyNow: () => number;
  readonly #byTick: readonly Set<Connection>[];
  /** When each was heard last; those that were heard longest ago come first. */
  readonly #heardAt = new Map<Connection, number>();
  #ticks = 0;
  #entered = 0;

  constructor(steadyNow: () => number) {
    this.#steadyNow = steadyNow;
    this.#byTick = Array.from({ length: TICKS_PER_PING }, () => new Set<Connection>());
  }

  enter(connection: Connection): void {
    this.#byTick[this.#entered++ % TICKS_PER_PING]?.add(connection);
    this.#heardAt.set(connection, this.#steadyNow());
  }

  leave(connection: Connection): void {
    for (const each of this.#byTick) if (each.delete(connection)) break;
    this.#heardAt.delete(connection);
  }

  /** A frame has come. */
  heard(connection: Connection): void {
    if (!this.#heardAt.delete(connection)) return;
    this.#heardAt.set(connection, this.#steadyNow());
  }

  tick(): void {
    for (const connection of this.#byTick[this.#ticks++ % TICKS_PER_PING] ?? []) connection.ping();
    const heardBefore = this.#steadyNow() - IDLE_CLOSE_MS;
    for (const [connection, heardAt] of this.#heardAt) {
      if (heardAt > heardBefore) return;
      this.leave(connection);
      connection.close(GOING_AWAY, 'no frame came for 5 minutes');
    }
  }

  /** Closes all. */
  stop(): void {
    for (const connection of [...this.#heardAt.keys()]) {
      this.leave(connection);
      connection.close(GOING_AWAY, 'the service is stopping');
    }
  }
}
