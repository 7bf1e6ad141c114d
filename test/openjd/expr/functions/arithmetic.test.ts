import fc from 'fast-check';
import { test } from 'tap';
import { resultText, type Row } from '../evaluate/checked.ts';
import { checkResults } from '../evaluate/rows.ts';

const MAX = '9223372036854775807';
const MIN = '-9223372036854775808';
const OVERFLOW = 'error: Integer overflow: result is outside the 64-bit signed range';

const TABLES: Readonly<Record<string, readonly Row[]>> = {
  'ints at the edges of 64 bits': [
    [`${MAX} + 0`, `int ${MAX}`],
    [`${MAX} + 1`, OVERFLOW],
    [`1 + ${MAX}`, OVERFLOW],
    [`${MIN} + (-1)`, OVERFLOW],
    [`${MAX} - (-1)`, OVERFLOW],
    [`${MIN} - 1`, OVERFLOW],
    [`0 - ${MIN}`, OVERFLOW],
    [`-1 - ${MIN}`, `int ${MAX}`],
    [`${MIN} + ${MAX}`, 'int -1'],
    [`${MIN} * 1`, `int ${MIN}`],
    [`${MIN} * -1`, OVERFLOW],
    ['4611686018427387904 * 2', OVERFLOW],
    ['-4611686018427387904 * 2', `int ${MIN}`],
    ['3037000500 * 3037000500', OVERFLOW],
    ['3037000499 * 3037000499', 'int 9223372030926249001'],
    ['9007199254740992 + 1', 'int 9007199254740993'],
    ['9007199254740991 + 2', 'int 9007199254740993'],
    ['94906267 * 94906267', 'int 9007199515875289'],
    [`${MIN} // -1`, OVERFLOW],
    [`${MIN} // 1`, `int ${MIN}`],
    [`${MIN} % -1`, 'int 0'],
    [`${MIN} % ${MAX}`, 'int 9223372036854775806'],
    [`${MAX} % ${MIN}`, 'int -1'],
    [`${MAX} // ${MIN}`, 'int -1'],
    [`-(${MIN})`, OVERFLOW],
    [`+(${MIN})`, `int ${MIN}`],
    [`abs(${MIN})`, OVERFLOW],
    [`abs(-${MAX})`, `int ${MAX}`],
    ['2 ** 62', 'int 4611686018427387904'],
    ['2 ** 63', OVERFLOW],
    ['(-2) ** 63', `int ${MIN}`],
    ['(-2) ** 64', OVERFLOW],
    ['3 ** 39', 'int 4052555153018976267'],
    ['3 ** 40', OVERFLOW],
    ['(-1) ** 9223372036854775807', 'int -1'],
    ['(-1) ** 9223372036854775806', 'int 1'],
    ['0 ** 0', 'int 1'],
    ['0 ** 9223372036854775807', 'int 0'],
    ['2 ** 9223372036854775807', OVERFLOW],
    ['9223372036854775808', OVERFLOW],
    ['0x8000000000000000', OVERFLOW],
    ['0x7fffffffffffffff', `int ${MAX}`],
  ],
  'floored division': [
    ['7 // 2', 'int 3'],
    ['-7 // 2', 'int -4'],
    ['7 // -2', 'int -4'],
    ['-7 // -2', 'int 3'],
    ['-7 // 3', 'int -3'],
    ['-7 % 3', 'int 2'],
    ['7 % -3', 'int -2'],
    ['-6 % 3', 'int 0'],
    ['6 % -3', 'int 0'],
    ['0 // -5', 'int 0'],
    ['7.5 // 2', 'int 3'],
    ['-7.5 // 2', 'int -4'],
    ['7 // 2.0', 'int 3'],
    ['-7.5 % 2', 'float 0.5'],
    ['7.5 % -2', 'float -0.5'],
    ['-4.0 % 2.0', 'float 0.0'],
    ['5 % 2.5', 'float 0.0'],
    ['1e300 // 1e-300', 'error: Float operation produced infinity'],
    ['1e300 // 1.0', OVERFLOW],
    ['1 // 0', 'error: Division by zero'],
    ['1.5 // 0', 'error: Division by zero'],
    ['1 % 0', 'error: Modulo by zero'],
    ['1 % 0.0', 'error: Modulo by zero'],
    ['0 / 0', 'error: Division by zero'],
    ['0.0 / 0.0', 'error: Division by zero'],
    ['1 / 0.0', 'error: Division by zero'],
  ],
  floats: [
    ['1 / 2', 'float 0.5'],
    ['4 / 2', 'float 2.0'],
    ['-0.0', 'float 0.0'],
    ['0 * -1.0', 'float 0.0'],
    ['-1.0 % 1.0', 'float 0.0'],
    ['0.0 / -5', 'float 0.0'],
    ['-5e-324 / 2', 'float 0.0'],
    ['0.1 + 0.2', 'float 0.30000000000000004'],
    ['1e300 * 1e300', 'error: Float operation produced infinity'],
    ['-1e300 * 1e300', 'error: Float operation produced infinity'],
    ['1e308 + 1e308', 'error: Float operation produced infinity'],
    ['1e308 / 0.1', 'error: Float operation produced infinity'],
    ['10.0 ** 309', 'error: Float operation produced infinity'],
    ['2 ** -1', 'float 0.5'],
    ['2 ** -3', 'float 0.125'],
    ['10 ** -23', 'float 1e-23'],
    ['2 ** -1074', 'float 5e-324'],
    ['2 ** -1100', 'float 0.0'],
    ['(-2) ** -3', 'float -0.125'],
    ['0 ** -1', 'error: Cannot raise zero to a negative power'],
    ['0.0 ** -1', 'error: Cannot raise zero to a negative power'],
    ['0.0 ** -0.5', 'error: Cannot raise zero to a negative power'],
    ['0.0 ** 0', 'float 1.0'],
    ['2.0 ** 3', 'float 8.0'],
    ['2 ** 3.0', 'float 8.0'],
    ['2 ** 0.5', 'float 1.4142135623730951'],
    ['(-8.0) ** 3', 'float -512.0'],
    ['(-2.0) ** 0.5', 'error: Cannot compute -2 ** 0.5 (would produce complex number)'],
    ['(-2) ** 0.5', 'error: Cannot compute -2 ** 0.5 (would produce complex number)'],
    ['-2 ** 2', 'int -4'],
    ['2 ** -1 ** 2', 'float 0.5'],
    ['2 ** 3 ** 2', 'int 512'],
    ['1 + 2.0', 'float 3.0'],
    [`${MAX} + 0.0`, 'float 9.223372036854776e+18'],
    [`${MAX} / 1`, 'float 9.223372036854776e+18'],
    ['1e15 + 0', 'float 1000000000000000.0'],
    ['1e16 + 0', 'float 1e+16'],
    ['0.0001 + 0', 'float 0.0001'],
    ['0.00001 + 0', 'float 1e-05'],
    ['123456789.125 + 0', 'float 123456789.125'],
  ],
  'the text of a float that is passed on unchanged': [
    ['3.500', 'float 3.500'],
    ['(3.500)', 'float 3.500'],
    ['3.500 if true else 1.0', 'float 3.500'],
    ['null or 3.500', 'float 3.500'],
    ['[3.500, 1.0][0]', 'float 3.500'],
    ['[x for x in [3.500, 2.10]]', 'list[float] [3.500, 2.10]'],
    ['float(3.500)', 'float 3.500'],
    ["float('3.500')", 'float 3.5'],
    ['sorted([3.50, 1.0])', 'list[float] [1.0, 3.50]'],
    ['Param.V', 'float 3.500', { symbols: { 'Param.V: float': '3.500' } }],
    ['string(Param.V)', 'string 3.500', { symbols: { 'Param.V: float': '3.500' } }],
    ['Param.V + 1', 'float 4.5', { symbols: { 'Param.V: float': '3.500' } }],
    ['Param.V * 1', 'float 3.5', { symbols: { 'Param.V: float': '3.500' } }],
    ['+Param.V', 'float 3.5', { symbols: { 'Param.V: float': '3.500' } }],
    ['-Param.V', 'float -3.5', { symbols: { 'Param.V: float': '3.500' } }],
    ['abs(Param.V)', 'float 3.5', { symbols: { 'Param.V: float': '3.500' } }],
    ['abs(-Param.V)', 'float 3.5', { symbols: { 'Param.V: float': '3.500' } }],
    ['sum([Param.V])', 'float 3.5', { symbols: { 'Param.V: float': '3.500' } }],
    ['Param.V == 3.5', 'bool true', { symbols: { 'Param.V: float': '3.500' } }],
    ['Param.V', 'string 3.500', { symbols: { 'Param.V: float': '3.500' }, target: 'string' }],
  ],
  'operands without a signature': [
    ["1 + 'a'", "error: Cannot use '+' operator with int and string"],
    ["'a' + 1", "error: Cannot use '+' operator with string and int"],
    ['true + 1', "error: Cannot use '+' operator with bool and int"],
    ['null + 1', "error: Cannot use '+' operator with nulltype and int"],
    ['[1] - [1]', "error: Cannot use '-' operator with list[int] and list[int]"],
    ["3 * 'a'", "error: Cannot use '*' operator with int and string"],
    ['3 * [1]', "error: Cannot use '*' operator with int and list[int]"],
    ["'a' * 2.0", "error: Cannot use '*' operator with string and float"],
    ["-'a'", "error: Cannot use '-' operator with string"],
    ['-true', "error: Cannot use '-' operator with bool"],
    ['+null', "error: Cannot use '+' operator with nulltype"],
    ['not 1', "error: Cannot use 'not' operator with int"],
    ['not null', "error: Cannot use 'not' operator with nulltype"],
    ["'a' / 'b'", "error: Cannot use '/' operator with string and string"],
    ["1 in 'abc'", "error: Cannot use 'in' operator with int and string"],
    ['1 in 5', "error: Cannot use 'in' operator with int and int"],
    ['1 not in null', "error: Cannot use 'not in' operator with int and nulltype"],
  ],
};

for (const [name, rows] of Object.entries(TABLES)) {
  void test(name, (t) => {
    checkResults(t, rows);
    t.end();
  });
}

const [low, high] = [-(2n ** 63n), 2n ** 63n - 1n];
const int64 = fc.oneof(
  fc.bigInt(low, high),
  fc.bigInt(-100n, 100n),
  fc.constantFrom(low, low + 1n, high, high - 1n, 2n ** 53n, -(2n ** 53n), 2n ** 53n - 1n, 2n ** 53n + 1n),
);

/** Python's rules for integers of any size. */
const EXACT: Readonly<Record<string, (a: bigint, b: bigint) => bigint>> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '//': (a, b) => (a - (((a % b) + b) % b)) / b,
  '%': (a, b) => ((a % b) + b) % b,
};

void test('operations on ints equal those on integers, or overflow', (t) => {
  fc.assert(
    fc.property(int64, int64, fc.constantFrom(...Object.keys(EXACT)), (a, b, operator) => {
      const compute = EXACT[operator];
      if (compute === undefined || (b === 0n && (operator === '//' || operator === '%'))) return;
      const exact = compute(a, b);
      const expected = exact < low || exact > high ? OVERFLOW : `int ${exact}`;
      t.equal(resultText(`(${a}) ${operator} (${b})`), expected, `${a} ${operator} ${b}`);
      const symbols = { 'a: int': `${a}`, 'b: int': `${b}` };
      t.equal(resultText(`a ${operator} b`, { symbols }), expected, `${a} ${operator} ${b}, from symbols`);
    }),
    { numRuns: 1_000, seed: 3 },
  );
  t.end();
});

void test('floor division and remainder of floats are consistent', (t) => {
  const number = fc.double({ min: -1e6, max: 1e6, noNaN: true }).filter((value) => Math.abs(value) > 1e-3);
  fc.assert(
    fc.property(number, number, (a, b) => {
      const symbols = { 'a: float': a, 'b: float': b };
      const quotient = Number(resultText('a // b', { symbols }).replace('int ', ''));
      const remainder = Number(resultText('a % b', { symbols }).replace('float ', ''));
      if (!Number.isInteger(quotient)) throw new Error(`${a} // ${b} is ${quotient}`);
      if (remainder !== 0 && remainder < 0 !== b < 0) throw new Error(`${a} % ${b} is ${remainder}`);
      if (Math.abs(remainder) > Math.abs(b)) throw new Error(`${a} % ${b} is ${remainder}`);
      const back = quotient * b + remainder;
      const error = Math.abs(back - a) / Math.max(Math.abs(a), Math.abs(b));
      if (error > 1e-9) throw new Error(`${a} // ${b} * ${b} + ${a} % ${b} is ${back}`);
    }),
    { numRuns: 1_000, seed: 4 },
  );
  t.end();
});
