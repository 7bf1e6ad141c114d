/**
 * States: idle, a round is running (`#running`), another round waits for its end (`#next`). Invariants: the question of a
 * round is sent after every request that waits for it has arrived. Exits: the position is applied, or the time of a round is up.
 */

import { steadyMs, type SharedStanding } from './standing.ts';

/** Time of a round, after which reads may be older than what a client has received. */
const ROUND_MS = 1000;
/** Time of a round after one that failed: clients of a cluster without an owner do not wait long for each page. */
const SHORT_ROUND_MS = 100;
const AGAIN_MS = 50;

/** Lag of this node behind the owner, by the last round. */
export interface Lag {
  readonly records: number;
  /** Time that the last position of the owner took until it was applied here, or has taken so far. */
  readonly ms: number;
}

/**
 * Delays reads until this node shows everything that any client of the cluster has received.
 *
 * A node asks the owner for the position of the last record that the owner has sent. The owner answers only with a current lease,
 * so at that moment no other node has written a record, and every record that any node shows was sent before. The leader of the
 * stream is not asked: one that lost its quorum answers with an old position for up to 10 s (docs/decisions/any-node-serves.md).
 */
export class CurrentReads {
  readonly #standing: Pick<SharedStanding, 'read' | 'canAnswer' | 'untilApplied' | 'setCurrent'>;
  readonly #ask: (epoch: number, timeoutMs: number) => Promise<number | null>;
  #running: Promise<boolean> | null = null;
  #next: Promise<boolean> | null = null;
  #hasFailed = false;
  #position = 0;
  #lagMs = 0;
  #waitsSinceMs: number | null = null;

  /** `ask` returns the position of the owner of an epoch, or null without an answer. */
  constructor(
    standing: Pick<SharedStanding, 'read' | 'canAnswer' | 'untilApplied' | 'setCurrent'>,
    ask: (epoch: number, timeoutMs: number) => Promise<number | null>,
  ) {
    this.#standing = standing;
    this.#ask = ask;
  }

  /** Resolves with false if this node may be behind after the time of a round. Null: it is current, as the owner. */
  untilCurrent(): Promise<boolean> | null {
    if (this.#standing.canAnswer()) return this.#untilOwnRecords(ROUND_MS);
    if (this.#running === null) return this.#begin();
    this.#next ??= this.#running.then(() => {
      this.#next = null;
      return this.#begin();
    });
    return this.#next;
  }

  /** False after a round that failed. */
  get isCurrent(): boolean {
    return !this.#hasFailed || this.#standing.canAnswer();
  }

  get lag(): Lag {
    if (this.#standing.canAnswer()) return { records: 0, ms: 0 };
    const waited = this.#waitsSinceMs === null ? 0 : steadyMs() - this.#waitsSinceMs;
    const records = Math.max(0, this.#position - this.#standing.read().applied);
    return { records, ms: Math.round(Math.max(this.#lagMs, waited)) };
  }

  #begin(): Promise<boolean> {
    this.#running = this.#round().finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  async #round(): Promise<boolean> {
    const startedAt = steadyMs();
    const deadline = startedAt + (this.#hasFailed ? SHORT_ROUND_MS : ROUND_MS);
    const isCurrent = await this.#reach(deadline);
    this.#hasFailed = !isCurrent;
    if (isCurrent) this.#standing.setCurrent(startedAt);
    return isCurrent;
  }

  async #reach(deadline: number): Promise<boolean> {
    for (;;) {
      if (this.#standing.canAnswer())
        return (await this.#untilOwnRecords(Math.max(0, deadline - steadyMs()))) ?? true;
      const left = deadline - steadyMs();
      if (left <= 0) return false;
      const position = await this.#ask(this.#standing.read().epoch, left);
      if (position !== null) return await this.#apply(position, deadline);
      await new Promise((resolve) => setTimeout(resolve, Math.min(AGAIN_MS, Math.max(1, left))));
    }
  }

  /** The owner is behind a follower that shows a record whose acknowledgement is under way. Null: no record is in flight. */
  #untilOwnRecords(timeoutMs: number): Promise<boolean> | null {
    const { applied, appended } = this.#standing.read();
    return applied >= appended ? null : this.#standing.untilApplied(appended, timeoutMs);
  }

  async #apply(position: number, deadline: number): Promise<boolean> {
    this.#position = position;
    const since = steadyMs();
    this.#waitsSinceMs ??= since;
    const isApplied = await this.#standing.untilApplied(position, Math.max(0, deadline - since));
    if (!isApplied) return false;
    this.#lagMs = steadyMs() - this.#waitsSinceMs;
    this.#waitsSinceMs = null;
    return true;
  }
}
