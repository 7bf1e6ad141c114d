import { evaluate, prepare, type ExprContext } from '../../expr/evaluate/evaluate.ts';
import { missingName } from '../../expr/evaluate/missing-names.ts';
import { parseExpression } from '../../expr/syntax/parse-expression.ts';
import { referencesOf } from '../../expr/syntax/symbols.ts';
import type { Value } from '../../expr/values/value.ts';
import type { LetPlan } from '../plan.ts';
import type { TextResult } from './prepared-text.ts';
import { ScriptTally } from './script-tally.ts';
import { failureText } from '../../expr/expr-failure.ts';

/** Returns the names in the expression of a binding; none if it is not a valid expression. */
export function letSymbols({ expression }: LetPlan): readonly string[] {
  const parsed = parseExpression(expression);
  return parsed.ok ? [...referencesOf(parsed.expr).symbols] : [];
}

/** Returns the error of the first undefined name in the expression of a binding, evaluated or not, or null. */
export function missingInLet(
  { expression }: LetPlan,
  symbols: ReadonlyMap<string, Value>,
  { host }: ExprContext,
): string | null {
  const parsed = parseExpression(expression);
  const missing = parsed.ok ? missingName(parsed.expr, symbols, host.kind) : null;
  return missing === null ? null : failureText(missing, expression);
}

/** Returns the value of a binding, of any type (specification, section 3.6.1). */
export function evaluateLet(
  { expression }: LetPlan,
  symbols: ReadonlyMap<string, Value>,
  context: ExprContext,
): TextResult {
  const parsed = parseExpression(expression);
  if (!parsed.ok) return { ok: false, detail: failureText(parsed.failure, expression), offset: 0 };
  const evaluated = evaluate(prepare(parsed.expr, expression, null), symbols, context);
  return evaluated.ok ? evaluated : { ok: false, detail: evaluated.text, offset: evaluated.offset };
}

export type BoundLets =
  | { readonly ok: true; readonly symbols: ReadonlyMap<string, Value> }
  | { readonly ok: false; readonly detail: string };

/**
 * Adds the bindings of a script to the symbols; each can refer to those before it. Stops at the first without a value,
 * or when all of them exceed the limits of a script (`SCRIPT_LIMITS`).
 */
export function bindLets(
  lets: readonly LetPlan[],
  symbols: ReadonlyMap<string, Value>,
  context: ExprContext,
): BoundLets {
  const bound = new Map(symbols);
  const tally = new ScriptTally(context.limits);
  for (const binding of lets) {
    const result = evaluateLet(binding, bound, context);
    if (!result.ok) return { ok: false, detail: `let ${binding.name}: ${result.detail}` };
    const exceeded = tally.exceededBy(result.operations, []);
    if (exceeded !== null) return { ok: false, detail: `let ${binding.name}: ${exceeded}` };
    bound.set(binding.name, result.value);
  }
  return { ok: true, symbols: bound };
}
