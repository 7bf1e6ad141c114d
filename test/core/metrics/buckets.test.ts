import fc from 'fast-check';
import { test } from 'tap';
import { Buckets, SECONDS_BOUNDS } from '../../../src/core/metrics/buckets.ts';

test('values are counted by inclusive upper bound', (t) => {
  const buckets = new Buckets([1, 2]);
  t.strictSame(buckets.cumulative(), { upTo: [0, 0], count: 0, sum: 0 });
  for (const value of [0, 1, 1.5, 2, 2.5, 100]) buckets.observe(value);
  t.strictSame(buckets.cumulative(), { upTo: [2, 4], count: 6, sum: 107 });
  t.strictSame(buckets.take(), { counts: [2, 2, 2], sum: 107 });
  t.strictSame(buckets.take(), { counts: [0, 0, 0], sum: 0 });
  t.end();
});

test('counts that are taken in pieces add up to the observed values', (t) => {
  const values = fc.array(fc.array(fc.integer({ min: 0, max: 40_000 }).map((each) => each / 1000)));
  fc.assert(
    fc.property(values, (pieces) => {
      const thread = new Buckets(SECONDS_BOUNDS);
      const all = new Buckets(SECONDS_BOUNDS);
      for (const piece of pieces) {
        for (const value of piece) thread.observe(value);
        all.add(thread.take());
      }
      const observed = pieces.flat();
      const { upTo, count, sum } = all.cumulative();
      const expected = SECONDS_BOUNDS.map((bound) => observed.filter((value) => value <= bound).length);
      return (
        JSON.stringify(upTo) === JSON.stringify(expected) &&
        count === observed.length &&
        Math.abs(sum - observed.reduce((total, value) => total + value, 0)) < 1e-6
      );
    }),
  );
  t.end();
});
