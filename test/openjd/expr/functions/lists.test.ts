import fc from 'fast-check';
import { test } from 'tap';
import { resultText, type Row } from '../evaluate/checked.ts';
import { checkErrors, checkResults } from '../evaluate/rows.ts';

const WIDE = { symbols: { 'R: range_expr': '-4611686018427387903-4611686018427387903' } };
const FROM = {
  symbols: { 'L: list[int]': [10, 20, 30, 40, 50], 'R: range_expr': '1-5,10-20:5', 'S: string': 'héllo' },
};
const BIG = { context: { limits: { memory: 100_000_000, operations: 10_000_000 } } };

const TABLES: Readonly<Record<string, readonly Row[]>> = {
  'list literals without a target': [
    ['[]', 'list[nulltype] []'],
    ['[1, 2]', 'list[int] [1, 2]'],
    ['[1, 2.50]', 'list[float] [1.0, 2.50]'],
    ["[path('/a'), 'b']", 'list[string] ["/a", "b"]'],
    ["['b', path('/a')]", 'list[string] ["b", "/a"]'],
    ['[[1], [2.5]]', 'list[list[float]] [[1.0], [2.5]]'],
    ["[[path('/a')], ['b']]", 'list[list[string]] [["/a"], ["b"]]'],
    ['[[], [1]]', 'list[list[int]] [[], [1]]'],
    ['[[]]', 'list[list[nulltype]] [[]]'],
    ['[[], [1], [2.0]]', 'list[list[float]] [[], [1.0], [2.0]]'],
    ["[range_expr('1-3')]", 'list[range_expr] ["1-3"]'],
    ["[[range_expr('1-3')]]", 'list[list[range_expr]] [["1-3"]]'],
    ['[1,]', 'list[int] [1]'],
    ["[1, 'a']", 'error: List literal contains incompatible types: int and string'],
    ['[true, 1]', 'error: List literal contains incompatible types: bool and int'],
    ['[1, [1]]', 'error: List literal contains incompatible types: int and list[int]'],
    ["[[1], ['a']]", 'error: List literal contains incompatible types: list[int] and list[string]'],
    ["[1, 2.0, 'a']", 'error: List literal contains incompatible types: int, float, and string'],
    ["[range_expr('1'), [1]]", 'error: List literal contains incompatible types: range_expr and list[int]'],
    ['[null]', 'error: null is not allowed in list literals'],
    ['[1, null if true else 2]', 'error: null is not allowed in list literals'],
    ['[[null]]', 'error: null is not allowed in list literals'],
    ['[[[1]]]', 'error: Lists may be nested at most 2 levels deep'],
    ['[[[]]]', 'error: Lists may be nested at most 2 levels deep'],
    ['[[1], [[2]]]', 'error: List literal contains incompatible types: list[int] and list[list[int]]'],
  ],
  'list literals with a target': [
    ['[1, 2]', 'list[string] ["1", "2"]', { target: 'list[string]' }],
    ["[1, 'a', true, 2.50]", 'list[string] ["1", "a", "true", "2.50"]', { target: 'list[string]' }],
    ["['1', 2]", 'list[int] [1, 2]', { target: 'list[int]' }],
    ["['1.5', 2]", 'list[float] [1.5, 2.0]', { target: 'list[float]' }],
    ["['a', path('b')]", 'list[path] ["a", "b"]', { target: 'list[path]' }],
    ["['a', 5]", 'list[string] ["a", "5"]', { target: 'list[string] | string | nulltype' }],
    ["[['1'], [2]]", 'list[list[int]] [[1], [2]]', { target: 'list[list[int]]' }],
    ['[]', 'list[string] []', { target: 'list[string]' }],
    ["['a'] if true else null", 'list[path] ["a"]', { target: 'list[path]?' }],
    [
      "['--q', 5] if true else null",
      'list[string] ["--q", "5"]',
      { target: 'list[string] | string | nulltype' },
    ],
    ['[x for x in [1, 2]]', 'list[string] ["1", "2"]', { target: 'list[string]' }],
    [
      "[['a', x] for x in [1, 2]]",
      'list[list[string]] [["a", "1"], ["a", "2"]]',
      { target: 'list[list[string]]' },
    ],
    [
      "[1, 'a']",
      'error: List literal contains incompatible types: int and string',
      { target: 'list[int] | list[string]' },
    ],
    ["[1, 'a']", 'error: List literal contains incompatible types: int and string', { target: 'any' }],
    ["['a']", "error: Cannot convert 'a' to int: invalid digit found in string", { target: 'list[int]' }],
    ['[1.5]', 'error: Cannot convert 1.5 to int: it is not a whole number', { target: 'list[int]' }],
    ['[null]', 'error: null is not allowed in list literals', { target: 'list[string]' }],
    // A target does not apply to operands or to arguments of generic functions.
    [
      "['a', 1] + ['b']",
      'error: List literal contains incompatible types: string and int',
      { target: 'list[string]' },
    ],
    [
      "sorted(['a', 1])",
      'error: List literal contains incompatible types: string and int',
      { target: 'list[string]' },
    ],
    ["join(['a', 1], '-')", 'error: List literal contains incompatible types: string and int'],
  ],
  concatenation: [
    ['[1] + [2]', 'list[int] [1, 2]'],
    ['[1] + [2.5]', 'list[float] [1.0, 2.5]'],
    ['[2.5] + [1]', 'list[float] [2.5, 1.0]'],
    ["[path('/a')] + ['b']", 'list[string] ["/a", "b"]'],
    ['[] + [1]', 'list[int] [1]'],
    ["['a'] + []", 'list[string] ["a"]'],
    ['[] + []', 'list[nulltype] []'],
    ['[[1]] + [[2.0]]', 'list[list[float]] [[1.0], [2.0]]'],
    ['[[]] + [[1]]', 'list[list[int]] [[], [1]]'],
    ["[0] + range_expr('1-3')", 'list[int] [0, 1, 2, 3]'],
    ["[0.5] + range_expr('1-2')", 'list[float] [0.5, 1.0, 2.0]'],
    ["[] + range_expr('1-2')", 'list[int] [1, 2]'],
    ["range_expr('1-2') + [5]", 'list[int] [1, 2, 5]'],
    ["range_expr('3-4') + range_expr('1-2')", 'list[int] [3, 4, 1, 2]'],
    ["['a'] + range_expr('1-2')", "error: Cannot use '+' operator with list[string] and range_expr"],
    ["['a'] + [1]", "error: Cannot use '+' operator with list[string] and list[int]"],
    ['[1] + 1', "error: Cannot use '+' operator with list[int] and int"],
    ['[1] + [[1]]', "error: Cannot use '+' operator with list[int] and list[list[int]]"],
    ["'a' + range_expr('3,1-2')", 'string a1-3'],
    ["range_expr('1-9:2') + 'a'", 'string 1-9:2a'],
    ['[x * 2 for x in [1, 2]] + [0]', 'list[int] [2, 4, 0]'],
  ],
  repetition: [
    ['[1, 2] * 2', 'list[int] [1, 2, 1, 2]'],
    ['[1] * 0', 'list[int] []'],
    ['[1] * -5', 'list[int] []'],
    ['[] * 9223372036854775807', 'list[nulltype] []'],
    ['len([0] * 10000)', 'int 10000'],
    ['len(range(200000) * 2)', 'int 400000', BIG],
    ['[1] * 1000000', 'error: Expression memory usage (32000128 bytes) exceeded limit (1000000 bytes)'],
    ['[1, 2] * 9223372036854775807', 'error: Integer overflow: result is outside the 64-bit signed range'],
    ["[1] * 'a'", "error: Cannot use '*' operator with list[int] and string"],
  ],
  subscripts: [
    ['L[0]', 'int 10', FROM],
    ['L[-1]', 'int 50', FROM],
    ['L[-5]', 'int 10', FROM],
    ['L[5]', 'error: Index 5 out of bounds for list of length 5', FROM],
    ['L[-6]', 'error: Index -6 out of bounds for list of length 5', FROM],
    ['L[9223372036854775807]', 'error: Index 9223372036854775807 out of bounds for list of length 5', FROM],
    ['[][0]', 'error: Index 0 out of bounds for list of length 0'],
    ['R[5]', 'int 10', FROM],
    ['R[-1]', 'int 20', FROM],
    ['R[8]', 'error: Index 8 out of bounds for range_expr of length 8', FROM],
    ['R[-9]', 'error: Index -9 out of bounds for range_expr of length 8', FROM],
    ['R[9223372036854775806]', 'int 4611686018427387903', WIDE],
    ['R[-1]', 'int 4611686018427387903', WIDE],
    ['R[4611686018427387903]', 'int 0', WIDE],
    ['S[1]', 'string é', FROM],
    ['S[-5]', 'string h', FROM],
    ['S[5]', 'error: Index 5 out of bounds for string of length 5', FROM],
    ['L[1.0]', 'error: Index must be an integer, got float', FROM],
    ['L[true]', 'error: Index must be an integer, got bool', FROM],
    ["L['1']", 'error: Index must be an integer, got string', FROM],
    ['L[null]', 'error: Index must be an integer, got nulltype', FROM],
    ["path('/a')[0]", 'error: Cannot subscript type path'],
    ['5[0]', 'error: Cannot subscript type int'],
    ['null[0]', 'error: Cannot subscript type nulltype'],
    ['true[0:1]', 'error: Cannot subscript type bool'],
  ],
  slices: [
    ['L[1:4]', 'list[int] [20, 30, 40]', FROM],
    ['L[:]', 'list[int] [10, 20, 30, 40, 50]', FROM],
    ['L[::-1]', 'list[int] [50, 40, 30, 20, 10]', FROM],
    ['L[-3:]', 'list[int] [30, 40, 50]', FROM],
    ['L[10:20]', 'list[int] []', FROM],
    ['L[3:1]', 'list[int] []', FROM],
    ['L[3:0:-1]', 'list[int] [40, 30, 20]', FROM],
    ['L[null:2]', 'list[int] [10, 20]', FROM],
    ['L[0:null:null]', 'list[int] [10, 20, 30, 40, 50]', FROM],
    ['L[::9223372036854775807]', 'list[int] [10]', FROM],
    ['L[::-9223372036854775808]', 'list[int] [50]', FROM],
    ['L[-9223372036854775808:9223372036854775807]', 'list[int] [10, 20, 30, 40, 50]', FROM],
    ['L[::0]', 'error: Slice step cannot be zero', FROM],
    ['L[1.0:]', 'error: Slice bounds must be integers, got float', FROM],
    ["L[:'a':2]", 'error: Slice bounds must be integers, got string, int', FROM],
    ['S[1:3]', 'string él', FROM],
    ['S[::-1]', 'string olléh', FROM],
    ['S[::0]', 'error: Slice step cannot be zero', FROM],
    ['R[1:6]', 'range_expr 2-5,10', FROM],
    ['R[::2]', 'range_expr 1-5:2,15', FROM],
    ['R[::-1]', 'list[int] [20, 15, 10, 5, 4, 3, 2, 1]', FROM],
    ['R[6:1:-2]', 'list[int] [15, 5, 3]', FROM],
    ['R[::0]', 'error: Slice step cannot be zero', FROM],
    ['R[0:3]', 'range_expr -4611686018427387903--4611686018427387901', WIDE],
    ['R[-2:]', 'range_expr 4611686018427387902,4611686018427387903', WIDE],
    [
      'R[::4611686018427387903]',
      'range_expr -4611686018427387903-4611686018427387903:4611686018427387903',
      WIDE,
    ],
    [
      'R[:-9223372036854775807:-1]',
      'error: Expression operation count (1000001) exceeded limit (1000000)',
      WIDE,
    ],
    ['R[2:0:-1]', 'list[int] [-4611686018427387901, -4611686018427387902]', WIDE],
    ["path('/a/b')[1:]", 'error: Cannot subscript type path'],
  ],
  'functions of lists': [
    ['range(3)', 'list[int] [0, 1, 2]'],
    ['range(0)', 'list[int] []'],
    ['range(-3)', 'list[int] []'],
    ['range(1, 4)', 'list[int] [1, 2, 3]'],
    ['range(4, 1)', 'list[int] []'],
    ['range(0, 10, 4)', 'list[int] [0, 4, 8]'],
    ['range(5, 0, -2)', 'list[int] [5, 3, 1]'],
    ['range(0, 3, 0)', 'error: range() step cannot be zero'],
    [
      'range(9223372036854775805, 9223372036854775807)',
      'list[int] [9223372036854775805, 9223372036854775806]',
    ],
    [
      'range(-9223372036854775808, 9223372036854775807, 9223372036854775807)',
      'list[int] [-9223372036854775808, -1, 9223372036854775806]',
    ],
    ['range(9007199254740990, 9007199254740994, 2)', 'list[int] [9007199254740990, 9007199254740992]'],
    ['range(2.0)', 'list[int] [0, 1]'],
    ['range(2.5)', 'error: Cannot convert 2.5 to int: it is not a whole number'],
    ['range()', 'error: range() takes 1 or 2 or 3 argument(s), but 0 were given'],
    ['flatten([[1, 2], [3]])', 'list[int] [1, 2, 3]'],
    ['flatten([1, 2])', 'list[int] [1, 2]'],
    ['flatten([])', 'list[nulltype] []'],
    ['flatten([[], []])', 'list[nulltype] []'],
    ['flatten([[1], [2.0]])', 'list[float] [1.0, 2.0]'],
    ["flatten([['-e', e] for e in ['A=1', 'B=2']])", 'list[string] ["-e", "A=1", "-e", "B=2"]'],
    ['sorted([3, 1, 2])', 'list[int] [1, 2, 3]'],
    ["sorted(['b', 'B', 'a'])", 'list[string] ["B", "a", "b"]'],
    ['sorted([true, false])', 'list[bool] [false, true]'],
    ['sorted([[2], [1, 5], [1]])', 'list[list[int]] [[1], [1, 5], [2]]'],
    ["sorted([path('/b'), path('/a')])", 'list[path] ["/a", "/b"]'],
    ["sorted([range_expr('2'), range_expr('1')])", 'error: Cannot sort values of type range_expr'],
    ["sorted(range_expr('1-3'))", 'list[int] [1, 2, 3]'],
    ['reversed([1, 2])', 'list[int] [2, 1]'],
    ["reversed(range_expr('1-3'))", 'list[int] [3, 2, 1]'],
    ['unique([1, 2, 1])', 'list[int] [1, 2]'],
    ['unique([1.0, 1])', 'list[float] [1.0]'],
    ["unique(['a', 'A', 'a'])", 'list[string] ["a", "A"]'],
    ['unique([[1], [1], [2]])', 'list[list[int]] [[1], [2]]'],
    ["unique(['[1', '2]', '[1, 2]'])", 'list[string] ["[1", "2]", "[1, 2]"]'],
    ['any([])', 'bool false'],
    ['all([])', 'bool true'],
    ['any([false, true])', 'bool true'],
    ['all([true, false])', 'bool false'],
    ['any([1])', 'error: Cannot coerce int to bool'],
    ["list(range_expr('3-5,1'))", 'list[int] [1, 3, 4, 5]'],
    ['list([1])', 'error: No matching signature for list(list[int])'],
    ['len([1, 2])', 'int 2'],
    ["len(range_expr('1-9:2'))", 'int 5'],
    ['len(5)', 'error: No matching signature for len(int)'],
    ['len(true)', 'error: No matching signature for len(bool)'],
  ],
};

for (const [name, rows] of Object.entries(TABLES)) {
  void test(name, (t) => {
    checkResults(t, rows);
    t.end();
  });
}

void test('the invalid part of a list is marked', (t) => {
  checkErrors(t, [
    ["[1, 'a']", "List literal contains incompatible types: int and string\n  [1, 'a']\n  ^~~~~~~~"],
    ['[1, 2][5]', 'Index 5 out of bounds for list of length 2\n  [1, 2][5]\n  ~~~~~~^~~'],
    ['[1, 2][::0]', 'Slice step cannot be zero\n  [1, 2][::0]\n  ~~~~~~^~~~~'],
    ["1 + len([1, int('x')])", "Cannot convert 'x' to int\n  1 + len([1, int('x')])\n              ^~~~~~~~"],
    ['[1].foo()', "Unknown function: 'foo'\n  [1].foo()\n  ~~~~^~~~~"],
  ]);
  t.end();
});

const bound = fc.option(
  fc.oneof(fc.integer({ min: -12, max: 12 }), fc.constantFrom(-(2 ** 53 - 1), 2 ** 53 - 1)),
  { nil: null },
);

/** Reference implementation of Python's slices. */
function plainSlice<Item>(
  items: readonly Item[],
  start: number | null,
  stop: number | null,
  step: number | null,
): Item[] {
  const by = step ?? 1;
  const at = (index: number): number => (index < 0 ? index + items.length : index);
  const picked: Item[] = [];
  const [from, to] = [start === null ? null : at(start), stop === null ? null : at(stop)];
  const indices = by > 0 ? items.keys() : [...items.keys()].reverse().values();
  let first: number | null = null;
  for (const index of indices) {
    const after = from === null || (by > 0 ? index >= from : index <= from);
    const before = to === null || (by > 0 ? index < to : index > to);
    if (!after || !before) continue;
    first ??= index;
    if ((index - first) % by === 0) picked.push(items[index] as Item);
  }
  return picked;
}

const slice = (start: number | null, stop: number | null, step: number | null): string =>
  `[${start ?? ''}:${stop ?? ''}:${step ?? ''}]`;

void test('slices of lists, strings and ranges equal those of Python', (t) => {
  const step = bound.filter((value) => value !== 0);
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.integer({ min: -30, max: 30 }), { minLength: 1, maxLength: 12, size: 'max' }),
      bound,
      bound,
      step,
      (values, start, stop, by) => {
        const text = slice(start, stop, by);
        const expected = plainSlice(values, start, stop, by);
        t.equal(
          resultText(`L${text}`, { symbols: { 'L: list[int]': values } }),
          `list[int] [${expected.join(', ')}]`,
          `${values.join(',')} ${text}`,
        );
        const letters = values.map((value) => String.fromCodePoint(0x1f600 + value));
        t.equal(
          resultText(`S${text}`, { symbols: { 'S: string': letters.join('') } }),
          `string ${plainSlice(letters, start, stop, by).join('')}`,
        );
        const increasing = values.toSorted((a, b) => a - b);
        const ofRange = plainSlice(increasing, start, stop, by);
        const symbols = { 'R: range_expr': increasing.join(',') };
        t.equal(
          resultText(`string(list(R)${text}) + string(R${text} == ${JSON.stringify(ofRange)})`, { symbols }),
          `string [${ofRange.join(', ')}]true`,
          `${increasing.join(',')} ${text}`,
        );
      },
    ),
    { numRuns: 500, seed: 6 },
  );
  t.end();
});

void test('list functions are consistent', (t) => {
  const values = fc.array(fc.integer({ min: -4, max: 4 }), { maxLength: 10 });
  fc.assert(
    fc.property(values, values, fc.integer({ min: 0, max: 4 }), (a, b, n) => {
      const symbols = { 'a: list[int]': a, 'b: list[int]': b, 'n: int': n };
      for (const law of [
        'reversed(reversed(a)) == a',
        'a[::-1] == reversed(a)',
        'sorted(sorted(a)) == sorted(a)',
        'sorted(a) == sorted(reversed(a))',
        'len(sorted(a)) == len(a)',
        'unique(unique(a)) == unique(a)',
        'unique(a + b) == unique(unique(a) + b)',
        'all([x in unique(a) for x in a])',
        'flatten([a, b]) == a + b',
        'len(a + b) == len(a) + len(b)',
        'a * n == flatten([a for i in range(n)])',
        'a + b == [x for x in a + b]',
        'sum(a + b) == sum(a) + sum(b)',
        '[x for x in a if x in b] == [x for x in a if not x not in b]',
        '[a[i] for i in range(len(a))] == a',
        '[a[-1 - i] for i in range(len(a))] == reversed(a)',
        'a == [] or min(a) == sorted(a)[0] and max(a) == sorted(a)[-1]',
        'a == [] or list(range_expr(a)) == sorted(unique(a))',
      ]) {
        t.equal(resultText(law, { symbols }), 'bool true', `${law} for ${JSON.stringify(symbols)}`);
      }
    }),
    { numRuns: 150, seed: 8 },
  );
  t.end();
});
