import fc from 'fast-check';
import { test } from 'tap';
import { resultText, type Row } from '../evaluate/checked.ts';
import { checkResults } from '../evaluate/rows.ts';

const OVERFLOW = 'error: Integer overflow: result is outside the 64-bit signed range';
const WIDE = { symbols: { 'R: range_expr': '-4611686018427387903-4611686018427387903' } };
const MANY = {
  symbols: { 'R: range_expr': '1-1000000000' },
  context: { limits: { memory: 1000, operations: 10 } },
};

const TABLES: Readonly<Record<string, readonly Row[]>> = {
  'rounding to ints': [
    ['round(0.5)', 'int 0'],
    ['round(1.5)', 'int 2'],
    ['round(2.5)', 'int 2'],
    ['round(-0.5)', 'int 0'],
    ['round(-1.5)', 'int -2'],
    ['round(-2.5)', 'int -2'],
    ['round(0.49999999999999994)', 'int 0'],
    ['round(2.4)', 'int 2'],
    ['round(-2.6)', 'int -3'],
    ['round(7)', 'int 7'],
    ['round(4503599627370497.5)', 'int 4503599627370498'],
    ['round(1e300)', OVERFLOW],
    ['floor(2.7)', 'int 2'],
    ['floor(-2.1)', 'int -3'],
    ['floor(-0.0)', 'int 0'],
    ['ceil(2.1)', 'int 3'],
    ['ceil(-2.9)', 'int -2'],
    ['ceil(-0.5)', 'int 0'],
    ['floor(5)', 'int 5'],
    ['ceil(9223372036854775807)', 'int 9223372036854775807'],
    ['ceil(9223372036854774784.0)', 'int 9223372036854774784'],
    ['floor(9223372036854775808.0)', OVERFLOW],
  ],
  'rounding to digits': [
    ['round(3.5, 2)', 'float 3.50'],
    ['round(0.375, 2)', 'float 0.38'],
    ['round(0.125, 2)', 'float 0.12'],
    ['round(-0.125, 2)', 'float -0.12'],
    ['round(1.0, 3)', 'float 1.000'],
    ['round(0.0, 2)', 'float 0.00'],
    ['round(-0.001, 2)', 'float 0.00'],
    ['round(1234.5678, 2)', 'float 1234.57'],
    ['round(1e22, 2)', 'float 10000000000000000000000.00'],
    ['round(1e-7, 10)', 'float 0.0000001000'],
    ['round(5, 2)', 'int 5'],
    ['round(2.5, 0)', 'float 2.0'],
    ['round(3.5, 0)', 'float 4.0'],
    ['round(1234.5, -1)', 'float 1230.0'],
    ['round(1250.0, -2)', 'float 1200.0'],
    ['round(1.0, -400)', 'float 0.0'],
    ['round(1.5e308, -308)', 'error: Float operation produced infinity'],
    ['round(1e300, 20)', 'float 1' + '0'.repeat(300) + '.' + '0'.repeat(20)],
    ['round(3.5, 2) + 0', 'float 3.5'],
    ['round(1, -1)', 'int 0'],
    ['round(5, -1)', 'int 0'],
    ['round(15, -1)', 'int 20'],
    ['round(25, -1)', 'int 20'],
    ['round(-15, -1)', 'int -20'],
    ['round(-25, -1)', 'int -20'],
    ['round(-26, -1)', 'int -30'],
    ['round(9223372036854775807, -1)', OVERFLOW],
    ['round(9223372036854775807, -19)', OVERFLOW],
    ['round(9223372036854775807, -20)', 'int 0'],
    ['round(9223372036854775807, -9223372036854775807)', 'int 0'],
    ['round(4999999999999999999, -19)', 'int 0'],
    ['round(1.5, x)', 'unresolved[float | int]', { symbols: { 'x: unresolved[int]': null } }],
    ['round(y, 2)', 'unresolved[int]', { symbols: { 'y: unresolved[int]': null } }],
    ["round('1')", 'error: No matching signature for round(string)'],
    ['round(1.5, 1.0)', 'error: No matching signature for round(float, float)'],
  ],
  extremes: [
    ['min(1, 2)', 'int 1'],
    ['max(1, 2, 3)', 'int 3'],
    ['min(1, 2.5)', 'float 1.0'],
    ['max(1, 2.5, 2)', 'float 2.5'],
    ['min(2.50, 3.0)', 'float 2.50'],
    ['min([3, 1, 2])', 'int 1'],
    ['max([3.0, 1, 2])', 'float 3.0'],
    ['[4, 9].max()', 'int 9'],
    ['(2).max(1)', 'int 2'],
    ['(2).max(1.5)', 'error: No matching signature for max(int, float)'],
    ['(2.0).max(3)', 'float 3.0'],
    ['min([])', 'error: min() requires a non-empty list'],
    ['max([])', 'error: max() requires a non-empty list'],
    ['min([1][1:])', 'error: min() requires a non-empty list'],
    ['max([x for x in [1] if x > 1])', 'error: max() requires a non-empty list'],
    ["min('a', 'b')", 'error: No matching signature for min(string, string)'],
    ["max(['a'])", 'error: No matching signature for max(list[string])'],
    ['min(1)', 'error: No matching signature for min(int)'],
    ['min(1, 2, 3, 4)', 'error: min() takes 1 or 2 or 3 argument(s), but 4 were given'],
    ['max(9223372036854775807, 9223372036854775806)', 'int 9223372036854775807'],
    ['min(R)', 'int -4611686018427387903', WIDE],
    ['max(R)', 'int 4611686018427387903', WIDE],
    ["max(range_expr('1-9:4,14'))", 'int 14'],
    ["min(range_expr('7,3-5'))", 'int 3'],
  ],
  sums: [
    ['sum([])', 'int 0'],
    ['sum([1, 2, 3])', 'int 6'],
    ['sum([1, 2.5])', 'float 3.5'],
    ['sum([0.1] * 3)', 'float 0.30000000000000004'],
    ['sum([1.0][1:])', 'float 0.0'],
    ['sum([9007199254740991, 1, 1])', 'int 9007199254740993'],
    ['sum([9223372036854775807, 1, -1])', 'int 9223372036854775807'],
    ['sum([9223372036854775807, 1])', OVERFLOW],
    ['sum([1e308, 1e308, -1e308])', 'error: Float operation produced infinity'],
    ["sum(['a'])", 'error: No matching signature for sum(list[string])'],
    ['sum(R)', 'int 0', WIDE],
    ["sum(range_expr('-3-3'))", 'int 0'],
    ["sum(range_expr('1-9:2'))", 'int 25'],
    ['sum(R)', OVERFLOW, { symbols: { 'R: range_expr': '0-4611686018427387903' } }],
  ],
  'ranges are processed by their runs': [
    ['sum(R)', 'int 500000000500000000', MANY],
    ['max(R) + min(R)', 'int 1000000001', MANY],
    ['len(R)', 'int 1000000000', MANY],
    ['R[-1]', 'int 1000000000', MANY],
    ['999999999 in R', 'bool true', MANY],
    ['0 in R', 'bool false', MANY],
    ['R[5:10]', 'range_expr 6-10', MANY],
    ['R == R', 'bool true', MANY],
  ],
};

for (const [name, rows] of Object.entries(TABLES)) {
  void test(name, (t) => {
    checkResults(t, rows);
    t.end();
  });
}

/** Reference implementation: rounds half to even in decimal, on a whole number of thousandths. */
function halfEvenThousandths(thousandths: bigint, digits: number): string {
  const unit = 10n ** BigInt(3 - digits);
  const magnitude = thousandths < 0n ? -thousandths : thousandths;
  const [quotient, rest] = [magnitude / unit, magnitude % unit];
  const up = 2n * rest > unit || (2n * rest === unit && quotient % 2n === 1n);
  const rounded = quotient + (up ? 1n : 0n);
  const text = `${rounded}`.padStart(digits + 1, '0');
  const sign = thousandths < 0n && rounded !== 0n ? '-' : '';
  return `${sign}${text.slice(0, text.length - digits)}.${text.slice(text.length - digits)}`;
}

void test('rounding to one and two digits rounds ties to even', (t) => {
  // Eighths are exact floats, so ties are exact.
  fc.assert(
    fc.property(fc.integer({ min: -80_000, max: 80_000 }), fc.constantFrom(1, 2), (eighths, digits) => {
      const told2 = resultText(`round(x, ${digits})`, { symbols: { 'x: float': eighths / 8 } });
      t.equal(told2, `float ${halfEvenThousandths(BigInt(eighths) * 125n, digits)}`, `${eighths} / 8`);
    }),
    { numRuns: 500, seed: 9 },
  );
  t.end();
});

void test('rounding an int is exact', (t) => {
  fc.assert(
    fc.property(fc.bigInt(-(10n ** 15n), 10n ** 15n), fc.integer({ min: 1, max: 12 }), (value, places) => {
      const unit = 10n ** BigInt(places);
      const magnitude = value < 0n ? -value : value;
      const [quotient, rest] = [magnitude / unit, magnitude % unit];
      const up = 2n * rest > unit || (2n * rest === unit && quotient % 2n === 1n);
      const rounded = (quotient + (up ? 1n : 0n)) * unit;
      t.equal(
        resultText(`round(${value}, ${-places})`),
        `int ${value < 0n ? -rounded : rounded}`,
        `${value} to ${places}`,
      );
    }),
    { numRuns: 500, seed: 10 },
  );
  t.end();
});
