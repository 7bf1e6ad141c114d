import { FUNCTIONS } from '../functions/library.ts';
import { referencesOf } from '../syntax/symbols.ts';
import type { Expr } from '../syntax/tree.ts';
import type { Value } from '../values/value.ts';
import { evaluate, prepare, type ExprContext, type Program } from './evaluate.ts';

/**
 * The failure of the first symbol or function of an expression that does not exist, with its source and its place; null when all of them do. An
 * evaluation finds those that it comes to; names in branches that are not taken, or may fail, are wrong all the same (RFC 0005, "Validation with
 * Symbol Collection").
 */
export function unknownIn(
  { expr, source }: Program,
  symbols: ReadonlyMap<string, Value>,
  context: ExprContext,
): string | null {
  const part = unknownPart(expr, symbols, context);
  if (part === null) return null;
  const result = evaluate(prepare(part, source, null), symbols, context);
  return result.ok ? null : result.text;
}

/** The name, or the call without its arguments. */
function unknownPart(expr: Expr, symbols: ReadonlyMap<string, Value>, { host }: ExprContext): Expr | null {
  const { names, calls } = referencesOf(expr);
  const unknown = names.find(({ parts }) => !isKnown(parts, symbols));
  if (unknown !== undefined) return unknown.expr;
  const call = calls.find(({ name }) => {
    const called = FUNCTIONS.get(name);
    return called === undefined || (called.hostOnly && host.kind === 'none');
  });
  return call === undefined ? null : { ...call, args: [] };
}

/** Whether the name, or what stands before properties in it, is a symbol. */
function isKnown(parts: readonly string[], symbols: ReadonlyMap<string, Value>): boolean {
  let name = '';
  return parts.some((part) => {
    name = name === '' ? part : `${name}.${part}`;
    return symbols.has(name);
  });
}
