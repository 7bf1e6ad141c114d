import fc from 'fast-check';
import { test } from 'tap';
import { bucketOfValue, positionsAt, type ValueBlock } from '../../../src/core/lists/ranks.ts';

/** A block of plain values. Its bounds may be wider than its values, as in a filtered block. */
function plainBlock(values: readonly number[], first: number, slack: number): ValueBlock {
  return {
    low: Math.min(...values) - slack,
    high: Math.max(...values) + slack,
    count: values.length,
    countInto(counts, bucketOf) {
      for (const value of values) {
        const bucket = bucketOfValue(bucketOf, value);
        counts[bucket] = (counts[bucket] ?? 0) + 1;
      }
    },
    collect(found, bucketOf, from, to) {
      for (const [nth, value] of values.entries()) {
        const bucket = bucketOfValue(bucketOf, value);
        if (bucket >= from && bucket <= to) found.add(value, first + nth);
      }
    },
  };
}

function blocksOf(lists: readonly (readonly number[])[], slack: number): readonly ValueBlock[] {
  let first = 0;
  return lists.map((values) => {
    const block = plainBlock(values, first, slack);
    first += values.length;
    return block;
  });
}

function plainly(
  values: readonly number[],
  offset: number,
  limit: number,
  descending: boolean,
): readonly number[] {
  const sign = descending ? -1 : 1;
  const places = values.map((_, place) => place);
  places.sort((a, b) => sign * ((values[a] ?? 0) - (values[b] ?? 0)) || a - b);
  return places.slice(offset, offset + limit);
}

const times = fc.oneof(
  fc.integer({ min: 0, max: 3 }),
  fc.integer({ min: 1_700_000_000_000, max: 1_700_000_100_000 }),
  fc.integer({ min: 0, max: 4_000_000_000_000 }),
);

void test('a window of few values equals that of the sorted list', async (t) => {
  fc.assert(
    fc.property(
      fc.array(fc.array(times, { maxLength: 30, size: 'max' }), { maxLength: 6 }),
      fc.nat({ max: 200 }),
      fc.integer({ min: 1, max: 50 }),
      fc.boolean(),
      fc.constantFrom(0, 1, 1e6),
      (lists, offset, limit, descending, slack) => {
        const found = positionsAt(blocksOf(lists, slack), { offset, limit, descending });
        return JSON.stringify(found) === JSON.stringify(plainly(lists.flat(), offset, limit, descending));
      },
    ),
  );
  t.pass('every window is equal');
});

/** Many values in distributions that put nearly all of them into one range. */
const SHAPES: Readonly<Record<string, (nth: number) => number>> = {
  'all equal': () => 1_700_000_000_000,
  'two values': (nth) => (nth % 2 === 0 ? 5 : 1_700_000_000_000),
  'spread out': (nth) => 1_700_000_000_000 + ((nth * 7919) % 30_011) * 17,
  rising: (nth) => 1_700_000_000_000 + nth,
  'equal but the first and the last': (nth) => (nth === 0 ? 0 : nth === 29_999 ? 4e12 : 1_700_000_000_000),
  'close together, with one far away': (nth) => (nth === 777 ? 1 : 1_700_000_000_000 + (nth % 9000)),
};

void test('a window of many values equals that of the sorted list, for any distribution', async (t) => {
  for (const [name, valueAt] of Object.entries(SHAPES)) {
    const lists = Array.from({ length: 15 }, (_, block) =>
      Array.from({ length: 2000 }, (_unused, nth) => valueAt(block * 2000 + nth)),
    );
    const values = lists.flat();
    for (const descending of [false, true]) {
      for (const [offset, limit] of [
        [0, 50],
        [14_990, 1000],
        [29_999, 50],
        [30_000, 50],
        [0, 30_000],
      ] as const) {
        const found = positionsAt(blocksOf(lists, 0), { offset, limit, descending });
        t.strictSame(found, plainly(values, offset, limit, descending), `${name} ${offset} ${descending}`);
      }
    }
  }
});
