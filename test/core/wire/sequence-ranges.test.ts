import assert from 'node:assert/strict';
import fc from 'fast-check';
import { test } from 'tap';
import {
  MAX_SEQUENCE_RANGES,
  NOTHING_SEEN,
  hasSequence,
  addSequence,
  isGapless,
  type SequenceRanges,
} from '../../../src/core/wire/sequence-ranges.ts';

const seen = (...numbers: number[]): SequenceRanges =>
  numbers.reduce<SequenceRanges>(addSequence, NOTHING_SEEN);

test('numbers without a gap are one range, in any order of arrival', async (t) => {
  t.strictSame(seen(1, 2, 3), [1, 3]);
  t.strictSame(seen(3, 1, 2), [1, 3]);
  t.strictSame(seen(2, 2), [2, 2]);
  t.strictSame(seen(1, 2, 5, 7, 6), [1, 2, 5, 7]);
});

test('seen numbers are reported as by a set of numbers', async () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 60 })), (numbers) => {
      const ranges = seen(...numbers);
      const wanted = new Set(numbers);
      for (let n = 0; n <= 62; n++)
        assert.equal(hasSequence(ranges, n), wanted.has(n), `${n} in ${ranges.join(' ')}`);
      const sorted = [...wanted].sort((a, b) => a - b);
      const starts = sorted.filter((n) => !wanted.has(n - 1)).length;
      assert.equal(ranges.length, 2 * starts, 'as few ranges as possible');
    }),
  );
});

test('beyond the maximum number of ranges, gaps are closed, the oldest first', async (t) => {
  const odd = Array.from({ length: MAX_SEQUENCE_RANGES }, (_, i) => 2 * i + 1);
  const full = seen(...odd);
  t.equal(full.length, 2 * MAX_SEQUENCE_RANGES);
  t.equal(hasSequence(full, 2), false);
  const more = addSequence(full, 10_000);
  t.equal(more.length, 2 * MAX_SEQUENCE_RANGES);
  t.strictSame(more.slice(0, 4), [1, 3, 5, 5]);
  t.equal(hasSequence(more, 10_000), true);
});

test('a set has no gap if it begins with 1 and is one range', async (t) => {
  t.ok(isGapless(NOTHING_SEEN));
  t.ok(isGapless([1, 7]));
  t.notOk(isGapless([2, 7]), 'the first number is missing');
  t.notOk(isGapless([1, 3, 5, 7]));
});
