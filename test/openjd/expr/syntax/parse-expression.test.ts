import { test } from 'tap';
import { parseExpression } from '../../../../src/openjd/expr/syntax/parse-expression.ts';
import { shape } from './written.ts';
import { failureText } from '../../../../src/openjd/expr/expr-failure.ts';

function tree(source: string): string {
  const parsed = parseExpression(source);
  return parsed.ok ? shape(parsed.expr) : failureText(parsed.failure, source);
}

function refusal(source: string): string {
  const parsed = parseExpression(source);
  return parsed.ok ? `no refusal: ${shape(parsed.expr)}` : failureText(parsed.failure, source);
}

/** Returns only the message. */
const message = (source: string): string => refusal(source).split('\n')[0] ?? '';

void test('int literals are parsed', async (t) => {
  const ints: readonly (readonly [string, string])[] = [
    ['0', '0'],
    ['00', '0'],
    ['0_0', '0'],
    ['42', '42'],
    ['1_000_000', '1000000'],
    ['0x2A', '42'],
    ['0X_ff_FF', '65535'],
    ['0o52', '42'],
    ['0O5_2', '42'],
    ['0b101010', '42'],
    ['0B1_0', '2'],
    ['9007199254740991', '9007199254740991'],
    ['9007199254740992', '9007199254740992n'],
    ['9223372036854775807', '9223372036854775807n'],
    ['0x7fff_ffff_ffff_ffff', '9223372036854775807n'],
    ['-9223372036854775808', '-9223372036854775808n'],
    ['- 0x8000000000000000', '-9223372036854775808n'],
    ['--9223372036854775808', '(- -9223372036854775808n)'],
    ['2 - 9223372036854775807', '(- 2 9223372036854775807n)'],
    ['-5', '(- 5)'],
    ['-0', '(- 0)'],
  ];
  for (const [source, expected] of ints) t.equal(tree(source), expected, source);
  const tooBig = 'Integer overflow: result is outside the 64-bit signed range';
  t.equal(refusal('9223372036854775808'), `${tooBig}\n  9223372036854775808\n  ^~~~~~~~~~~~~~~~~~~`);
  t.equal(
    refusal('1 + -9223372036854775809'),
    `${tooBig}\n  1 + -9223372036854775809\n      ^~~~~~~~~~~~~~~~~~~~`,
  );
  t.equal(message('-9223372036854775808 ** 2'), tooBig);
  t.equal(message('-9223372036854775808 .x'), tooBig);
  t.equal(message(`${'9'.repeat(60_000)}`), tooBig);
  t.equal(message('0x1_0000_0000_0000_0000'), tooBig);
  const leading =
    'Syntax error: Leading zeros in decimal integers are not permitted; an octal integer begins with 0o';
  for (const source of ['007', '0_7', '01', '-0123']) t.equal(message(source), leading, source);
});

void test('float literals keep their text', async (t) => {
  const floats: readonly (readonly [string, string])[] = [
    ['3.14', '3.14/3.14'],
    ['3.500', '3.5/3.500'],
    ['.5', '0.5/0.5'],
    ['3.', '3/3.0'],
    ['3.e2', '300/3.0e2'],
    ['1e10', '10000000000/1e10'],
    ['1.5E-3', '0.0015/1.5E-3'],
    ['1_0.2_5e1_0', '102500000000/10.25e10'],
    ['007.5', '7.5/007.5'],
    ['0.0', '0/0.0'],
    ['1e-400', '0/1e-400'],
    ['1..x', '(. 1/1.0 x)'],
  ];
  for (const [source, expected] of floats) t.equal(tree(source), expected, source);
  t.equal(refusal('1e3000'), 'Float operation produced infinity\n  1e3000\n  ^~~~~~');
  for (const source of [
    '1_',
    '1__0',
    '1_.5',
    '1._5',
    '1_e5',
    '1e_5',
    '0x',
    '0b2',
    '42.zfill(5)',
    '1e',
    '0xg',
  ]) {
    t.match(message(source), /^Syntax error: Unexpected token '/, source);
  }
});

void test('string literals are parsed', async (t) => {
  const strings: readonly (readonly [string, string])[] = [
    ["'a'", 'a'],
    ['"it\'s"', "it's"],
    ["''", ''],
    ["'''a'b\n''c'''", "a'b\n''c"],
    ['"""a""b"""', 'a""b'],
    ["'a' \"b\"\n'''c'''r'\\n'", 'abc\\n'],
    [String.raw`'\\\'\"\n\r\t\a\b\f\v'`, '\\\'"\n\r\t\x07\b\f\v'],
    [String.raw`'\x41\u00e9\U0001F600\101\0\377'`, 'Aé😀A\0ÿ'],
    [String.raw`'\N{BULLET}\N{greek small letter alpha}\N{LINE FEED}'`, '•α\n'],
    [String.raw`'\d\q\8'`, String.raw`\d\q\8`],
    ["'a\\\nb\\\r\nc'", 'abc'],
    [String.raw`r'\n\'' R"\x"`, String.raw`\n\'\x`],
    ['"日本語👨‍👩"', '日本語👨‍👩'],
  ];
  for (const [source, expected] of strings) t.equal(tree(source), JSON.stringify(expected), source);
  t.equal(refusal("'abc"), "Syntax error: Unterminated string\n  'abc\n  ^~~~");
  t.equal(message("'a\nb'"), 'Syntax error: Unterminated string');
  t.equal(message(String.raw`r'\'`), 'Syntax error: Unterminated string');
  t.equal(message("'''a'"), 'Syntax error: Unterminated string');
  const escape = (written: string, why: string): string => `Syntax error: Invalid escape ${written}: ${why}`;
  t.equal(
    refusal(String.raw`1 + 'ab\x4'`),
    `${escape('\\x', 'it needs two hexadecimal digits')}\n  1 + 'ab\\x4'\n         ^~`,
  );
  t.equal(message(String.raw`'\u12'`), escape('\\u', 'it needs four hexadecimal digits'));
  t.equal(message(String.raw`'\U0001F60'`), escape('\\U', 'it needs eight hexadecimal digits'));
  t.equal(message(String.raw`'\N'`), escape('\\N', 'it needs the name of a character in braces'));
  t.equal(message(String.raw`'\N{NOBODY}'`), escape('\\N{NOBODY}', "there is no character named 'NOBODY'"));
  t.equal(message(String.raw`'\U00110000'`), escape('\\U00110000', 'there is no such character'));
  t.equal(message(String.raw`'\ud83d'`), escape('\\ud83d', 'half of a surrogate pair is not a character'));
});

void test('words are parsed as names and keywords', async (t) => {
  const words: readonly (readonly [string, string])[] = [
    ['True', 'true'],
    ['true', 'true'],
    ['False', 'false'],
    ['false', 'false'],
    ['None', 'null'],
    ['null', 'null'],
    ['Param.if.class.True.null', '(. (. (. (. Param if) class) True) null)'],
    ['x.not(1).in', '(. (method not x 1) in)'],
    ['match', 'match'],
    ['_a1.B_2', '(. _a1 B_2)'],
    ['a . b', '(. a b)'],
  ];
  for (const [source, expected] of words) t.equal(tree(source), expected, source);
  for (const word of 'class def pass if in is and await lambda import yield'.split(' ')) {
    t.match(message(word), /^Syntax error: Expected/, word);
  }
  t.equal(
    refusal('1 + class'),
    "Syntax error: Expected an expression, found 'class'\n  1 + class\n      ^~~~~",
  );
  t.equal(refusal('é + 1'), "Syntax error: Unexpected character 'é'\n  é + 1\n  ^");
  t.equal(message('a\u00a0+ 1'), 'Syntax error: Unexpected character U+00A0');
  t.equal(message('"a".\u0301'), 'Syntax error: Unexpected character U+0301');
});

void test("precedence is Python's", async (t) => {
  const trees: readonly (readonly [string, string])[] = [
    ['1 + 2 * 3 - 4', '(- (+ 1 (* 2 3)) 4)'],
    ['8 / 4 // 2 % 3', '(% (// (/ 8 4) 2) 3)'],
    ['-2 ** 2', '(- (** 2 2))'],
    ['2 ** -1 ** 2', '(** 2 (- (** 1 2)))'],
    ['2 ** 3 ** 4', '(** 2 (** 3 4))'],
    ['-a.b[0] ** 2', '(- (** (at (. a b) 0) 2))'],
    ['- + - 1', '(- (+ (- 1)))'],
    ['not a == b', '(not (compare a == b))'],
    ['not not a', '(not (not a))'],
    ['not a and b or c and not d', '(or (and (not a) b) (and c (not d)))'],
    ['a or b or c', '(or a b c)'],
    ['(a or b) or c', '(or (or a b) c)'],
    ['a and b and c', '(and a b c)'],
    ['1 < 2 <= 3 != 4', '(compare 1 < 2 <= 3 != 4)'],
    ['(1 < 2) < 3', '(compare (compare 1 < 2) < 3)'],
    ['a in b not in c', '(compare a in b not in c)'],
    ['a + 1 not in b', '(compare (+ a 1) not in b)'],
    ['a if b else c if d else e', '(if b a (if d c e))'],
    ['(a if b else c) if d else e', '(if d (if b a c) e)'],
    ['a or b if c and d else not e', '(if (and c d) (or a b) (not e))'],
    ['1if a else 2', '(if a 1 2)'],
    ["'a' * 2 + 'b'", '(+ (* "a" 2) "b")'],
  ];
  for (const [source, expected] of trees) t.equal(tree(source), expected, source);
  t.equal(refusal('1 + not a'), "Syntax error: Expected an expression, found 'not'\n  1 + not a\n      ^~~");
  t.equal(message('a == not b'), "Syntax error: Expected an expression, found 'not'");
});

void test('parses lists, comprehensions, calls and subscripts', async (t) => {
  const trees: readonly (readonly [string, string])[] = [
    ['[]', '[]'],
    ['[1,]', '[1]'],
    ['[1, [2, 3], a if b else c]', '[1 [2 3] (if b a c)]'],
    ['[x for x in y]', '(for x x y)'],
    [
      '[x*2 for x in y or z if x > 1 and x < 3]',
      '(for (* x 2) x (or y z) (and (compare x > 1) (compare x < 3)))',
    ],
    ['[[y for y in x] for x in z]', '(for (for y y x) x z)'],
    ['[x for x in [x for x in y]]', '(for x x (for x x y))'],
    ['[x for x in y if (a if b else c)]', '(for x x y (if b a c))'],
    ['f()', '(call f)'],
    ['f(1, a, )', '(call f 1 a)'],
    ['(f)(1)', '(call f 1)'],
    ['a.b.c(1).d', '(. (method c (. a b) 1) d)'],
    ["'a'.upper().strip('x')", '(method strip (method upper "a") "x")'],
    ['(42).zfill(5)', '(method zfill 42 5)'],
    ['a[1]', '(at a 1)'],
    ['a[-1][b]', '(at (at a (- 1)) b)'],
    ['a[:]', '(slice a _ _ _)'],
    ['a[::]', '(slice a _ _ _)'],
    ['a[1:]', '(slice a 1 _ _)'],
    ['a[:2]', '(slice a _ 2 _)'],
    ['a[::-1]', '(slice a _ _ (- 1))'],
    ['a[1:2:3]', '(slice a 1 2 3)'],
    ['a[b if c else d:]', '(slice a (if c b d) _ _)'],
    ['(\n  1 +\n\t2\f)', '(+ 1 2)'],
    ['1\n+\\\n2', '(+ 1 2)'],
    ['\n a \r\n', 'a'],
  ];
  for (const [source, expected] of trees) t.equal(tree(source), expected, source);
});

void test('missing and extra tokens are rejected', async (t) => {
  const wrong: readonly (readonly [string, string])[] = [
    ['', 'Empty expression'],
    [' \n ', 'Empty expression'],
    ['1 +', 'Syntax error: Expected an expression\n  1 +\n  ^~~'],
    ['1 +\n  2 *', 'Syntax error: Expected an expression\n    2 *\n    ^~~'],
    ['(1', "Syntax error: Expected ')'\n  (1\n  ^~"],
    ['(1 2)', "Syntax error: Expected ')', found '2'\n  (1 2)\n     ^"],
    ['[1 2]', "Syntax error: Expected ']' or ',', found '2'\n  [1 2]\n     ^"],
    ['f(1', "Syntax error: Expected ')' or ','\n  f(1\n  ^~~"],
    ['f(,)', "Syntax error: Expected an expression, found ','\n  f(,)\n    ^"],
    ['a[]', "Syntax error: Expected an index, found ']'\n  a[]\n    ^"],
    ['a[1:2:3:4]', "Syntax error: Expected ']', found ':'\n  a[1:2:3:4]\n         ^"],
    ['a.', "Syntax error: Expected a name after '.'\n  a.\n  ^~"],
    ['a.1', "Syntax error: Unexpected token '.1'\n  a.1\n   ^~"],
    ['a b', "Syntax error: Unexpected token 'b'\n  a b\n    ^"],
    ['1)', "Syntax error: Unexpected token ')'\n  1)\n   ^"],
    ['a if b', "Syntax error: Expected 'else'\n  a if b\n  ^~~~~~"],
    ['[x for x]', "Syntax error: Expected 'in', found ']'\n  [x for x]\n          ^"],
    [
      '[x for x in a if b else c]',
      "Syntax error: Expected ']', found 'else'\n  [x for x in a if b else c]\n                     ^~~~",
    ],
    ['x = 1', "Syntax error: Unexpected token '='. Did you mean '=='?\n  x = 1\n    ^"],
    ['a && b', "Syntax error: Unexpected token '&&'. Did you mean 'and'?\n  a && b\n    ^~"],
    ['a || b', "Syntax error: Unexpected token '||'. Did you mean 'or'?\n  a || b\n    ^~"],
    ['1 # one', "Syntax error: Unexpected character '#'\n  1 # one\n    ^"],
    ["'日本語' + $", "Syntax error: Unexpected character '$'\n  '日本語' + $\n          ^"],
    [
      `1 ${'a'.repeat(60)}`,
      `Syntax error: Unexpected token '${'a'.repeat(40)}...'\n  1 ${'a'.repeat(60)}\n    ^${'~'.repeat(59)}`,
    ],
  ];
  for (const [source, expected] of wrong) t.equal(refusal(source), expected, source);
});

void test('Python features that the language lacks are rejected', async (t) => {
  const refused: readonly (readonly [string, string])[] = [
    ['lambda x: x', 'Lambda expressions are not supported\n  lambda x: x\n  ^~~~~~~~~~~'],
    [
      'f(lambda a, *b, c=1, **d: a + 1)',
      'Lambda expressions are not supported\n  f(lambda a, *b, c=1, **d: a + 1)\n    ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~',
    ],
    ["{'a': 1}", "Dict literals are not supported\n  {'a': 1}\n  ^~~~~~~~"],
    ['{}', 'Dict literals are not supported\n  {}\n  ^~'],
    ['{**a, 1: 2}', 'Dict literals are not supported\n  {**a, 1: 2}\n  ^~~~~~~~~~~'],
    ['{1, 2}', 'Set literals are not supported\n  {1, 2}\n  ^~~~~~'],
    [
      '{k: v for k in w}',
      'Dict comprehensions are not supported; only list comprehensions are allowed\n  {k: v for k in w}\n  ^~~~~~~~~~~~~~~~~',
    ],
    [
      '{x for x in [1]}',
      'Set comprehensions are not supported; only list comprehensions are allowed\n  {x for x in [1]}\n  ^~~~~~~~~~~~~~~~',
    ],
    [
      'sum(x for x in [1])',
      'Generator expressions are not supported; use a list comprehension\n  sum(x for x in [1])\n      ^~~~~~~~~~~~~~',
    ],
    [
      '(x for x in y)',
      'Generator expressions are not supported; use a list comprehension\n  (x for x in y)\n  ^~~~~~~~~~~~~~',
    ],
    ['(1, 2)', 'Tuple literals are not supported; use a list\n  (1, 2)\n  ^~~~~~'],
    ['1, 2', 'Tuple literals are not supported; use a list\n  1, 2\n  ^~~~'],
    ['()', 'Tuple literals are not supported; use a list\n  ()\n  ^~'],
    ['a[1, 2]', 'Tuple literals are not supported; use a list\n  a[1, 2]\n    ^~~~'],
    ['x := 1', 'Assignment expressions (:=) are not supported\n  x := 1\n  ^~~~~~'],
    ['f(*a)', 'Star expressions are not supported\n  f(*a)\n    ^~'],
    ['[*a, 1]', 'Star expressions are not supported\n  [*a, 1]\n   ^~'],
    ['f(x=1)', 'Keyword arguments are not supported\n  f(x=1)\n    ^~~'],
    ['f(a, **d)', 'Keyword arguments are not supported\n  f(a, **d)\n       ^~~'],
    ['1 | 2', 'Bitwise OR (|) is not supported\n  1 | 2\n  ~~^~~'],
    ['1 ^ 2', 'Bitwise XOR (^) is not supported\n  1 ^ 2\n  ~~^~~'],
    ['1 & 2', 'Bitwise AND (&) is not supported\n  1 & 2\n  ~~^~~'],
    ['1 << 2', 'Left shift (<<) is not supported\n  1 << 2\n  ~~^~~~'],
    ['1 >> 2', 'Right shift (>>) is not supported\n  1 >> 2\n  ~~^~~~'],
    ['a @ b', 'Matrix multiplication (@) is not supported\n  a @ b\n  ~~^~~'],
    ['~1', 'Bitwise NOT (~) is not supported\n  ~1\n  ^~'],
    ['a is b', "The 'is' operator is not supported; use '=='\n  a is b\n  ^~~~~~"],
    ['a is not None', "The 'is not' operator is not supported; use '!='\n  a is not None\n  ^~~~~~~~~~~~~"],
    ['...', 'Ellipsis (...) is not supported\n  ...\n  ^~~'],
    ['await x', 'Await expressions are not supported\n  await x\n  ^~~~~~~'],
    ['3j', 'Complex numbers are not supported\n  3j\n  ^~'],
    ['1 + 2.5J', 'Complex numbers are not supported\n  1 + 2.5J\n      ^~~~'],
    ["f'a{b}'", "f-strings are not supported; use string concatenation\n  f'a{b}'\n  ^~~~~~~"],
    ["'a' Rf'b'", "f-strings are not supported; use string concatenation\n  'a' Rf'b'\n  ^~~~~~~~~"],
    ["b'x'", "Byte strings (b'...') are not supported. Use '...' or \"...\" instead.\n  b'x'\n  ^~~~"],
    ["bR'x'", "Byte strings (b'...') are not supported. Use '...' or \"...\" instead.\n  bR'x'\n  ^~~~~"],
    ["u'x'", "Unicode string prefix u'...' is not supported. Use '...' or \"...\" instead.\n  u'x'\n  ^~~~"],
    ["t'x'", "Unsupported expression type\n  t'x'\n  ^~~~"],
    [
      '[x for x in a for y in b]',
      "Multiple 'for' clauses in a comprehension are not supported\n  [x for x in a for y in b]\n                ^~~~~~~~~~",
    ],
    [
      '[x for x in a if b if c]',
      "Multiple 'if' clauses in a comprehension are not supported\n  [x for x in a if b if c]\n                     ^~~~",
    ],
    [
      '[x for x, y in a]',
      'Tuple unpacking in a comprehension is not supported\n  [x for x, y in a]\n         ^~~~',
    ],
    [
      '[x for (x, y) in a]',
      'Tuple unpacking in a comprehension is not supported\n  [x for (x, y) in a]\n         ^~~~~~',
    ],
    [
      '[x for x.y in a]',
      'The loop variable of a comprehension must be a name\n  [x for x.y in a]\n         ^~~',
    ],
    [
      '[x async for x in a]',
      'Asynchronous comprehensions are not supported\n  [x async for x in a]\n     ^~~~~',
    ],
    ['f(1)(2)', 'Only functions and methods can be called\n  f(1)(2)\n  ^~~~~~~'],
    ["'a'()", "Only functions and methods can be called\n  'a'()\n  ^~~~~"],
    ['(1).__eq__(1)', "Cannot call '__eq__' directly\n  (1).__eq__(1)\n  ~~~~^~~~~~~~~"],
    ['__add__(1, 2)', "Cannot call '__add__' directly\n  __add__(1, 2)\n  ^~~~~~~~~~~~~"],
    [
      '[X for X in a]',
      "Loop variable 'X' must start with a lowercase letter or an underscore\n  [X for X in a]\n         ^",
    ],
    [
      '[[x for x in a] for x in b]',
      "Loop variable 'x' shadows an existing variable\n  [[x for x in a] for x in b]\n          ^",
    ],
    [
      '[x for x in a if [x for x in b] == []]',
      "Loop variable 'x' shadows an existing variable\n  [x for x in a if [x for x in b] == []]\n                          ^",
    ],
  ];
  for (const [source, expected] of refused) {
    t.equal(refusal(source), expected, source);
  }
  t.equal(message("ur'x'"), "Syntax error: Unexpected token ''x''");
});

void test('syntax errors are reported first, then the outermost, then the first', async (t) => {
  t.equal(message('(1 | 2) +'), 'Syntax error: Expected an expression');
  t.equal(message('{1 | 2}'), 'Set literals are not supported');
  t.equal(message('(1 | 2) ^ 3'), 'Bitwise XOR (^) is not supported');
  t.equal(message('[1 | 2, 3 ^ 4]'), 'Bitwise OR (|) is not supported');
});

void test('errors have positions and carets', async (t) => {
  const marks = (source: string): string => {
    const parsed = parseExpression(source);
    if (!parsed.ok) throw parsed.failure;
    const { start, end, caret } = parsed.expr;
    return Array.from(source, (_, at) => (at === caret ? '^' : at >= start && at < end ? '~' : ' '))
      .join('')
      .trimEnd();
  };
  const places: readonly (readonly [string, string])[] = [
    [' 1 + 2 ', ' ~~^~~'],
    ['(-2.0) ** 0.5', '~~~~~~~^~~~~~'],
    ['((1)) + (2)', '~~~~~~^~~~~'],
    ['(1 + 2)', ' ~~^~~'],
    ['a.b.c', '~~~~^'],
    ['a.b(1)', '~~^~~~'],
    ['f(1)', '^~~~'],
    ['(a)[1]', '~~~^~~'],
    ['a[1:2]', '~^~~~~'],
    ['1 < 2 < 3', '^~~~~~~~~'],
    ['a or (b)', '^~~~~~~~'],
    ['-(1)', '^~~~'],
    ['not a', '^~~~~'],
    ['(a) if b else (c)', '^~~~~~~~~~~~~~~~~'],
    ["'a' 'b'", '^~~~~~~'],
    ['[1]', '^~~'],
    ['[x for x in y]', '^~~~~~~~~~~~~~'],
  ];
  for (const [source, expected] of places) t.equal(marks(source), expected, source);
});

void test('a comparison in a chain starts at the operand before it', async (t) => {
  const parsed = parseExpression('1 < (2) < 3');
  t.same(parsed.ok && parsed.expr.kind === 'compare' && parsed.expr.rest.map(({ place }) => place), [
    { start: 0, end: 7, caret: 0 },
    { start: 4, end: 11, caret: 4 },
  ]);
});

void test('the depth is limited, the length is not', async (t) => {
  const levels = 'Expression is nested too deeply: more than 64 levels';
  const nesting = 'Expression is nested too deeply: more than 400 levels';
  const fine = [
    `${'1 + '.repeat(63)}1`,
    `${'-'.repeat(63)}1`,
    `${'('.repeat(400)}1${')'.repeat(400)}`,
    `x${'.a'.repeat(63)}`,
    `[${'1,'.repeat(30_000)}]`,
    `f(${'a,'.repeat(30_000)})`,
    `${'a or '.repeat(10_000)}b`,
    `${"'a' ".repeat(16_000)}`,
    `'${'x'.repeat(65_534)}'`,
  ];
  for (const source of fine) t.equal(parseExpression(source).ok, true, source.slice(0, 20));
  const deep: readonly (readonly [string, string])[] = [
    [`${'1 + '.repeat(64)}1`, levels],
    [`${'1+'.repeat(30_000)}1`, levels],
    [`${'1<'.repeat(64)}1`, levels],
    [`x${'.a'.repeat(64)}`, levels],
    [`x${'.a()'.repeat(15_000)}`, levels],
    [`x${'[0]'.repeat(20_000)}`, levels],
    [`${'-'.repeat(64)}1`, levels],
    [`${'-'.repeat(60_000)}1`, nesting],
    [`${'not '.repeat(16_000)}1`, nesting],
    [`${'('.repeat(401)}1${')'.repeat(401)}`, nesting],
    [`${'('.repeat(5000)}1${')'.repeat(5000)}`, nesting],
    ['('.repeat(60_000), nesting],
    ['['.repeat(60_000), nesting],
    ['{'.repeat(60_000), nesting],
    ['f('.repeat(30_000), nesting],
    ['a['.repeat(30_000), nesting],
    [`${'2**'.repeat(20_000)}1`, nesting],
    [`${'a if b else '.repeat(5_000)}c`, nesting],
    ['lambda: '.repeat(8_000), nesting],
    ['~'.repeat(60_000), nesting],
    ['f(x='.repeat(15_000), nesting],
  ];
  for (const [source, expected] of deep) t.equal(message(source), expected, source.slice(0, 20));
});

void test('the source is limited in bytes', async (t) => {
  t.equal(
    message(`'${'x'.repeat(65_535)}'`),
    'The expression has 65537 bytes, more than the limit of 65536 bytes',
  );
  t.equal(parseExpression(`'${'語'.repeat(21_844)}'`).ok, true);
  t.equal(
    message(`'${'語'.repeat(21_845)}'`),
    'The expression has 65537 bytes, more than the limit of 65536 bytes',
  );
  t.equal(
    message(`'${'😀é'.repeat(11_000)}'`),
    'The expression has 66002 bytes, more than the limit of 65536 bytes',
  );
});
