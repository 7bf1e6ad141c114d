/**
 * States: idle, scheduled or delivering (`#isRunning`). Invariants: one round at a time; a pause follows each round.
 * Exits: a round ends when all followers of its channels are served.
 */

import type { Channel } from './channel.ts';

/** Approximate maximum time of a slice of deliveries, which delays other work of the thread. */
const SLICE_MS = 4;
/** Followers served between two readings of the clock. */
const FOLLOWERS_AT_ONCE = 32;
/**
 * After a round, the pump pauses for this multiple of its duration. So it uses a tenth of the thread, and events that
 * arrive meanwhile share a write.
 */
const REST_SHARE = 9;
const REST_MAX_MS = 1000;
/** A subject with at most this many followers is delivered at once if its ring fills up between two rounds. */
const FEW_FOLLOWERS = 16;

/**
 * Delivers events to followers in rounds. A follower gets all its new events in one write per round, because a write
 * to each of 10,000 connections costs as much as 100,000 events in them.
 */
export class Pump {
  readonly #depth: number;
  readonly #steadyNow: () => number;
  #changed = new Set<Channel>();
  #isRunning = false;
  #restsUntil = 0;

  /** `depth` is the number of events that a channel retains. */
  constructor(depth: number, steadyNow: () => number) {
    this.#depth = depth;
    this.#steadyNow = steadyNow;
  }

  /** Schedules delivery for a channel with followers and a new event. */
  changed(channel: Channel): void {
    const waiting = channel.ring.last - channel.deliveredTo;
    if (waiting * 2 >= this.#depth && channel.followers.size <= FEW_FOLLOWERS) {
      for (const follower of channel.followers) follower.deliver();
      channel.deliveredTo = channel.ring.last;
      return;
    }
    this.#changed.add(channel);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    const restMs = this.#restsUntil - this.#steadyNow();
    if (restMs < 1) setImmediate(() => this.#begin());
    else setTimeout(() => this.#begin(), restMs);
  }

  #begin(): void {
    const channels = this.#changed;
    this.#changed = new Set();
    for (const channel of channels) channel.deliveredTo = channel.ring.last;
    this.#goOn(followersOf(channels), 0);
  }

  /** Serves followers for the time of a slice, and the rest in later turns of the thread. */
  #goOn(followers: Iterator<{ deliver(): void }, void>, busyMs: number): void {
    const startedAt = this.#steadyNow();
    let elapsed = 0;
    let isDone = false;
    while (!isDone && elapsed < SLICE_MS) {
      for (let n = 0; n < FOLLOWERS_AT_ONCE && !isDone; n++) {
        const next = followers.next();
        if (next.done === true) isDone = true;
        else next.value.deliver();
      }
      elapsed = this.#steadyNow() - startedAt;
    }
    const busy = busyMs + elapsed;
    if (!isDone) {
      setImmediate(() => this.#goOn(followers, busy));
      return;
    }
    this.#isRunning = false;
    this.#restsUntil = this.#steadyNow() + Math.min(REST_MAX_MS, busy * REST_SHARE);
    if (this.#changed.size > 0) this.#schedule();
  }
}

function* followersOf(channels: Iterable<Channel>): Generator<{ deliver(): void }, void> {
  for (const channel of channels) yield* channel.followers;
}
