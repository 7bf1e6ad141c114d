import fc from 'fast-check';
import { test } from 'tap';
import { RateLimiter, type RateLimit } from '../../../src/core/rate-limit/rate-limiter.ts';

const SEEDS = [0x1234_5678, 0x9abc_def0] as const;

/** Reference implementation of a token bucket: tokens in thousandths, refilled on access. */
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

test('each client is admitted as by its own token bucket', (t) => {
  const limit = fc.record({ rps: fc.integer({ min: 1, max: 2000 }), burst: fc.integer({ min: 1, max: 50 }) });
  const request = fc.record({ client: fc.nat(4), pauseMs: fc.nat(120) });
  fc.assert(
    fc.property(limit, fc.array(request, { maxLength: 300, size: 'max' }), (rates, requests) => {
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

test('a client that waits as long as requested is admitted, and one that waits a millisecond less is not', (t) => {
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

test('a client may send 40 requests at once, then 20 per second, as in the contract', (t) => {
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
    'the bucket fills up to the burst and no further',
  );
  t.equal(limiter.take('b', 60_000), 0, 'another client has its own bucket');
  t.end();
});

test('a flood of addresses blocks no client, and frees a greedy client only briefly', (t) => {
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
  t.equal(strangers, rounds * 10, 'every new client is admitted, with 128 entries for 20,000 clients');
  // 9.995 s at 20 per second, and the burst. The greedy client keeps its entry, because the buckets of others are
  // fuller.
  t.equal(greedy, 239);
  t.end();
});

test('a client without an entry starts with a full bucket', (t) => {
  const limiter = new RateLimiter({ rps: 1, burst: 2 }, SEEDS, 1);
  const clients = Array.from({ length: 9 }, (_, each) => `client ${each}`);
  const askTwice = (client: string): number[] => [limiter.take(client, 0), limiter.take(client, 0)];
  for (const client of clients) t.strictSame(askTwice(client), [0, 0], client);
  const refused = clients.filter((client) => limiter.take(client, 0) > 0);
  t.ok(refused.length < clients.length, 'one client has lost its entry and thus its debt');
  t.ok(refused.length >= 7);
  t.end();
});
