import { createRe2Engine } from '../../../src/adapters/regex/re2-engine.ts';
import {
  evaluate,
  prepare,
  type Evaluated,
  type ExprContext,
} from '../../../src/openjd/expr/evaluate/evaluate.ts';
import { parseExpression } from '../../../src/openjd/expr/syntax/parse-expression.ts';
import { displayOf } from '../../../src/openjd/expr/values/display.ts';
import type { Value } from '../../../src/openjd/expr/values/value.ts';

const regex = createRe2Engine();

/** A limit that no small expression reaches. */
const CONTEXT: ExprContext = {
  limits: { memory: 100_000_000, operations: 10_000_000 },
  pathStyle: 'posix',
  regex,
  host: { kind: 'none' },
};

/** Parses and evaluates an expression with these symbols and parts of a context. */
export function evaluated(
  source: string,
  symbols: Readonly<Record<string, Value>> = {},
  context: Partial<ExprContext> = {},
): Evaluated {
  const parsed = parseExpression(source);
  if (!parsed.ok) throw parsed.failure;
  const program = prepare(parsed.expr, source, null);
  return evaluate(program, new Map(Object.entries(symbols)), { ...CONTEXT, ...context });
}

/** Returns the display of the value, or the error message. */
export function shown(source: string, symbols: Readonly<Record<string, Value>> = {}): string {
  const result = evaluated(source, symbols);
  return result.ok ? displayOf(result.value) : `error: ${result.detail}`;
}

/** Returns the value of an expression. Throws if the expression fails. */
export function valueOf(source: string, symbols: Readonly<Record<string, Value>> = {}): Value {
  const result = evaluated(source, symbols);
  if (!result.ok) throw new Error(result.text);
  return result.value;
}

/** Converts a value to plain JSON: numbers, strings, arrays. */
export function plain(value: Value): unknown {
  if (typeof value !== 'object' || value === null) return value;
  return value.kind === 'list' ? value.items.map(plain) : displayOf(value);
}
