import { test } from 'tap';
import { symbolTable, resultText, type Row, type Symbols } from '../evaluate/checked.ts';
import { checkErrors, checkResults } from '../evaluate/rows.ts';

/** Values by a short name, and their coercions by target. */
const SYMBOLS: Symbols = {
  'b: bool': true,
  'i: int': 42,
  'big: int': '9223372036854775807',
  'f: float': 3.5,
  'w: float': '4.0',
  's: string': 'text',
  'n: string': '5',
  'd: string': '2.50',
  'y: string': 'Yes',
  'g: string': '1-3',
  'e: string': '',
  'p: path': '/a/b',
  'r: range_expr': '1-3,7',
  'li: list[int]': [1, 2],
  'lf: list[float]': ['1.0', 2.5],
  'lw: list[float]': ['1.0', 2],
  'ls: list[string]': ['a', 'b'],
  'ln: list[string]': ['1', '2'],
  'lp: list[path]': ['/a'],
  'lb: list[bool]': [true, false],
  'll: list[list[int]]': [[1], [2, 3]],
};

type Cell = readonly [symbol: string, target: string, expected: string];

const TABLES: Readonly<Record<string, readonly Cell[]>> = {
  'as it is': [
    ['b', 'bool', 'bool true'],
    ['i', 'int', 'int 42'],
    ['i', 'int | string', 'int 42'],
    ['w', 'float', 'float 4.0'],
    ['p', 'path | string', 'path /a/b'],
    ['s', 'path | string', 'string text'],
    ['n', 'float | string', 'string 5'],
    ['r', 'list[int] | range_expr', 'range_expr 1-3,7'],
    ['li', 'list[int] | list[string]', 'list[int] [1, 2]'],
    ['i', 'any', 'int 42'],
    ['null', 'int?', 'nulltype null'],
    ['null', 'nulltype', 'nulltype null'],
  ],
  'to string': [
    ['b', 'string', 'string true'],
    ['i', 'string', 'string 42'],
    ['f', 'string', 'string 3.5'],
    ['w', 'string', 'string 4.0'],
    ['p', 'string', 'string /a/b'],
    ['r', 'string', 'string 1-3,7'],
    ['li', 'string', 'error: Cannot coerce list[int] to string'],
    ['null', 'string', 'error: Cannot coerce nulltype to string'],
    ['[]', 'string', 'error: Cannot coerce list[nulltype] to string'],
  ],
  'to path': [
    ['s', 'path', 'path text'],
    ['e', 'path', 'path .'],
    ['i', 'path', 'error: Cannot coerce int to path'],
    ['r', 'path', 'error: Cannot coerce range_expr to path'],
  ],
  'to int': [
    ['n', 'int', 'int 5'],
    ['w', 'int', 'int 4'],
    ['f', 'int', 'error: Cannot convert 3.5 to int: it is not a whole number'],
    ['1e300', 'int', 'error: Cannot convert 1e300 to int: it is not a whole number'],
    ['d', 'int', "error: Cannot convert '2.50' to int: invalid digit found in string"],
    ['e', 'int', "error: Cannot convert '' to int: invalid digit found in string"],
    [
      "'9223372036854775808'",
      'int',
      "error: Cannot convert '9223372036854775808' to int: out of the 64-bit range",
    ],
    ['b', 'int', 'error: Cannot coerce bool to int'],
    ['p', 'int', 'error: Cannot coerce path to int'],
    ['r', 'int', 'error: Cannot coerce range_expr to int'],
    ['li', 'int', 'error: Cannot coerce list[int] to int'],
    ['null', 'int', 'error: Cannot coerce nulltype to int'],
  ],
  'to float': [
    ['i', 'float', 'float 42.0'],
    ['big', 'float', 'float 9.223372036854776e+18'],
    ['d', 'float', 'float 2.50'],
    ['n', 'float', 'float 5'],
    ['s', 'float', "error: Cannot convert 'text' to float"],
    ['e', 'float', "error: Cannot convert '' to float"],
    ["'inf'", 'float', "error: Cannot convert 'inf' to float"],
    ['b', 'float', 'error: Cannot coerce bool to float'],
  ],
  'to bool': [
    ['y', 'bool', 'bool true'],
    ["'OFF'", 'bool', 'bool false'],
    [
      's',
      'bool',
      "error: Cannot convert 'text' to bool. Expected one of: 1, true, on, yes, 0, false, off, no",
    ],
    ['i', 'bool', 'error: Cannot coerce int to bool'],
    ['null', 'bool', 'error: Cannot coerce nulltype to bool'],
  ],
  ranges: [
    ['g', 'range_expr', 'range_expr 1-3'],
    ['n', 'range_expr', 'range_expr 5'],
    ['i', 'range_expr', 'error: Cannot coerce int to range_expr'],
    ['li', 'range_expr', 'error: Cannot coerce list[int] to range_expr'],
    ['r', 'list[int]', 'list[int] [1, 2, 3, 7]'],
    ['r', 'list[int] | string', 'string 1-3,7'],
    ['r', 'list[float]', 'error: Cannot coerce range_expr to list[float]'],
    ['r', 'list[string]', 'error: Cannot coerce range_expr to list[string]'],
  ],
  lists: [
    ['li', 'list[float]', 'list[float] [1.0, 2.0]'],
    ['li', 'list[string]', 'list[string] ["1", "2"]'],
    ['lp', 'list[string]', 'list[string] ["/a"]'],
    ['ls', 'list[path]', 'list[path] ["a", "b"]'],
    ['ln', 'list[int]', 'list[int] [1, 2]'],
    ['lw', 'list[int]', 'list[int] [1, 2]'],
    ['lb', 'list[string]', 'list[string] ["true", "false"]'],
    ['ll', 'list[list[string]]', 'list[list[string]] [["1"], ["2", "3"]]'],
    ['ll', 'list[list[float]]', 'list[list[float]] [[1.0], [2.0, 3.0]]'],
    ['[]', 'list[list[int]]', 'list[list[int]] []'],
    ['li[5:]', 'list[string]', 'list[string] []'],
    ['ls', 'list[int]', "error: Cannot convert 'a' to int: invalid digit found in string"],
    ['lf', 'list[int]', 'error: Cannot convert 2.5 to int: it is not a whole number'],
    ['lb', 'list[int]', 'error: Cannot coerce bool to int'],
    ['ll', 'list[int]', 'error: Cannot coerce list[int] to int'],
    ['i', 'list[int]', 'error: Cannot coerce int to list[int]'],
    ['s', 'list[string]', 'error: Cannot coerce string to list[string]'],
  ],
  'preferences among the members of a union': [
    ['i', 'float | string', 'float 42.0'],
    ['i', 'path | string', 'string 42'],
    ['i', 'bool | string', 'string 42'],
    ['i', 'bool | path', 'error: Cannot coerce int to bool | path'],
    ['w', 'int | string', 'int 4'],
    ['f', 'int | string', 'string 3.5'],
    ['f', 'int | path', 'error: Cannot coerce float to int | path'],
    ['n', 'float | int', 'int 5'],
    ['d', 'float | int', 'float 2.50'],
    ['s', 'float | int', 'error: Cannot coerce string to float | int'],
    ['n', 'bool | float', 'float 5'],
    ["'1'", 'bool | int', 'int 1'],
    ["'1'", 'bool | range_expr', 'bool true'],
    ['g', 'bool | range_expr', 'range_expr 1-3'],
    ['g', 'path | range_expr', 'range_expr 1-3'],
    ['s', 'int | path', 'path text'],
    ['n', 'int | path', 'int 5'],
    ['y', 'bool | path', 'bool true'],
    ['p', 'int | string', 'string /a/b'],
    ['r', 'int | list[int]', 'list[int] [1, 2, 3, 7]'],
    ['b', 'int | string', 'string true'],
    ['li', 'list[float] | list[string]', 'list[float] [1.0, 2.0]'],
    ['lp', 'list[int] | list[string]', 'list[string] ["/a"]'],
    ['ln', 'list[float] | list[int]', 'list[int] [1, 2]'],
    ['lf', 'list[int] | list[string]', 'list[string] ["1.0", "2.5"]'],
    ['li', 'int | string', 'error: Cannot coerce list[int] to int | string'],
    ['i', 'list[string] | string | nulltype', 'string 42'],
    ['li', 'list[string] | string | nulltype', 'list[string] ["1", "2"]'],
    ['null', 'list[string] | string | nulltype', 'nulltype null'],
    ['i', 'string?', 'string 42'],
    ["'null'", 'int?', 'error: Cannot coerce string to int?'],
  ],
};

for (const [name, cells] of Object.entries(TABLES)) {
  void test(`values are coerced: ${name}`, (t) => {
    checkResults(
      t,
      cells.map(([symbol, target, expected]): Row => [symbol, expected, { symbols: SYMBOLS, target }]),
    );
    t.end();
  });
}

void test('the order of the members of a union has no effect', (t) => {
  for (const cells of Object.values(TABLES)) {
    for (const [symbol, target, expected] of cells) {
      const turned = target.split(' | ').reverse().join(' | ');
      // The failure message lists the members in their own order.
      t.equal(resultText(symbol, { symbols: SYMBOLS, target: turned }), expected, `${symbol} to ${turned}`);
    }
  }
  t.end();
});

void test('a coercion to a type is stable', (t) => {
  const names = [...symbolTable(SYMBOLS).keys()];
  const targets = [...new Set(Object.values(TABLES).flatMap((cells) => cells.map(([, target]) => target)))];
  for (const name of names) {
    for (const target of targets) {
      const once = resultText(name, { symbols: SYMBOLS, target });
      if (once.startsWith('error')) continue;
      // A branch of a conditional is coerced in the same way.
      t.equal(
        resultText(`${name} if true else null`, { symbols: SYMBOLS, target }),
        once,
        `${name} to ${target}`,
      );
    }
  }
  t.end();
});

void test('a value that cannot be coerced is marked completely', (t) => {
  checkErrors(t, [
    ['[1] + [2]', 'Cannot coerce list[int] to int\n  [1] + [2]\n  ^~~~~~~~~', { target: 'int' }],
    [
      "'x' or 5",
      "Cannot convert 'x' to int: invalid digit found in string\n  'x' or 5\n  ^~~~~~~~",
      { target: 'int' },
    ],
  ]);
  t.end();
});
