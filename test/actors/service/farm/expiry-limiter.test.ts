import { test } from 'tap';
import { expiryDelayMs, newExpiryLimiter } from '../../../../actors/service/farm/expiry-limiter.ts';

const TIMEOUT_MS = 30_000;

test('up to three in ten workers may expire at once', (t) => {
  const limiter = newExpiryLimiter();
  const now = 1_000_000;
  t.strictSame(
    [10, 10, 10, 10].map((online) => expiryDelayMs(limiter, online, TIMEOUT_MS, now)),
    [0, 0, 0, TIMEOUT_MS],
  );
  t.equal(
    expiryDelayMs(limiter, 10, TIMEOUT_MS, now + 1000),
    TIMEOUT_MS - 1000,
    'all of a burst are deferred to the same time',
  );
  t.equal(expiryDelayMs(limiter, 10, TIMEOUT_MS, now + TIMEOUT_MS), 0, 'and may expire then');
  t.end();
});

test('fewer than ten workers are never deferred', (t) => {
  const limiter = newExpiryLimiter();
  for (let online = 9; online > 0; online--)
    t.equal(expiryDelayMs(limiter, online, TIMEOUT_MS, 1_000_000), 0);
  t.end();
});

test('a burst ends after three timeouts', (t) => {
  const limiter = newExpiryLimiter();
  const now = 1_000_000;
  for (let each = 0; each < 4; each++) expiryDelayMs(limiter, 10, TIMEOUT_MS, now);
  const later = now + 3 * TIMEOUT_MS + 1;
  t.strictSame(
    [1, 2, 3, 4].map(() => expiryDelayMs(limiter, 10, TIMEOUT_MS, later)),
    [0, 0, 0, TIMEOUT_MS],
    'the next burst is deferred again',
  );
  t.end();
});

test('a worker of a deferred burst that asks late may expire at once', (t) => {
  const limiter = newExpiryLimiter();
  const now = 1_000_000;
  for (let each = 0; each < 4; each++) expiryDelayMs(limiter, 10, TIMEOUT_MS, now);
  for (const late of [TIMEOUT_MS + 1, 2 * TIMEOUT_MS, 3 * TIMEOUT_MS])
    t.equal(expiryDelayMs(limiter, 10, TIMEOUT_MS, now + late), 0, `${late} ms after the burst began`);
  t.end();
});
