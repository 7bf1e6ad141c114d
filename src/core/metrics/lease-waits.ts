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

/** A lease request on its way to its reply; it rides with the address of the reply. Times are milliseconds. */
export interface LeaseWait {
  readonly askedAt: number;
  state: 'asked' | 'parked' | 'over';
}

/**
 * Measures lease requests of one shard from their arrival to the reply. A request for which there is work at once is
 * measured whole. One that is parked is measured from when the commit window that found work for it began: the wait for
 * work says nothing about the service, and is measured apart. Times are milliseconds of one monotonic clock. Only parked requests
 * are kept here: a map that each request enters and leaves costs the collector more than the measuring (docs/performance.md).
 */
export class LeaseWaits {
  /** By inbox, in the order in which they were parked. */
  private readonly parked = new Map<string, LeaseWait>();
  private readonly forgetAfterMs: number;
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
    return this.parked.size;
  }

  requested(now: number): LeaseWait {
    return { askedAt: now, state: 'asked' };
  }

  /** All that the request has caused at once is said: when it is not answered by now, it waits for work. One that comes again counts once. */
  settled(inbox: string, wait: LeaseWait): void {
    if (wait.state !== 'asked') return;
    const before = this.parked.get(inbox);
    if (before !== undefined) this.forget(inbox, before);
    wait.state = 'parked';
    this.parked.set(inbox, wait);
  }

  /** The reply to the request leaves now; its commit window began at `windowStartedAt`. */
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

  /** What was counted since the last time. Forgets what is lost. */
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

  /** A parked request is over. */
  private forget(inbox: string, wait: LeaseWait): void {
    wait.state = 'over';
    this.parked.delete(inbox);
  }
}

const secondsFrom = (from: number, to: number): number => Math.max(0, to - from) / 1000;
