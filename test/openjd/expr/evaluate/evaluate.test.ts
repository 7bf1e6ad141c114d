import { test } from 'tap';
import type { ExprContext } from '../../../../src/openjd/expr/evaluate/evaluate.ts';
import { evaluated, resultText, type Asked, type Row } from './checked.ts';
import { checkErrors, checkResults } from './rows.ts';

const FILE = {
  symbols: {
    'Param.File: path': '/shots/a_001.tar.gz',
    'Param.Frame: range_expr': '1-3',
    'Param.Frame.Start: int': 1,
    'Param.Count: int': 3,
    'x_let: int': 7,
  },
};

const TABLES: Readonly<Record<string, readonly Row[]>> = {
  'names, dotted names and properties': [
    ['Param.Count', 'int 3', FILE],
    ['Param.File.stem', 'string a_001.tar', FILE],
    ['Param.File.parent.name', 'string shots', FILE],
    ['Param.File.suffixes[0]', 'string .tar', FILE],
    ['(Param.File).suffix', 'string .gz', FILE],
    ['Param.File.name.upper().len()', 'int 12', FILE],
    ['Param.Frame', 'range_expr 1-3', FILE],
    ['Param.Frame.Start', 'int 1', FILE],
    ['Param.Frame.Start + len(Param.Frame)', 'int 4', FILE],
    ['Param.Frame.End', "error: Cannot access attribute 'End' on range_expr", FILE],
    ['Param.Frame.Start.End', "error: Cannot access attribute 'End' on int", FILE],
    ['x_let', 'int 7', FILE],
    ['Param', "error: Undefined variable: 'Param'", FILE],
    ['Param.Cuont', "error: Undefined variable: 'Param.Cuont'. Did you mean: Param.Count", FILE],
    ['Param.Fiel.stem', "error: Undefined variable: 'Param.Fiel.stem'. Did you mean: Param.File.stem", FILE],
    ['Other.Thing', "error: Undefined variable: 'Other.Thing'", FILE],
    ['Param.File.stem.stem', "error: 'stem' property is not available for string. Available for: path", FILE],
    ['Param.File.sufix', "error: Cannot access attribute 'sufix' on path. Did you mean: suffix", FILE],
    ['Param.File.nothing', "error: Cannot access attribute 'nothing' on path", FILE],
    [
      'Param.File.with_name',
      "error: 'with_name' is a method, not a property. Did you mean with_name()?",
      FILE,
    ],
    ['Param.File.stem()', "error: 'stem' is a property, not a method. Use .stem instead of .stem()", FILE],
    ['stem(Param.File)', "error: Unknown function: 'stem'", FILE],
    ['null.stem', "error: 'stem' property is not available for nulltype. Available for: path"],
    ['Param.if', 'int 1', { symbols: { 'Param.if: int': 1 } }],
    ['Param.True + Param.None', 'int 3', { symbols: { 'Param.True: int': 1, 'Param.None: int': 2 } }],
  ],
  'unknown functions': [
    ["uper('a')", "error: Unknown function: 'uper'. Did you mean: upper"],
    ["'a'.uper()", "error: Unknown function: 'uper'. Did you mean: upper"],
    ["'a'.apply_path_mappin()", "error: Unknown function: 'apply_path_mappin'"],
    ['print(1)', "error: Unknown function: 'print'"],
    ['qqqqq()', "error: Unknown function: 'qqqqq'"],
    ['__add__(1, 2)', "error: Cannot call '__add__' directly"],
    ['(1).__add__(2)', "error: Cannot call '__add__' directly"],
    ["path('/a').__property_name__()", "error: Cannot call '__property_name__' directly"],
  ],
  comprehensions: [
    ['[x * 2 for x in [1, 2]]', 'list[int] [2, 4]'],
    ["[x for x in range_expr('1-9:4')]", 'list[int] [1, 5, 9]'],
    ['[x for x in [1, 2, 3] if x > 1 and x < 3]', 'list[int] [2]'],
    ['[x for x in []]', 'list[nulltype] []'],
    ['[x for x in [1] if x > 5]', 'list[nulltype] []'],
    ['[x_let + x for x in [1]]', 'list[int] [8]', FILE],
    ['[[x * y for y in [1, 2]] for x in [3, 4]]', 'list[list[int]] [[3, 6], [4, 8]]'],
    ['[x for x in [y + 1 for y in [1, 2]]]', 'list[int] [2, 3]'],
    ['[x for x in [1]] + [x for x in [2]]', 'list[int] [1, 2]'],
    ['[x if x > 1 else 0.5 for x in [1, 2]]', 'list[float] [0.5, 2.0]'],
    ["[x.stem for x in [path('/a/b.c')]]", 'list[string] ["b"]'],
    ['[x.y for x in [1]]', "error: Cannot access attribute 'y' on int", { symbols: { 'x.y: int': 1 } }],
    ['[_a for _a in [1]]', 'list[int] [1]'],
    ['[x for x_let in [1]]', "error: Loop variable 'x_let' shadows an existing binding", FILE],
    ['[[x for x in [1]] for x in [1]]', "error: Loop variable 'x' shadows an existing variable"],
    ['[1 for X in [1]]', "error: Loop variable 'X' must start with a lowercase letter or an underscore"],
    ['[x for x in x]', "error: Undefined variable: 'x'"],
    ['[x for x in [1]] + [x]', "error: Undefined variable: 'x'"],
    ['[x for x in 5]', 'error: Cannot iterate over int'],
    ["[x for x in 'abc']", 'error: Cannot iterate over string'],
    ['[x for x in null]', 'error: Cannot iterate over nulltype'],
    ['[null for x in [1]]', 'error: null is not allowed in list literals'],
    [
      "[x if x > 1 else 'a' for x in [1, 2]]",
      'error: List literal contains incompatible types: string and int',
    ],
    ['[[[x]] for x in [1]]', 'error: Lists may be nested at most 2 levels deep'],
    ['[x for x in [1] if x]', 'error: List comprehension filter must be a boolean, got int'],
    ['[x for x in [1] if null]', 'error: List comprehension filter must be a boolean, got nulltype'],
    ["[x for x in range_expr('1-200000') if x % 100000 == 0]", 'list[int] [100000, 200000]'],
  ],
  conditionals: [
    ['1 if true else 1 // 0', 'int 1'],
    ['1 // 0 if false else 2', 'int 2'],
    ['1 if 1 < 2 < 3 else 2', 'int 1'],
    ['1 if false else 2 if false else 3', 'int 3'],
    ["1 if 'x' else 2", 'error: Condition must be a boolean, got string'],
    ["1 if 'true' else 2", 'error: Condition must be a boolean, got string'],
    ['1 if 1 else 2', 'error: Condition must be a boolean, got int'],
    ['1 if null else 2', 'error: Condition must be a boolean, got nulltype'],
    ['1 if [] else 2', 'error: Condition must be a boolean, got list[nulltype]'],
    ['1 if (null or false) else 2', 'int 2'],
  ],
};

for (const [name, rows] of Object.entries(TABLES)) {
  void test(name, (t) => {
    checkResults(t, rows);
    t.end();
  });
}

void test('errors mark the part of the source that causes them', (t) => {
  checkErrors(t, [
    [
      '1 + Param.Cuont',
      "Undefined variable: 'Param.Cuont'. Did you mean: Param.Count\n  1 + Param.Cuont\n      ^~~~~~~~~~~",
      FILE,
    ],
    [
      'Param.File.stem.foo + 1',
      "Cannot access attribute 'foo' on string\n  Param.File.stem.foo + 1\n  ~~~~~~~~~~~~~~~~^~~",
      FILE,
    ],
    ["[\n  1,\n  2 + 'a'\n]", "Cannot use '+' operator with int and string\n    2 + 'a'\n    ~~^~~~~"],
    ['1 if 5 else 2', 'Condition must be a boolean, got int\n  1 if 5 else 2\n       ^'],
    ["uper('a')", "Unknown function: 'uper'. Did you mean: upper\n  uper('a')\n  ^~~~~~~~~"],
    ["'🌍' + 5 // 0", "Division by zero\n  '🌍' + 5 // 0\n        ~~^~~~"],
    [
      '[x for x in [1] if x + 1]',
      'List comprehension filter must be a boolean, got int\n  [x for x in [1] if x + 1]\n                     ^~~~~',
    ],
  ]);
  t.end();
});

const mapped: Partial<ExprContext> = {
  host: { kind: 'known', mapPath: (path) => path.replace('/old', '/new') },
};
const later: Partial<ExprContext> = { host: { kind: 'unresolved' } };

void test('host functions exist only in a host context', (t) => {
  const rows: readonly (readonly [string, Asked, string])[] = [
    ["apply_path_mapping('/old/a')", {}, "error: Unknown function: 'apply_path_mapping'"],
    ["'/old/a'.apply_path_mapping()", {}, "error: Unknown function: 'apply_path_mapping'"],
    ["apply_path_mapping('a', 'b')", {}, "error: Unknown function: 'apply_path_mapping'"],
    ["apply_path_mapping('/old/a')", { context: mapped }, 'path /new/a'],
    ["'/old/a'.apply_path_mapping().parent", { context: mapped }, 'path /new'],
    ["apply_path_mapping(path('/old/a'))", { context: mapped }, 'path /new/a'],
    ["apply_path_mapping('/old/a')", { context: later }, 'unresolved[path]'],
    ["apply_path_mapping('/old/a').name + 'x'", { context: later }, 'unresolved[string]'],
    [
      'apply_path_mapping([1])',
      { context: later },
      'error: No matching signature for apply_path_mapping(list[int])',
    ],
    [
      'apply_path_mapping()',
      { context: later },
      'error: apply_path_mapping() takes 1 argument(s), but 0 were given',
    ],
    [
      'aply_path_mapping()',
      { context: later },
      "error: Unknown function: 'aply_path_mapping'. Did you mean: apply_path_mapping",
    ],
    ['aply_path_mapping()', {}, "error: Unknown function: 'aply_path_mapping'"],
  ];
  for (const [source, asked, expected] of rows) t.equal(resultText(source, asked), expected, source);
  t.end();
});

void test('paths of another format than the context are rejected', (t) => {
  const posix = {
    'P: path': '/a',
    'L: list[path]': ['s3://b/k', '/a'],
    'U: list[path]': ['s3://b/k'],
    'S: list[string]': ['/a'],
  };
  const windows: Partial<ExprContext> = { pathStyle: 'windows' };
  const mismatch = 'error: Path format mismatch: the value is a posix path, and paths are windows here';
  checkResults(t, [
    ['P', 'path /a', { symbols: posix }],
    ['L', 'list[path] ["s3://b/k", "/a"]', { symbols: posix }],
    ['P', mismatch, { symbols: posix, context: windows }],
    ['len(L)', mismatch, { symbols: posix, context: windows }],
    ['U', 'list[path] ["s3://b/k"]', { symbols: posix, context: windows }],
    ['S', 'list[string] ["/a"]', { symbols: posix, context: windows }],
  ]);
  checkErrors(t, [
    ['1 + len(L)', `${mismatch.slice(7)}\n  1 + len(L)\n          ^`, { symbols: posix, context: windows }],
  ]);
  t.end();
});

void test('operations are counted as in the specification', (t) => {
  const counts: readonly (readonly [string, number])[] = [
    ['42', 0],
    ['1 + 1', 1],
    ['-(1)', 1],
    ['1 < 2 < 3', 2],
    ['true and false or true', 0],
    ['1 if true else 2', 0],
    ['sum(range(1000))', 2002],
    ['[x * 2 for x in range(100)]', 301],
    ["'a' * 100000", 392],
    ['range(5)[1:3]', 9],
    ['range(5)[2]', 7],
    ["[x for x in range_expr('1-100')]", 102],
    ["len('abc')", 1],
    ["path('/a/b').name", 4],
  ];
  for (const [source, expected] of counts) {
    const result = evaluated(source);
    t.match(result, { ok: true, operations: expected }, source);
  }
  t.end();
});

void test('memory is counted for values that are alive at the same time', (t) => {
  const peak = (source: string): number => {
    const result = evaluated(source, { context: { limits: { memory: 10_000_000, operations: 1_000_000 } } });
    return result.ok ? result.peakMemory : -1;
  };
  const inner = peak('[i for i in range(100)]');
  t.ok(peak('[len([i for i in range(100)]) for k in range(50)]') < 2 * inner, 'an inner list is released');
  t.ok(peak("[len('x' * 1000) for k in range(50)]") < 8_000, 'the value in the middle of a chain is alive');
  t.equal(peak("len('x' * 1000) + len('x' * 1000)"), peak("len('x' * 1000)") + 32);
  t.ok(peak("('x' * 1000) + ('x' * 1000)") > 2 * peak("'x' * 1000"));
  t.ok(
    peak("'ab' * 500 < 'cd' * 500 < 'ef' * 500") > 1.9 * peak("'ab' * 500"),
    'the middle of a chain is alive',
  );
  t.equal(
    peak("[x for x in range_expr('1-100000') if x == 5]"),
    peak("[x for x in range_expr('1-1000') if x == 5]"),
  );
  t.ok(peak('string(range(1000))') > peak('range(1000)'));
  t.end();
});

void test('coerced results are counted as well', (t) => {
  const result = evaluated("range_expr('1-30000')", {
    target: 'list[int]',
    context: { limits: { memory: 500_000, operations: 1_000_000 } },
  });
  t.match(result, { ok: false, detail: /^Cannot coerce range_expr to list\[int\]: Expression memory usage/ });
  t.end();
});

void test('evaluations keep no state', (t) => {
  const first = evaluated('[x + Param.Count for x in [1, 2]]', FILE);
  const second = evaluated('[x + Param.Count for x in [1, 2]]', FILE);
  t.same(first, second);
  t.end();
});
