/**
 * Invariants: events are numbered without gaps; `start < oldest <= last + 1`; at most `depth` events are retained.
 * Exits: the oldest events are dropped.
 */

import { pushFrame } from '../../src/core/wire/socket-messages.ts';

interface Kept {
  readonly payload: object;
  readonly weight: number;
  frame: string | null;
}

/** The retained events of a subject, numbered without gaps. A frame is built when a client first needs it. */
export class ReplayRing {
  readonly #subject: string;
  readonly #depth: number;
  readonly #weightMax: number;
  /** Event `seq` is at `(seq - 1 - start) % depth`. */
  readonly #kept: (Kept | undefined)[] = [];
  /** Number before the first event. */
  readonly start: number;
  #weight = 0;
  /** Number of the newest event; `start` if there is none. */
  last: number;
  /** Number of the oldest retained event; `last + 1` if there is none. */
  oldest: number;

  /**
   * The first event has the number `start + 1`. At most `depth` events are retained. If their total weight exceeds
   * `weightMax`, only the newest one is certain to be.
   */
  constructor(subject: string, start: number, depth: number, weightMax: number) {
    this.#subject = subject;
    this.start = start;
    this.#depth = depth;
    this.#weightMax = weightMax;
    this.last = start;
    this.oldest = start + 1;
  }

  /** Adds an event. `weight` is the length of its long texts in characters. */
  push(payload: object, weight = 0): void {
    if (this.last - this.oldest + 1 === this.#depth) this.#dropOldest();
    this.last += 1;
    this.#kept[this.#placeOf(this.last)] = { payload, weight, frame: null };
    this.#weight += weight;
    while (this.#weight > this.#weightMax && this.oldest < this.last) this.#dropOldest();
  }

  /** Counts an event that all clients miss, and drops the retained ones: the clients load the data again. */
  lose(): void {
    while (this.oldest <= this.last) this.#dropOldest();
    this.last += 1;
    this.oldest = this.last + 1;
  }

  /** Returns the payloads of the retained events, oldest first. */
  *payloads(): Generator<object> {
    for (let seq = this.oldest; seq <= this.last; seq += 1) {
      const kept = this.#kept[this.#placeOf(seq)];
      if (kept !== undefined) yield kept.payload;
    }
  }

  /** Returns the frame of an event from `oldest` to `last`. */
  frameOf(seq: number): string {
    const kept = this.#kept[this.#placeOf(seq)];
    if (kept === undefined) throw new Error(`the event ${seq} of ${this.#subject} is not kept`);
    kept.frame ??= pushFrame(this.#subject, seq, kept.payload);
    return kept.frame;
  }

  #dropOldest(): void {
    const place = this.#placeOf(this.oldest);
    this.#weight -= this.#kept[place]?.weight ?? 0;
    this.#kept[place] = undefined;
    this.oldest += 1;
  }

  #placeOf(seq: number): number {
    return (seq - 1 - this.start) % this.#depth;
  }
}
