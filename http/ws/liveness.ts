/**
 * Invariants: each connection has one tick and one time of its last frame; the times are in ascending order. Exits:
 * `leave`, 5 minutes without a frame, `stop`.
 */

/** docs/contract/events.md#connection-timing. */
export const PING_EVERY_MS = 30_000;
export const IDLE_CLOSE_MS = 5 * 60_000;

/** Interval of `tick`: a connection is closed at most this late. */
export const TICK_MS = 1_000;

/** Close code for a connection whose peer has left or is about to. */
const GOING_AWAY = 1001;
const TICKS_PER_PING = PING_EVERY_MS / TICK_MS;

/** A monitored connection. */
interface Watched {
  ping(): void;
  close(code: number, reason: string): void;
}

/**
 * Pings connections and closes those without a frame for too long; a pong counts as a frame. Pings are spread over
 * the interval, so that 10,000 are not sent at once.
 */
export class Liveness<Connection extends Watched> {
  readonly #steadyNow: () => number;
  readonly #byTick: readonly Set<Connection>[];
  /** Time of the last frame of each connection, oldest first. */
  readonly #lastFrameAt = new Map<Connection, number>();
  #ticks = 0;
  #entered = 0;

  constructor(steadyNow: () => number) {
    this.#steadyNow = steadyNow;
    this.#byTick = Array.from({ length: TICKS_PER_PING }, () => new Set<Connection>());
  }

  enter(connection: Connection): void {
    this.#byTick[this.#entered++ % TICKS_PER_PING]?.add(connection);
    this.#lastFrameAt.set(connection, this.#steadyNow());
  }

  leave(connection: Connection): void {
    for (const each of this.#byTick) if (each.delete(connection)) break;
    this.#lastFrameAt.delete(connection);
  }

  /** Records a frame. */
  frameReceived(connection: Connection): void {
    if (!this.#lastFrameAt.delete(connection)) return;
    this.#lastFrameAt.set(connection, this.#steadyNow());
  }

  tick(): void {
    for (const connection of this.#byTick[this.#ticks++ % TICKS_PER_PING] ?? []) connection.ping();
    const heardBefore = this.#steadyNow() - IDLE_CLOSE_MS;
    for (const [connection, lastFrameAt] of this.#lastFrameAt) {
      if (lastFrameAt > heardBefore) return;
      this.leave(connection);
      connection.close(GOING_AWAY, 'no frame for 5 minutes');
    }
  }

  /** Closes all connections. */
  stop(): void {
    for (const connection of [...this.#lastFrameAt.keys()]) {
      this.leave(connection);
      connection.close(GOING_AWAY, 'the service is stopping');
    }
  }
}
