import { createRe2Engine } from '../../src/adapters/regex/re2-engine.ts';
import { evaluate, prepare, type Evaluated } from '../../src/openjd/expr/evaluate/evaluate.ts';
import type { ExprLimits } from '../../src/openjd/expr/expr-limits.ts';
import { parseExpression } from '../../src/openjd/expr/syntax/parse-expression.ts';
import { parseType } from '../../src/openjd/expr/type-system/type-text.ts';
import { sizeOf } from '../../src/openjd/expr/values/value.ts';
import { ExpressionGenerator, GENERATED_SYMBOLS, seededChoices } from './expression-generator.ts';

/** Results of generated expressions. */
export interface FuzzFigures {
  readonly expressions: number;
  readonly parsed: number;
  readonly values: number;
  readonly failures: number;
  readonly exhausted: number;
  /** The slowest first: processor milliseconds from the text to the result, the best of several tries. */
  readonly slowest: readonly SlowExpression[];
  /** Sources that broke a promise, and the promise. */
  readonly broken: readonly (readonly [promise: string, source: string])[];
}

interface SlowExpression {
  readonly ms: number;
  readonly operations: number;
  readonly source: string;
}

/** Number of the slowest expressions to report. */
const TOLD = 10;
/** Maximum length of the text of a failure: a message and an excerpt of the source. */
const MAX_FAILURE_TEXT = 5000;
/** Slower evaluations are retried, because the machine may have been busy. */
const TRY_AGAIN_MS = 20;
const TRIES = 3;

const TARGETS = [null, 'string', 'int', 'list[string]', 'float | string', 'range_expr', 'list[int]?'].map(
  (text) => (text === null ? null : parseType(text)),
);

const regex = createRe2Engine();

/**
 * Generates expressions from a seed, evaluates them within limits, and checks the promises that hold for every
 * expression.
 */
export function fuzzExpressions(options: {
  readonly expressions: number;
  readonly seed: number;
  readonly limits: ExprLimits;
}): FuzzFigures {
  const choices = seededChoices(options.seed);
  const generator = new ExpressionGenerator(choices);
  const broken: (readonly [string, string])[] = [];
  let slowest: SlowExpression[] = [];
  let parsed = 0;
  let values = 0;
  let exhausted = 0;
  for (let count = 0; count < options.expressions; count++) {
    const source = generator.source();
    const target = TARGETS[choices.below(TARGETS.length)] ?? null;
    try {
      const [first, once] = timed(() => evaluatedSource(source, target, options.limits));
      let ms = first;
      for (let tries = 1; ms > TRY_AGAIN_MS && tries < TRIES; tries++) {
        ms = Math.min(ms, timed(() => evaluatedSource(source, target, options.limits))[0]);
      }
      const operations = once?.ok === true ? once.operations : 0;
      if (once !== null) parsed += 1;
      if (once?.ok === true) values += 1;
      if (once?.ok === false && once.detail.includes(' exceeded limit (')) exhausted += 1;
      const last = slowest.at(-1);
      if (slowest.length < TOLD || (last !== undefined && ms > last.ms)) {
        slowest = [...slowest, { ms, operations, source }].sort((a, b) => b.ms - a.ms).slice(0, TOLD);
      }
      const promise = once === null ? null : brokenPromise(once, options.limits);
      if (promise !== null) broken.push([promise, source]);
    } catch (error) {
      broken.push([
        `an exception: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
        source,
      ]);
    }
  }
  return {
    expressions: options.expressions,
    parsed,
    values,
    failures: parsed - values,
    exhausted,
    slowest,
    broken,
  };
}

/** Processor milliseconds, which do not depend on the load of the machine. */
function timed<Result>(work: () => Result): readonly [ms: number, result: Result] {
  const start = process.cpuUsage();
  const result = work();
  const { user, system } = process.cpuUsage(start);
  return [(user + system) / 1000, result];
}

/** Returns null for a source that is not an expression. */
function evaluatedSource(
  source: string,
  target: (typeof TARGETS)[number] | null,
  limits: ExprLimits,
): Evaluated | null {
  const parsed = parseExpression(source);
  if (!parsed.ok) return null;
  const program = prepare(parsed.expr, source, target ?? null);
  return evaluate(program, GENERATED_SYMBOLS, {
    limits,
    pathStyle: 'posix',
    regex,
    host: { kind: 'unresolved' },
  });
}

function brokenPromise(result: Evaluated, limits: ExprLimits): string | null {
  if (!result.ok) return result.text.length > MAX_FAILURE_TEXT ? 'the text of a failure is endless' : null;
  if (result.operations > limits.operations) return 'more operations than the limit';
  if (result.peakMemory > limits.memory) return 'more memory than the limit';
  return sizeOf(result.value) > limits.memory ? 'a value larger than the limit' : null;
}
