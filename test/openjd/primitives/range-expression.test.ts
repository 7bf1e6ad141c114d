import fc from 'fast-check';
import { test } from 'tap';
import {
  runsOfValues,
  shortestText,
  sizeOfRuns,
  textOfRuns,
  type Run,
} from '../../../src/openjd/primitives/integer-set.ts';
import { parseRange } from '../../../src/openjd/primitives/range-expression.ts';

const MAX_PARTS = 100;

function runsOf(text: string): Run[] {
  const parsed = parseRange(text, MAX_PARTS);
  if (!parsed.ok) throw new Error(parsed.detail);
  return parsed.runs;
}

function detailOf(text: string): string {
  const parsed = parseRange(text, MAX_PARTS);
  return parsed.ok ? '' : parsed.detail;
}

const valuesOf = (runs: readonly Run[]): bigint[] =>
  runs.flatMap(({ start, step, count }) =>
    Array.from({ length: Number(count) }, (_, index) => start + BigInt(index) * step),
  );

const numbersOf = (text: string): number[] => valuesOf(runsOf(text)).map(Number);

void test('a range expression is an increasing set of integers', (t) => {
  t.same(numbersOf('1 - 5'), [1, 2, 3, 4, 5]);
  t.same(numbersOf('-1 - 1'), [-1, 0, 1]);
  t.same(numbersOf('10-15:2,1-5'), [1, 2, 3, 4, 5, 10, 12, 14]);
  t.same(numbersOf('1-10:4'), [1, 5, 9]);
  t.same(numbersOf('5-1:-2'), [1, 3, 5]);
  t.same(numbersOf('-1--5:-3'), [-4, -1]);
  t.same(numbersOf(' 007\t, 3-3:9 '), [3, 7]);
  t.same(
    runsOf('-9223372036854775808-9223372036854775807').map(({ start, count }) => [start, count]),
    [[-(2n ** 63n), 2n ** 64n]],
  );
  t.end();
});

void test('invalid range expressions are rejected', (t) => {
  t.equal(detailOf(''), 'the range is empty');
  t.equal(detailOf(' \t'), 'the range is empty');
  for (const text of [
    'a',
    '1-',
    '1-2-3',
    '1:2',
    '+1',
    '1.5',
    '1,,2',
    ',1',
    '1-2:',
    '1 2',
    '--1',
    '1-5:2:2',
  ]) {
    t.match(detailOf(text), /is not a part of a range/, text);
  }
  t.equal(detailOf('5-1'), '"5-1" goes down without a negative step; write 5-1:-1');
  t.equal(detailOf('1-5:-1'), '"1-5:-1" goes up with a negative step');
  t.equal(detailOf('1-5:0'), '"1-5:0" has the step 0');
  t.equal(detailOf('1-5,5-9'), 'the parts that begin at 1 and at 5 overlap');
  t.equal(detailOf('1-9:2,2'), 'the parts that begin at 1 and at 2 overlap');
  t.match(detailOf('9223372036854775808'), /outside the range of 64-bit integers/);
  t.equal(
    detailOf(Array.from({ length: 101 }, (_, index) => index).join(',')),
    'the range has more than 100 parts',
  );
  t.end();
});

void test('the text of a range joins adjacent parts', (t) => {
  const canonical = (text: string): string => textOfRuns(runsOf(text));
  t.equal(canonical('0-1,3-4,7-9,10'), '0,1,3,4,7-10');
  t.equal(canonical('1-10:2'), '1-9:2');
  t.equal(canonical('7-8'), '7,8');
  t.equal(canonical('5-3:-1,12-8:-2,2-0:-1,6-7:2'), '0-5,6-12:2');
  t.equal(canonical('1-5:3'), '1,4');
  t.equal(shortestText(runsOf('1,3,5')), '1-5:2');
  t.equal(shortestText(runsOfValues([16n, 1n, 3n, 5n, 6n, 7n, 8n, 10n, 13n])), '1-5:2,6-8,10-16:3');
  t.end();
});

const parts = fc.array(
  fc.record({
    gap: fc.integer({ min: 1, max: 5 }),
    step: fc.integer({ min: 1, max: 4 }),
    count: fc.integer({ min: 1, max: 6 }),
  }),
  { minLength: 1, maxLength: 8 },
);

/** Generator of expressions with disjoint parts, in any order and direction. */
const expression = fc
  .tuple(
    fc.integer({ min: -50, max: 50 }),
    parts,
    fc.infiniteStream(fc.boolean()),
    fc.infiniteStream(fc.nat()),
  )
  .map(([origin, list, flips, keys]) => {
    let at = origin;
    const texts = list.map(({ gap, step, count }) => {
      const first = at + gap;
      const last = first + step * (count - 1);
      at = last;
      if (count === 1) return `${first}`;
      return flips.next().value === true ? `${last}-${first}:-${step}` : `${first} - ${last}:${step}`;
    });
    return texts
      .map((text) => ({ text, key: Number(keys.next().value) }))
      .sort((a, b) => a.key - b.key)
      .map(({ text }) => text)
      .join(',');
  });

/** Formats runs as plain text, to compare them. */
const print = (runs: readonly Run[]): string[] =>
  runs.map(({ start, step, count }) => `${start} ${step} ${count}`);

void test('printing a range and parsing it again changes nothing', (t) => {
  fc.assert(
    fc.property(expression, (text) => {
      const runs = runsOf(text);
      return JSON.stringify(print(runsOf(textOfRuns(runs)))) === JSON.stringify(print(runs));
    }),
  );
  fc.assert(
    fc.property(expression, (text) => {
      const values = valuesOf(runsOf(text));
      return String(valuesOf(runsOf(shortestText(runsOf(text))))) === String(values);
    }),
  );
  t.end();
});

void test('a range has the integers of its runs in increasing order', (t) => {
  fc.assert(
    fc.property(expression, (text) => {
      const runs = runsOf(text);
      const values = valuesOf(runs);
      return (
        BigInt(values.length) === sizeOfRuns(runs) &&
        values.every((value, index) => index === 0 || value > (values[index - 1] ?? value))
      );
    }),
  );
  t.end();
});

void test('a list of integers becomes a set', (t) => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -30, max: 30 }), { minLength: 1 }), (list) => {
      const expected = [...new Set(list)].sort((a, b) => a - b);
      return String(valuesOf(runsOfValues(list.map(BigInt)))) === String(expected);
    }),
  );
  t.end();
});

void test('every text yields a set or an error', (t) => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom(...'0123456789-:, \t'), maxLength: 20, size: 'max' }),
      (text) => {
        const parsed = parseRange(text, MAX_PARTS);
        return parsed.ok ? sizeOfRuns(parsed.runs) > 0n : parsed.detail !== '';
      },
    ),
    { numRuns: 2000 },
  );
  t.end();
});
