import { createRe2Engine } from '../../../../src/adapters/regex/re2-engine.ts';
import {
  evaluate,
  prepare,
  type Evaluated,
  type ExprContext,
} from '../../../../src/openjd/expr/evaluate/evaluate.ts';
import { parseExpression } from '../../../../src/openjd/expr/syntax/parse-expression.ts';
import type { ExprType } from '../../../../src/openjd/expr/type-system/expr-type.ts';
import { parseType } from '../../../../src/openjd/expr/type-system/type-text.ts';
import { displayOf } from '../../../../src/openjd/expr/values/display.ts';
import { readValue } from '../../../../src/openjd/expr/values/read-value.ts';
import { typeOf, type Value } from '../../../../src/openjd/expr/values/value.ts';
import { failureText } from '../../../../src/openjd/expr/expr-failure.ts';

const regex = createRe2Engine();

const CONTEXT: ExprContext = {
  limits: { memory: 1_000_000, operations: 1_000_000 },
  pathStyle: 'posix',
  regex,
  host: { kind: 'none' },
};

/** Parses a type. */
export function typed(text: string): ExprType {
  const type = parseType(text);
  if (type === null) throw new Error(`not a type: ${text}`);
  return type;
}

/** Symbols by `name: type` with their values as JSON. Unresolved types have no value. */
export type Symbols = Readonly<Record<string, unknown>>;

/** Converts symbols such as `{ 'Param.X: int': 5, 'Param.Y: unresolved[int]': null }` to values. */
export function symbolTable(symbols: Symbols): Map<string, Value> {
  return new Map(
    Object.entries(symbols).map(([key, json]) => {
      const [name = '', type = ''] = key.split(': ');
      const read = readValue(typed(type), json, 'posix');
      if (!read.ok) throw new Error(read.detail);
      return [name, read.value];
    }),
  );
}

export interface Asked {
  readonly symbols?: Symbols;
  readonly target?: string;
  readonly context?: Partial<ExprContext>;
}

/** Parses and evaluates an expression. Returns the error if it is invalid. */
export function evaluated(source: string, { symbols = {}, target, context = {} }: Asked = {}): Evaluated {
  const parsed = parseExpression(source);
  if (!parsed.ok) {
    return {
      ok: false,
      detail: parsed.failure.message,
      text: failureText(parsed.failure, source),
      offset: 0,
    };
  }
  const program = prepare(parsed.expr, source, target === undefined ? null : typed(target));
  return evaluate(program, symbolTable(symbols), { ...CONTEXT, ...context });
}

/** Returns `type display` of the value, or `error: ` with the message. */
export function resultText(source: string, asked: Asked = {}): string {
  const result = evaluated(source, asked);
  if (!result.ok) return `error: ${result.detail}`;
  const type = typeOf(result.value);
  return type.kind === 'unresolved' ? type.text : `${type.text} ${displayOf(result.value)}`;
}

/** Returns the error with the source and its markers, or the value of a valid expression. */
export function errorText(source: string, asked: Asked = {}): string {
  const result = evaluated(source, asked);
  return result.ok ? resultText(source, asked) : result.text;
}

/** Row of a table: source, expected result, and the required symbols or other inputs. */
export type Row = readonly [source: string, expected: string, asked?: Asked];
