import type { Channel } from './channel.ts';

/** What runs on this thread besides waits no longer than about this for a slice of deliveries. */
const SLICE_MS = 4;
/** Followers that are seen to between two looks at the clock. */
const FOLLOWERS_AT_ONCE = 32;
/** After a round the pump rests for so many times as long as it took: it takes a tenth of the thread, and events that come meanwhile share a write. */
const REST_SHARE = 9;
const REST_MAX_MS = 1000;
/** A subject of so few followers is delivered at once when its ring fills up between two rounds. */
const FEW_FOLLOWERS = 16;

/**
 * Brings events to their followers. However many events come, a follower gets all that is new for it in one write of a
 * round: a write to each of ten thousand connections costs what a hundred thousand events in them cost.
 */
export class Pump {
  readonly #depth: number;
  readonly #steadyNow: () => number;
  #changed = new Set<Channel>();
  #isRunning = false;
  #restsUntil = 0;

  /** `depth` is how many events a channel keeps. */
  constructor(depth: number, steadyNow: () => number) {
    this.#depth = depth;
    this.#steadyNow = steadyNow;
  }

  /** A channel that has followers has a new event. */
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

  /** Sees to followers for the time of a slice, and to the others in later turns of the thread. */
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
