import fc from 'fast-check';
import { test } from 'tap';
import { RateLimiter, type RateLimit } from '../../../src/core/rate-limit/rate-limiter.ts';

const SEEDS = [0x1234_5678, 0x9abc_def0] as const;

/** A token bucket as the book has it: tokens in thousandths, filled up when it is looked at. */
class BookBucket {
  readonly #limit: RateLimit;
  #thousandths: number;
  #at = 0;

  constructor(limit: RateLimit) {
    this.#limit = limit;
    this.#thousandths = limit.burst * 1000;
  }

  take(now: number): boolean {
    const { rps, burst } = this.#limit;
    this.#thousandths = Math.min(burst * 1000, this.#thousandths + (now - this.#at) * rps);
    this.#at = now;
    if (this.#thousandths < 1000) return false;
    this.#thousandths -= 1000;
    return true;
  }
}

test('each client is let in exactly as by a token bucket of its own', (t) => {
  const limit = fc.record({ rps: fc.integer({ min: 1, max: 2000 }), burst: fc.integer({ min: 1, max: 50 }) });
  const request = fc.record({ client: fc.nat(4), pauseMs: fc.nat(120) });
  fc.assert(
    fc.property(limit, fc.array(request, { maxLength: 300 }), (rates, requests) => {
      const limiter = new RateLimiter(rates, SEEDS);
      const book = new Map<number, BookBucket>();
      let now = 0;
      for (const { client, pauseMs } of requests) {
        now += pauseMs;
        const bucket = book.get(client) ?? new BookBucket(rates);
        book.set(client, bucket);
        if ((limiter.take(`10.0.0.${client}`, now) === 0) !== bucket.take(now)) return false;
      }
      return true;
    }),
  );
  t.end();
});

test('who waits as long as told is let in, who waits a millisecond less is not', (t) => {
  const limit = fc.record({ rps: fc.integer({ min: 1, max: 3000 }), burst: fc.integer({ min: 1, max: 30 }) });
  fc.assert(
    fc.property(limit, fc.nat(10_000_000), fc.nat(50), (rates, start, offsetMs) => {
      const early = new RateLimiter(rates, SEEDS);
      const late = new RateLimiter(rates, SEEDS);
      for (let each = 0; each < rates.burst; each++) for (const both of [early, late]) both.take('a', start);
      const now = start + Math.min(offsetMs, Math.floor(999 / rates.rps));
      const wait = early.take('a', now);
      if (wait <= 0 || late.take('a', now) !== wait) return false;
      return late.take('a', now + wait) === 0 && (wait === 1 || early.take('a', now + wait - 1) === 1);
    }),
  );
  t.end();
});

test('40 at once, then 20 a second, as the contract has it', (t) => {
  const limiter = new RateLimiter({ rps: 20, burst: 40 }, SEEDS);
  const waits = (now: number, count: number): number[] =>
    Array.from({ length: count }, () => limiter.take('a', now));
  t.strictSame(waits(5_000, 41), [...Array<number>(40).fill(0), 50]);
  t.strictSame(waits(5_049, 1), [1]);
  t.strictSame(waits(5_050, 2), [0, 50]);
  t.strictSame(waits(6_050, 21), [...Array<number>(20).fill(0), 50]);
  t.strictSame(
    waits(60_000, 41),
    [...Array<number>(40).fill(0), 50],
    'it fills up to the burst and no further',
  );
  t.equal(limiter.take('b', 60_000), 0, 'another client has its own');
  t.end();
});

test('a flood of addresses locks no client out, and frees a greedy client only briefly', (t) => {
  const limiter = new RateLimiter({ rps: 20, burst: 40 }, SEEDS, 16);
  let greedy = 0;
  let strangers = 0;
  const rounds = 2_000;
  for (let round = 0; round < rounds; round++) {
    const now = round * 5;
    for (let each = 0; each < 10; each++) if (limiter.take('greedy', now) === 0) greedy++;
    for (let each = 0; each < 10; each++)
      if (limiter.take(`stranger ${round} ${each}`, now) === 0) strangers++;
  }
  t.equal(strangers, rounds * 10, 'everyone new is let in, with 128 places for 20,000 clients');
  // 9.995 s at 20 a second, and the burst. The greedy one keeps its place, because others are nearer to full.
  t.equal(greedy, 239);
  t.end();
});

test('a client without a place starts with a full bucket', (t) => {
  const limiter = new RateLimiter({ rps: 1, burst: 2 }, SEEDS, 1);
  const clients = Array.from({ length: 9 }, (_, each) => `client ${each}`);
  const askTwice = (client: string): number[] => [limiter.take(client, 0), limiter.take(client, 0)];
  for (const client of clients) t.strictSame(askTwice(client), [0, 0], client);
  const refused = clients.filter((client) => limiter.take(client, 0) > 0);
  t.ok(refused.length < clients.length, 'one has lost its place, and its debt');
  t.ok(refused.length >= 7);
  t.end();
});
