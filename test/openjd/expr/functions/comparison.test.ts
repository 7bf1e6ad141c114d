import fc from 'fast-check';
import { test } from 'tap';
import { evaluated, symbolTable, resultText, type Row } from '../evaluate/checked.ts';
import { checkErrors, checkResults } from '../evaluate/rows.ts';

const unordered = (operator: string, a: string, b: string): string =>
  `error: Cannot use '${operator}' operator with ${a} and ${b}`;

const PATHS = {
  symbols: { 'p: path': '/tmp/a', 's: string': '/tmp/a', 'q: path': '/tmp/b', 'r: range_expr': '1-3' },
};
const ONCE = { symbols: { 'x: int': 2, 's: string': 'a' } };

const TABLES: Readonly<Record<string, readonly Row[]>> = {
  'equality across types': [
    ["'5' == 5", 'bool false'],
    ["'5' != 5", 'bool true'],
    ["'5.0' == 5.0", 'bool false'],
    ['5 == 5.0', 'bool true'],
    ['5.0 == 5', 'bool true'],
    ['true == 1', 'bool false'],
    ['false == 0', 'bool false'],
    ["true == 'true'", 'bool false'],
    ['true == true', 'bool true'],
    ['null == null', 'bool true'],
    ['null != null', 'bool false'],
    ['null == false', 'bool false'],
    ['null == 0', 'bool false'],
    ["null == ''", 'bool false'],
    ['1 == [1]', 'bool false'],
    ["'a' == ['a']", 'bool false'],
    ['[5] == [5.0]', 'bool true'],
    ['[[5]] == [[5.0]]', 'bool true'],
    ['[1, 2] == [1]', 'bool false'],
    ["[1] == ['1']", 'bool false'],
    ['[] == []', 'bool true'],
    ["[1][1:] == ['a'][1:]", 'bool true'],
    ['[[]] == []', 'bool false'],
    ['[true] == [1]', 'bool false'],
    ['s == p', 'bool true', PATHS],
    ['p == s', 'bool true', PATHS],
    ['p == q', 'bool false', PATHS],
    ['[p] == [s]', 'bool true', PATHS],
    ['p != 5', 'bool true', PATHS],
    ['[1, 2, 3] == r', 'bool true', PATHS],
    ['r == [1, 2, 3]', 'bool true', PATHS],
    ['r == [1.0, 2, 3]', 'bool true', PATHS],
    ['r == [3, 2, 1]', 'bool false', PATHS],
    ["r == '1-3'", 'bool false', PATHS],
    ["r == range_expr('1,2,3')", 'bool true', PATHS],
    ["r == range_expr('1-4')", 'bool false', PATHS],
    ['r == 1', 'bool false', PATHS],
    ['9007199254740993 == 9007199254740992.0', 'bool false'],
    ['9007199254740993 == 9007199254740993', 'bool true'],
    ['9223372036854775807 == 9223372036854775808.0', 'bool false'],
    ['-9223372036854775808 == -9223372036854775808.0', 'bool true'],
    ['0.0 == -0.0', 'bool true'],
    ["'é' == 'e\\u0301'", 'bool false'],
  ],
  ordering: [
    ['1 < 2.5', 'bool true'],
    ['9007199254740993 > 9007199254740992.0', 'bool true'],
    ['9223372036854775807 < 9223372036854775808.0', 'bool true'],
    ['false < true', 'bool true'],
    ['true <= true', 'bool true'],
    ["'a' < 'b'", 'bool true'],
    ["'a' < 'B'", 'bool false'],
    ["'' < 'a'", 'bool true'],
    ["'a' < 'aa'", 'bool true'],
    ["'10' < '9'", 'bool true'],
    ["'\\uffff' < '\\U00010000'", 'bool true'],
    ['p < q', 'bool true', PATHS],
    ["p < '/tmp/b'", 'bool true', PATHS],
    ["'/tmp/b' <= p", 'bool false', PATHS],
    ['[1, 2] < [1, 3]', 'bool true'],
    ['[1] < [1, 0]', 'bool true'],
    ['[2] < [1, 3]', 'bool false'],
    ['[] < [1]', 'bool true'],
    ['[] <= []', 'bool true'],
    ['[1] < [1.5]', 'bool true'],
    ['[[1], [2]] < [[1], [3]]', 'bool true'],
    ['[false] < [true]', 'bool true'],
    ['1 < true', unordered('<', 'int', 'bool')],
    ["'a' > 1", unordered('>', 'string', 'int')],
    ['null <= null', unordered('<=', 'nulltype', 'nulltype')],
    ['[1] >= 1', unordered('>=', 'list[int]', 'int')],
    ["[1] < ['a']", unordered('<', 'list[int]', 'list[string]')],
    ['r < r', unordered('<', 'range_expr', 'range_expr'), PATHS],
    ['[1] < r', unordered('<', 'list[int]', 'range_expr'), PATHS],
    ['p < 1', unordered('<', 'path', 'int'), PATHS],
  ],
  membership: [
    ['2 in [1, 2]', 'bool true'],
    ['2.0 in [1, 2]', 'bool true'],
    ["'1' in [1]", 'bool false'],
    ['true in [1]', 'bool false'],
    ['null in [1]', 'bool false'],
    ['1 in []', 'bool false'],
    ['[1] in [[1], [2]]', 'bool true'],
    ['s in [p]', 'bool true', PATHS],
    ["'b' in 'abc'", 'bool true'],
    ["'' in 'abc'", 'bool true'],
    ["'' in ''", 'bool true'],
    ["p in 'x/tmp/ay'", 'bool true', PATHS],
    ['2 in r', 'bool true', PATHS],
    ['4 not in r', 'bool true', PATHS],
    ['2.0 in r', 'bool true', PATHS],
    ['2.5 in r', 'bool false', PATHS],
    ["'2' in r", 'bool false', PATHS],
    ['true in r', 'bool false', PATHS],
    ['null not in r', 'bool true', PATHS],
    ["2 in range_expr('1-9:2')", 'bool false'],
    ["-3 in range_expr('-5--1:2')", 'bool true'],
  ],
  chains: [
    ['1 < 2 < 3', 'bool true'],
    ['1 < 3 < 2', 'bool false'],
    ['1 < 2 == 2', 'bool true'],
    ['1 == 1.0 == 1', 'bool true'],
    ['1 < 2 in [2]', 'bool true'],
    ['3 > 2 > 1 > 0', 'bool true'],
    ['1 < x <= 2 != 3', 'bool true', ONCE],
    // The first comparison that is false ends the chain.
    ["2 < 1 < 'a'", 'bool false'],
    ['2 < 1 < 1 // 0', 'bool false'],
    ['1 < 2 < 1 // 0', 'error: Division by zero'],
    ["1 < 2 < 'a'", unordered('<', 'int', 'string')],
    ['not 1 < 2 < 3', 'bool false'],
  ],
  logic: [
    ['null and 1 // 0', 'nulltype null'],
    ['false and 1 // 0', 'bool false'],
    ['true or 1 // 0', 'bool true'],
    ['0 or 1 // 0', 'int 0'],
    ["'' or 'x'", 'string '],
    ['[] or [1]', 'list[nulltype] []'],
    ['0 and 5', 'int 5'],
    ["null or false or 'c'", 'string c'],
    ["1 and 2 and null and 'd'", 'nulltype null'],
    ['false or null', 'nulltype null'],
    ['null or false', 'bool false'],
    ['not true or true', 'bool true'],
    ['not (false and fail("no"))', 'bool true'],
    ['true and fail("why")', 'error: why'],
  ],
};

for (const [name, rows] of Object.entries(TABLES)) {
  void test(name, (t) => {
    checkResults(t, rows);
    t.end();
  });
}

void test('each operand of a chain is evaluated once', (t) => {
  const counted = (source: string): number => {
    const result = evaluated(source);
    return result.ok ? result.operations : -1;
  };
  t.equal(counted('1 < 1 + 1 < 3'), 3);
  t.equal(counted('1 < 1 + 1 and 1 + 1 < 3'), 4);
  t.equal(counted('3 < 1 + 1 < 1 + 1'), 2, 'operands after a false comparison are not evaluated');
  t.end();
});

void test('the invalid part of a comparison is marked', (t) => {
  checkErrors(t, [
    ["'a' < 1", "Cannot use '<' operator with string and int\n  'a' < 1\n  ^~~~~~~"],
    ["1 < 2 < 'a'", "Cannot use '<' operator with int and string\n  1 < 2 < 'a'\n      ^~~~~~~"],
    ['1 in 2', "Cannot use 'in' operator with int and int\n  1 in 2\n  ^~~~~~"],
    ['not 5', "Cannot use 'not' operator with int\n  not 5\n  ^~~~~"],
  ]);
  t.end();
});

const anyValue = fc.oneof(
  fc.integer({ min: -3, max: 3 }).map((value) => ['int', value] as const),
  fc.bigInt(2n ** 53n - 2n, 2n ** 53n + 3n).map((value) => ['int', `${value}`] as const),
  fc
    .constantFrom(0, 1, 1.5, -2, 9007199254740992, 9007199254740994)
    .map((value) => ['float', value] as const),
  fc.boolean().map((value) => ['bool', value] as const),
  fc.constant(['nulltype', null] as const),
  fc.constantFrom('', 'a', '1', '/a', 'ab', '\u{10000}', '\uffff').map((value) => ['string', value] as const),
  fc.constantFrom('/a', 'a').map((value) => ['path', value] as const),
  fc.constantFrom('1', '1-2', '1,3').map((value) => ['range_expr', value] as const),
  fc.array(fc.integer({ min: 0, max: 2 }), { maxLength: 3 }).map((value) => ['list[int]', value] as const),
  fc.array(fc.constantFrom(0, 1, 1.5), { maxLength: 2 }).map((value) => ['list[float]', value] as const),
  fc.array(fc.constantFrom('a', '/a'), { maxLength: 2 }).map((value) => ['list[string]', value] as const),
  fc.array(fc.constantFrom('a', '/a'), { maxLength: 2 }).map((value) => ['list[path]', value] as const),
);

void test('equality and ordering are consistent', (t) => {
  fc.assert(
    fc.property(anyValue, anyValue, anyValue, ([one, a], [other, b], [third, c]) => {
      const symbols = { [`a: ${one}`]: a, [`b: ${other}`]: b, [`c: ${third}`]: c };
      symbolTable(symbols);
      const holds = (source: string): string => resultText(source, { symbols }).replace(/^error:.*/, 'error');
      const context = JSON.stringify(symbols);
      t.equal(holds('a == a'), 'bool true', context);
      t.equal(holds('a == b'), holds('b == a'), context);
      t.equal(holds('a != b'), holds('not a == b'), context);
      t.equal(
        holds('a in [a]') === 'error',
        one === 'nulltype' || one.startsWith('list['.repeat(2)),
        context,
      );
      t.equal(holds('a < b'), holds('b > a'), context);
      t.equal(holds('a <= b'), holds('b >= a'), context);
      if (holds('a < b') === 'error') return;
      t.equal(holds('a <= b'), holds('a < b or a == b'), context);
      t.equal(holds('(a < b) == (b < a) and a != b'), 'bool false', context);
      if (holds('a < b and b < c') === 'bool true' && holds('a < c') !== 'error') {
        t.equal(holds('a < c'), 'bool true', context);
      }
    }),
    { numRuns: 600, seed: 5 },
  );
  t.end();
});
