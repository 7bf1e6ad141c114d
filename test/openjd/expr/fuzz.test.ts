import { test } from 'tap';
import { fuzzExpressions } from '../../../bench/kit/expression-fuzz.ts';
import {
  ExpressionGenerator,
  GENERATED_SYMBOLS,
  seededChoices,
} from '../../../bench/kit/expression-generator.ts';
import { EXPR_LIMITS } from '../../../src/openjd/expr/expr-limits.ts';
import { evaluated } from './evaluated.ts';

/**
 * Number of expressions in each test. `npm run bench -- expr-fuzz` runs 200,000 and also checks the time and the heap.
 */
const EXPRESSIONS = Number(process.env['CALLSHEET_EXPRESSIONS'] ?? 2000);

test('no generated expression throws or exceeds its limits', (t) => {
  const figures = fuzzExpressions({ expressions: EXPRESSIONS, seed: 1, limits: EXPR_LIMITS });
  t.same(figures.broken, []);
  t.ok(figures.values > EXPRESSIONS / 20, `${figures.values} have a value`);
  t.ok(figures.failures > EXPRESSIONS / 20, `${figures.failures} have no value`);
  t.end();
});

test('tight limits are respected', (t) => {
  const figures = fuzzExpressions({
    expressions: EXPRESSIONS,
    seed: 2,
    limits: { memory: 20_000, operations: 200 },
  });
  t.same(figures.broken, []);
  t.ok(figures.exhausted > EXPRESSIONS / 20, `${figures.exhausted} exceed a limit`);
  t.end();
});

test('a chain of the maximum length is evaluated', (t) => {
  const limits = EXPR_LIMITS;
  t.match(evaluated(`${'true and '.repeat(7000)}1 > 0`, {}, { limits }), { ok: true, value: true });
  t.match(evaluated(`${'false or '.repeat(7000)}'last'`, {}, { limits }), { ok: true, value: 'last' });
  t.match(
    evaluated(
      `[${'Task.Any + Task.Any, '.repeat(2900)}1]`,
      { ...Object.fromEntries(GENERATED_SYMBOLS) },
      { limits },
    ),
    {
      ok: false,
      detail: /^Expression operation count \(\d+\) exceeded limit \(500000\)$/,
    },
  );
  t.end();
});

test('a seed always generates the same expressions', (t) => {
  const sources = [1, 2].map(() => {
    const generator = new ExpressionGenerator(seededChoices(7));
    return Array.from({ length: 50 }, () => generator.source());
  });
  t.same(sources[0], sources[1]);
  t.equal(new Set(sources[0]).size > 40, true);
  t.end();
});
