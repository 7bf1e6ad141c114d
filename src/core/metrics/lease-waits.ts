import { Buckets, SECONDS_BOUNDS, type BucketCounts } from './buckets.ts';

/** What became of lease requests since the last time. */
export interface LeaseCounts {
  /** Requests that were answered with at least one task, without any, and because the worker is not known. */
  readonly answered: Readonly<Record<LeaseAnswer, number>>;
  readonly tasks: number;
  /** Seconds from the request to the reply with tasks, without the wait for work. */
  readonly latency: BucketCounts;
  /** Seconds that requests waited for work which then got some. */
  readonly wait: BucketCounts;
}

export type LeaseAnswer = 'leased' | 'empty' | 'unknown';

interface Waiting {
  readonly askedAt: number;
  isParked: boolean;
}

/**
 * Measures lease requests of one shard from their arrival to the reply. A request for which there is work at once is
 * measured whole. One that is parked is measured from when the commit window that found work for it began: the wait for
 * work says nothing about the service, and is measured apart. Times are milliseconds of one monotonic clock.
 */
export class LeaseWaits {
  private readonly waiting = new Map<string, Waiting>();
  private readonly forgetAfterMs: number;
  private parked = 0;
  private answered = { leased: 0, empty: 0, unknown: 0 };
  private tasks = 0;
  private readonly latency = new Buckets(SECONDS_BOUNDS);
  private readonly wait = new Buckets(SECONDS_BOUNDS);

  /** A request that was not answered for `forgetAfterMs` is lost: its actor was loaded again. */
  constructor(forgetAfterMs: number) {
    this.forgetAfterMs = forgetAfterMs;
  }

  /** Requests that wait for work now. */
  get parkedRequests(): number {
    return this.parked;
  }

  requested(inbox: string, now: number): void {
    const before = this.waiting.get(inbox);
    if (before !== undefined) this.forget(inbox, before);
    this.waiting.set(inbox, { askedAt: now, isParked: false });
  }

  /** All that the request has caused at once is said: when it is not answered by now, it waits for work. */
  settled(inbox: string): void {
    const waiting = this.waiting.get(inbox);
    if (waiting === undefined || waiting.isParked) return;
    waiting.isParked = true;
    this.parked++;
  }

  /** The reply leaves now; its commit window began at `windowStartedAt`. */
  replied(inbox: string, answer: LeaseAnswer, tasks: number, windowStartedAt: number, now: number): void {
    this.answered[answer]++;
    this.tasks += tasks;
    const waiting = this.waiting.get(inbox);
    if (waiting === undefined) return;
    this.forget(inbox, waiting);
    if (answer !== 'leased') return;
    const { askedAt, isParked } = waiting;
    this.latency.observe(secondsFrom(isParked ? windowStartedAt : askedAt, now));
    if (isParked) this.wait.observe(secondsFrom(askedAt, windowStartedAt));
  }

  /** What was counted since the last time. Forgets what is lost. */
  take(now: number): LeaseCounts {
    for (const [inbox, waiting] of this.waiting) {
      if (waiting.askedAt > now - this.forgetAfterMs) break;
      this.forget(inbox, waiting);
    }
    const { answered, tasks } = this;
    this.answered = { leased: 0, empty: 0, unknown: 0 };
    this.tasks = 0;
    return { answered, tasks, latency: this.latency.take(), wait: this.wait.take() };
  }

  private forget(inbox: string, { isParked }: Waiting): void {
    if (isParked) this.parked--;
    this.waiting.delete(inbox);
  }
}

const secondsFrom = (from: number, to: number): number => Math.max(0, to - from) / 1000;
