/**
 * States of a request: asked, parked, over. Invariants: `parked` has exactly the requests in that state; a request is
 * counted when its reply is sent. Exits: the reply, a repetition of the request, or no reply within `forgetAfterMs`.
 */

import { Buckets, SECONDS_BOUNDS, type BucketCounts } from './buckets.ts';

/** Results of lease requests since the previous call. */
export interface LeaseCounts {
  /** Requests answered with at least one task, with no task, and with "unknown worker". */
  readonly answered: Readonly<Record<LeaseAnswer, number>>;
  readonly tasks: number;
  /** Seconds from the request to the reply with tasks, without the wait for work. */
  readonly latency: BucketCounts;
  /** Seconds that requests waited for work before they got tasks. */
  readonly wait: BucketCounts;
}

export type LeaseAnswer = 'leased' | 'empty' | 'unknown';

/** A lease request between its arrival and its reply. It travels with the reply address. Times are milliseconds. */
export interface LeaseWait {
  readonly askedAt: number;
  state: 'asked' | 'parked' | 'over';
}

/**
 * Measures lease requests of one shard from their arrival to the reply.
 *
 * A request that gets tasks immediately is measured in full. For a parked request the latency starts with the commit
 * window that found work for it: the wait for work does not depend on the service, and is measured separately. Times
 * are milliseconds of one monotonic clock. Only parked requests are stored here: a map entry for every request costs
 * more garbage collection than the measurement (docs/performance.md).
 */
export class LeaseWaits {
  /** By inbox, in the order of parking. */
  private readonly parked = new Map<string, LeaseWait>();
  private readonly forgetAfterMs: number;
  private answered = { leased: 0, empty: 0, unknown: 0 };
  private tasks = 0;
  private readonly latency = new Buckets(SECONDS_BOUNDS);
  private readonly wait = new Buckets(SECONDS_BOUNDS);

  /** A request without a reply after `forgetAfterMs` is lost: its actor was reloaded. */
  constructor(forgetAfterMs: number) {
    this.forgetAfterMs = forgetAfterMs;
  }

  /** Returns the number of requests that wait for work. */
  get parkedRequests(): number {
    return this.parked.size;
  }

  requested(now: number): LeaseWait {
    return { askedAt: now, state: 'asked' };
  }

  /**
   * All immediate effects of the request are processed. If it has no reply by now, it waits for work. A repeated
   * request counts once.
   */
  settled(inbox: string, wait: LeaseWait): void {
    if (wait.state !== 'asked') return;
    const before = this.parked.get(inbox);
    if (before !== undefined) this.forget(inbox, before);
    wait.state = 'parked';
    this.parked.set(inbox, wait);
  }

  /** Counts the reply that is sent now; its commit window began at `windowStartedAt`. */
  replied(
    { inbox, wait }: { readonly inbox: string; readonly wait: LeaseWait },
    answer: LeaseAnswer,
    tasks: number,
    windowStartedAt: number,
    now: number,
  ): void {
    this.answered[answer]++;
    this.tasks += tasks;
    const { askedAt, state } = wait;
    if (state === 'over') return;
    if (state === 'parked') this.forget(inbox, wait);
    else wait.state = 'over';
    if (answer !== 'leased') return;
    const isParked = state === 'parked';
    this.latency.observe(secondsFrom(isParked ? windowStartedAt : askedAt, now));
    if (isParked) this.wait.observe(secondsFrom(askedAt, windowStartedAt));
  }

  /** Returns and resets the counts. Drops lost requests. */
  take(now: number): LeaseCounts {
    for (const [inbox, wait] of this.parked) {
      if (wait.askedAt > now - this.forgetAfterMs) break;
      this.forget(inbox, wait);
    }
    const { answered, tasks } = this;
    this.answered = { leased: 0, empty: 0, unknown: 0 };
    this.tasks = 0;
    return { answered, tasks, latency: this.latency.take(), wait: this.wait.take() };
  }

  /** Removes a parked request. */
  private forget(inbox: string, wait: LeaseWait): void {
    wait.state = 'over';
    this.parked.delete(inbox);
  }
}

const secondsFrom = (from: number, to: number): number => Math.max(0, to - from) / 1000;
