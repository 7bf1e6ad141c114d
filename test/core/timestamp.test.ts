import fc from 'fast-check';
import { test } from 'tap';
import { timestampOf } from '../../src/core/timestamp.ts';

void test('a time is formatted as by the JavaScript engine', async (t) => {
  const same = (milliseconds: number): void => {
    t.equal(timestampOf(milliseconds), new Date(milliseconds).toISOString());
  };
  const days = [0, 86_399_999, 86_400_000, -1, Date.UTC(2024, 1, 29, 23, 59, 59, 999), Date.UTC(10_000, 0)];
  for (const milliseconds of days) same(milliseconds);
  fc.assert(fc.property(fc.integer({ min: -62_000_000_000_000, max: 300_000_000_000_000 }), same));
  fc.assert(fc.property(fc.integer({ min: 1_790_000_000_000, max: 1_790_086_400_000 }), same));
});

void test('an invalid time is rejected', async (t) => {
  for (const milliseconds of [NaN, Infinity, 9e15]) t.throws(() => timestampOf(milliseconds), RangeError);
});
