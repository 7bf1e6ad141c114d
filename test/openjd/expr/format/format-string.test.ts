import fc from 'fast-check';
import { test } from 'tap';
import { escapedText } from '../../../../src/openjd/expr/format/escaped-text.ts';
import {
  formatReferences,
  parseExprFormat,
  soleExpression,
} from '../../../../src/openjd/expr/format/format-string.ts';
import { prepareFormat, resolveFormat } from '../../../../src/openjd/expr/format/resolve-format.ts';
import { EXPR_LIMITS, type ExprLimits } from '../../../../src/openjd/expr/expr-limits.ts';
import { INT, PATH, STRING } from '../../../../src/openjd/expr/type-system/expr-type.ts';
import { typeOf, unresolvedOf, type Value } from '../../../../src/openjd/expr/values/value.ts';
import type { ExprType } from '../../../../src/openjd/expr/type-system/expr-type.ts';
import { createRe2Engine } from '../../../../src/adapters/regex/re2-engine.ts';
import { shape } from '../syntax/written.ts';
import { failureText } from '../../../../src/openjd/expr/expr-failure.ts';

/** Returns the parts, as quoted text and expression trees, or the failure. */
function parts(source: string): readonly string[] | string {
  const parsed = parseExprFormat(source);
  if (!parsed.ok) return failureText(parsed.failure, source);
  return parsed.format.parts.map((part) =>
    part.kind === 'text' ? JSON.stringify(part.text) : shape(part.expr),
  );
}

interface Surroundings {
  readonly symbols?: Readonly<Record<string, Value>>;
  readonly target?: ExprType;
  readonly limits?: Partial<ExprLimits>;
}

/** Returns the type and the value, or the failure. */
function resolved(source: string, { symbols = {}, target, limits = {} }: Surroundings = {}): unknown {
  const parsed = parseExprFormat(source);
  if (!parsed.ok) throw parsed.failure;
  const result = resolveFormat(
    prepareFormat(parsed.format, target ?? null),
    new Map(Object.entries(symbols)),
    {
      limits: { ...EXPR_LIMITS, ...limits },
      pathStyle: 'posix',
      regex: createRe2Engine(),
      host: { kind: 'none' },
    },
  );
  return result.ok ? [typeOf(result.value).text, result.value] : result.text;
}

void test('a format string consists of text and expressions', async (t) => {
  const all: readonly (readonly [string, readonly string[]])[] = [
    ['', []],
    ['just text', ['"just text"']],
    ['{{Param.Frame}}', ['(. Param Frame)']],
    ['a{{ b }}c', ['"a"', 'b', '"c"']],
    ['{{a}}{{\n b + 1\n}}', ['a', '(+ b 1)']],
    ['{ } {a} }{', ['"{ } {a} }{"']],
    ["{{ '}}' }}", ['"}}"']],
    ["{{ \"{{\" + r\"\\\\\" + '''it's }}''' }}!", ['(+ (+ "{{" "\\\\\\\\") "it\'s }}")', '"!"']],
    ["{{ '\\'}}' }}", ['"\'}}"']],
    ['{{ a }}}', ['a', '"}"']],
  ];
  for (const [source, expected] of all) t.same(parts(source), expected, source);
});

void test('invalid format strings are rejected', async (t) => {
  const failed = (from: number, to: number, reason: string): string =>
    `Failed to parse interpolation expression at [${from}, ${to}]. Reason: ${reason}.`;
  const all: readonly (readonly [string, string])[] = [
    ['prefix {{unclosed', `${failed(7, 17, 'Braces mismatch')}\n  prefix {{unclosed\n         ^~`],
    ['é😀{{', `${failed(2, 4, 'Braces mismatch')}\n  é😀{{\n    ^~`],
    ['Param.X}}', `${failed(7, 9, 'Missing opening braces')}\n  Param.X}}\n         ^~`],
    ['{{a}} }} {{b}}', `${failed(6, 8, 'Missing opening braces')}\n  {{a}} }} {{b}}\n        ^~`],
    ['x{{ }}', `${failed(1, 6, 'Empty expression')}\n  x{{ }}\n   ^~~~~`],
    ['{{}}', `${failed(0, 4, 'Empty expression')}\n  {{}}\n  ^~~~`],
    ['a {{ 1 + }} b', 'Syntax error: Expected an expression\n  a {{ 1 + }} b\n       ^~~'],
    ['a\nb {{ 1 $ 2 }}', "Syntax error: Unexpected character '$'\n  b {{ 1 $ 2 }}\n         ^"],
    ['{{ {1: 2} }}', 'Dict literals are not supported\n  {{ {1: 2} }}\n     ^~~~~~'],
    ['{{ {1: {2: 3}} }}', 'Dict literals are not supported\n  {{ {1: {2: 3}} }}\n     ^~~~~~~~~~~'],
    ["{{ 'abc }}", "Syntax error: Unterminated string\n  {{ 'abc }}\n     ^~~~"],
    ["{{ it's }} {{ x }}", "Syntax error: Unterminated string\n  {{ it's }} {{ x }}\n       ^~"],
    ['{{ { }}', 'Syntax error: Expected an expression\n  {{ { }}\n     ^'],
    ['{{ a {{ b }} }}', "Syntax error: Unexpected token '{'\n  {{ a {{ b }} }}\n       ^"],
  ];
  for (const [source, expected] of all) t.equal(parts(source), expected, source);
});

void test('a format string has at most a thousand interpolations', async (t) => {
  t.equal(parts('{{1}}'.repeat(1000)).length, 1000);
  const tooMany = parts(`${'{{1}}'.repeat(1000)}{{2}}`);
  t.match(tooMany, /^A format string has at most 1000 interpolations\n/);
});

void test('a format string reports whether it is a single expression, and its references', async (t) => {
  const sole = (source: string): boolean => {
    const parsed = parseExprFormat(source);
    return parsed.ok && soleExpression(parsed.format) !== null;
  };
  t.equal(sole('{{ a }}'), true);
  for (const source of ['', 'a', ' {{a}}', '{{a}}\n', '{{a}}{{b}}']) t.equal(sole(source), false, source);
  const parsed = parseExprFormat('{{ f(A.b) }} {{ [x for x in A.c] }} {{ A.b }}');
  const { symbols, functions, variables } = formatReferences(
    parsed.ok ? parsed.format : { source: '', parts: [] },
  );
  t.same([[...symbols], [...functions], [...variables]], [['A.b', 'A.c'], ['f'], ['x']]);
});

void test('a single expression keeps its value, other format strings become text', async (t) => {
  const symbols = { I: 42, S: 'str', N: null, P: { kind: 'path', text: '/a', style: 'posix' } } as const;
  const all: readonly (readonly [string, Surroundings, unknown])[] = [
    ['', {}, ['string', '']],
    ['hello', {}, ['string', 'hello']],
    ['{{I + 1}}', {}, ['int', 43]],
    ['{{I}}', { target: STRING }, ['string', '42']],
    ['{{N}}', {}, ['nulltype', null]],
    ['a{{N}}b{{I}}{{S}}{{P}}{{1.50}}', {}, ['string', 'ab42str/a1.50']],
    ['x {{ [1, 2.5] }}', {}, ['string', 'x [1.0, 2.5]']],
    ['{{I}}{{I}}', { target: INT }, ['int', 4242]],
    ['/x/{{S}}', { target: PATH }, ['path', { kind: 'path', text: '/x/str', style: 'posix' }]],
    ['a{{S}}', { target: INT }, "Cannot convert 'astr' to int"],
    ['{{S}}', { target: INT }, "Cannot convert 'str' to int"],
    ['v {{ 1 / 0 }}', {}, 'Division by zero\n  v {{ 1 / 0 }}\n       ~~^~~'],
    ['v\nw {{ I + S }}', {}, "Cannot use '+' operator with int and string\n  w {{ I + S }}\n       ~~^~~"],
  ];
  for (const [source, surroundings, expected] of all) {
    const got = resolved(source, { symbols, ...surroundings });
    if (typeof expected === 'string') t.ok(String(got).startsWith(expected), `${source}: ${String(got)}`);
    else t.same(got, expected, source);
  }
});

void test('unresolved values yield unresolved text, and their failures are reported', async (t) => {
  const symbols = { X: unresolvedOf(INT) };
  t.same(resolved('a{{X}}', { symbols }), ['unresolved[string]', unresolvedOf(STRING)]);
  t.same(resolved('{{X + 1}}', { symbols }), ['unresolved[int]', unresolvedOf(INT)]);
  t.match(resolved('a{{X.upper()}}', { symbols }), /^upper\(\) is not available for int/);
});

void test('all expressions of a format string share one operation budget', async (t) => {
  const text = '{{ 1 + 1 }}{{ 2 + 2 }}';
  t.same(resolved(text, { limits: { operations: 2 } }), ['string', '24']);
  t.equal(
    resolved(text, { limits: { operations: 1 } }),
    `Expression operation count (2) exceeded limit (1)\n  ${text}\n                ~~^~~`,
  );
  const twice = "{{ 'x' * 1000 }}{{ 'y' * 1000 }}";
  t.same(resolved(twice, { limits: { memory: 5000 } }), ['string', 'x'.repeat(1000) + 'y'.repeat(1000)]);
  t.match(resolved(twice, { limits: { memory: 4000 } }), /^Expression memory usage/);
  t.same(resolved(`${'z'.repeat(10_000)}{{ 1 }}`, { limits: { memory: 4000 } }), [
    'string',
    `${'z'.repeat(10_000)}1`,
  ]);
});

void test('an escaped text resolves to the original text', async (t) => {
  t.equal(escapedText('{{'), '{{ "{{" }}');
  t.equal(escapedText('a{{b}}c'), 'a{{ "{{" }}b{{ "}" + "}" }}c');
  t.equal(escapedText('{a}'), '{a}');
  fc.assert(
    fc.property(fc.array(fc.constantFrom('{', '}', '{{', '}}', 'a', '"', "'", '\\', '\n')), (pieces) => {
      const text = pieces.join('');
      const [type, value] = [resolved(escapedText(text))].flat();
      return type === 'string' && value === text;
    }),
    { numRuns: 2000 },
  );
});
