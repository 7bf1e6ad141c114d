import { test } from 'tap';
import { TokenBucket } from '../../../src/core/rate-limit/token-bucket.ts';

void test('a bucket has its burst at once and then its rate', (t) => {
  const bucket = new TokenBucket({ rps: 2, burst: 3 }, 1_000);
  t.same(
    [1, 2, 3, 4].map(() => bucket.take(1_000)),
    [true, true, true, false],
  );
  t.equal(bucket.take(1_499), false);
  t.equal(bucket.take(1_500), true);
  t.equal(bucket.take(1_501), false);
  t.same(
    [1, 2, 3, 4].map(() => bucket.take(60_000)),
    [true, true, true, false],
    'a pause fills it to the burst',
  );
  t.end();
});

void test('a time that goes back takes no tokens', (t) => {
  const bucket = new TokenBucket({ rps: 1, burst: 2 }, 10_000);
  t.same([bucket.take(1_000), bucket.take(1_000), bucket.take(1_000)], [true, true, false]);
  t.equal(bucket.take(2_000), true, 'a second later');
  t.end();
});
