import { test } from 'tap';
import { createRe2Engine } from '../../../src/adapters/regex/re2-engine.ts';
import { evaluate, prepare } from '../../../src/openjd/expr/evaluate/evaluate.ts';
import { EXPR_LIMITS } from '../../../src/openjd/expr/expr-limits.ts';
import { parseExpression } from '../../../src/openjd/expr/syntax/parse-expression.ts';
import { BOOL } from '../../../src/openjd/expr/type-system/expr-type.ts';
import { parseType } from '../../../src/openjd/expr/type-system/type-text.ts';
import { displayOf } from '../../../src/openjd/expr/values/display.ts';
import { typeOf, unresolvedOf, type Value } from '../../../src/openjd/expr/values/value.ts';
import { evaluated, shown, valueOf } from './evaluated.ts';

const UNKNOWN = unresolvedOf(BOOL);
const TOO_MANY = 'Expression operation count';

/** Returns the limit that the expression exceeds with the limits of a service, or `value`. */
function limited(source: string, symbols: Readonly<Record<string, Value>> = {}): string {
  const result = evaluated(source, symbols, { limits: EXPR_LIMITS });
  return result.ok ? 'value' : result.detail.slice(0, TOO_MANY.length);
}

/** Returns a comprehension that evaluates a condition many times. */
const often = (condition: string): string => `[x for x in range_expr('1-200000') if ${condition}]`;

/** Returns a range with this many runs. */
const runs = (count: number): Value =>
  valueOf(`range_expr("${Array.from({ length: count }, (_, index) => index * 3 + (index % 2)).join(',')}")`);

void test('the length of the type of an unknown value is limited', async (t) => {
  let x = valueOf("[1 if u else 'a']", { u: UNKNOWN });
  for (let times = 0; times < 100; times++) {
    x = valueOf("[1 if u else x] if u else ['a' if u else x]", { u: UNKNOWN, x });
    t.ok(typeOf(x).text.length < 1200);
  }
});

void test('the number of operands is unlimited, and they are evaluated in order', async (t) => {
  t.equal(shown(`${'true and '.repeat(6000)}false`), 'false');
  t.equal(shown(`${'false or '.repeat(6000)}7`), '7');
  t.equal(shown(`${'u or '.repeat(6000)}true`, { u: UNKNOWN }), 'true');
  t.equal(shown(`${'u and '.repeat(6000)}u`, { u: UNKNOWN }), 'unresolved[bool]');
});

void test('nodes that are not operations are counted if there are very many', async (t) => {
  t.equal(limited(often(`[${'1, '.repeat(3000)}] == x`)), TOO_MANY);
  t.equal(limited(often(`${'true and '.repeat(3000)}false`)), TOO_MANY);
  const chain = `${'false if true else ('.repeat(60)}true${')'.repeat(60)}`;
  t.equal(limited(`[x for x in range(100) if (${chain})]`), 'value');
  // Not counted in ordinary expressions: an operation has two operands and a few names.
  const usual = evaluated('[x * 2 + 1 for x in range(5000)]');
  t.match(usual, { ok: true, operations: 21_083 });
});

void test('failures that another branch replaces are counted', async (t) => {
  const symbols = { u: UNKNOWN };
  t.equal(limited(often('(1 // 0 if u else 1) == 2 and false'), symbols), TOO_MANY);
  t.equal(limited(often('(u or 1 // 0 == 1) and false'), symbols), TOO_MANY);
  t.equal(limited(often('(Parm.Missing if u else 1) == 2 and false'), symbols), TOO_MANY);
  t.equal(limited('[1 // 0 if u else 1 for x in range(10)]', symbols), 'value');
});

void test('expensive operations count more than once', async (t) => {
  const r = runs(3000);
  for (const condition of [
    'len(r) == 0',
    'r[0] == -1',
    'r == [1]',
    'len(string(r)) == 0',
    'len(r[1:2]) == 0',
  ]) {
    t.equal(limited(`[x for x in range(5000) if ${condition}]`, { r }), TOO_MANY, condition);
  }
  const text = Array.from({ length: 5000 }, (_, index) => index).join(',');
  t.equal(limited('[x for x in range(500) if len(range_expr(s)) == 0]', { s: text }), TOO_MANY);
  const path = 'path(s).with_number(1).name';
  t.equal(limited(`[x for x in range(200) if ${path} == '']`, { s: '/a1'.repeat(20_000) }), TOO_MANY);
  t.equal(limited("[x for x in range(500) if s < s + 'b']", { s: 'a'.repeat(100_000) }), TOO_MANY);
  t.equal(limited(`[[u + u, ${'u + u, '.repeat(9000)}]]`, { u: anything() }), TOO_MANY);
});

/** Parts of an expression that is evaluated several times. */
function prepared(source: string) {
  const parsed = parseExpression(source);
  if (!parsed.ok) throw parsed.failure;
  const context = {
    limits: EXPR_LIMITS,
    pathStyle: 'posix',
    regex: createRe2Engine(),
    host: { kind: 'none' },
  } as const;
  return { program: prepare(parsed.expr, source, null), context };
}

const anything = (): Value => {
  const type = parseType('bool | float | int | path | range_expr | string | list[int] | list[string]');
  if (type === null) throw new Error('not a type');
  return unresolvedOf(type);
};

void test('the same expression has the same count every time', async (t) => {
  const source = '[u + (1 if x % 2 == 0 else "a") for x in range(2000)]';
  const { program, context } = prepared(source);
  const counts = [1, 2, 3].map(() => {
    const result = evaluate(program, new Map([['u', anything()]]), context);
    return result.ok ? result.operations : result.detail;
  });
  t.equal(new Set(counts).size, 1);
});

void test('a dotted name is resolved for each set of symbols', async (t) => {
  const source = 'a.b.name';
  const { program, context } = prepared(source);
  const path = valueOf("path('/x/y.exr')");
  const shownWith = (symbols: Readonly<Record<string, Value>>): string => {
    const result = evaluate(program, new Map(Object.entries(symbols)), context);
    return result.ok ? displayOf(result.value) : result.detail;
  };
  t.equal(shownWith({ 'a.b': path }), 'y.exr');
  t.equal(shownWith({ 'a.b.name': 5, 'a.b': path }), '5');
  t.equal(shownWith({ 'a.b': path }), 'y.exr');
  t.match(shownWith({}), "Undefined variable: 'a.b.name'");
});

void test('no string exceeds ten million bytes, whatever the memory limit', (t) => {
  const limits = { memory: 100_000_000, operations: 10_000_000 };
  t.match(evaluated("len('x' * 10_000_000)", {}, { limits }), { ok: true });
  t.match(evaluated("len('x' * 10_000_001)", {}, { limits }), {
    ok: false,
    detail: /10000001 bytes exceeds the limit/,
  });
  t.match(evaluated("len('界' * 3_333_333)", {}, { limits }), { ok: true });
  t.match(evaluated("len('界' * 3_333_334)", {}, { limits }), {
    ok: false,
    detail: /10000002 bytes exceeds the limit/,
  });
  t.end();
});

void test('an expression has the same count in every evaluation, also with unknown values', (t) => {
  const source = `[${Array.from({ length: 50 }, () => 'len(u)').join(', ')}]`;
  const { program, context } = prepared(source);
  const symbols = new Map([['u', unresolvedOf(typeOf(valueOf('"a"')))]]);
  const [first, second] = [evaluate(program, symbols, context), evaluate(program, symbols, context)];
  t.match(first, { ok: true });
  t.same(second, first);
  t.end();
});
