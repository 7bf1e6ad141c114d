import { evaluate, prepare, type ExprContext, type Program } from '../../expr/evaluate/evaluate.ts';
import { MAX_STRING_BYTES } from '../../expr/expr-limits.ts';
import { parseExprFormat } from '../../expr/format/parse-format.ts';
import { referencesOf } from '../../expr/syntax/symbols.ts';
import { STRING, type ExprType } from '../../expr/types/expr-type.ts';
import { displayOf } from '../../expr/values/display.ts';
import { unresolvedOf, type Value } from '../../expr/values/value.ts';
import { parseFormatString } from '../format-string.ts';

/** A format string that is ready to be resolved, in either language: of names alone, or with EXPR of expressions. */
export interface PreparedText {
  readonly parts: readonly TextPart[];
  /** Whether it is one expression and nothing else: then its value is that of the expression, whatever type its field takes. */
  readonly isWhole: boolean;
}

export type TextPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'symbol'; readonly symbol: string }
  | { readonly kind: 'program'; readonly program: Program };

export type PrepareTextResult =
  { readonly ok: true; readonly text: PreparedText } | { readonly ok: false; readonly detail: string };

/** A value; unresolved where it depends on what is not known yet. Text but for what is one expression and nothing else. */
export type TextResult =
  { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly detail: string };

/**
 * Reads a format string. `target` is the type that its field takes of an expression that stands alone (specification "Expression Language", section
 * 1.3.2). Errors: what `parseFormatString` refuses; with EXPR, what is no expression.
 */
export function prepareText(text: string, isExpr: boolean, target: ExprType): PrepareTextResult {
  if (!isExpr) {
    const parsed = parseFormatString(text);
    if (!parsed.ok) return parsed;
    const parts = parsed.value.parts.map((part): TextPart =>
      part.kind === 'text' ? part : { kind: 'symbol', symbol: part.symbol },
    );
    return { ok: true, text: { parts, isWhole: false } };
  }
  const parsed = parseExprFormat(text);
  if (!parsed.ok) return parsed;
  const isWhole = parsed.parts.length === 1 && parsed.parts[0]?.kind === 'expression';
  const parts = parsed.parts.map((part): TextPart =>
    part.kind === 'text'
      ? part
      : { kind: 'program', program: prepare(part.expr, part.source, isWhole ? target : null) },
  );
  return { ok: true, text: { parts, isWhole } };
}

/** Resolves a format string. `context` is that of expressions: null where there are none. */
export function resolveText(
  { parts, isWhole }: PreparedText,
  symbols: ReadonlyMap<string, Value>,
  context: ExprContext | null,
): TextResult {
  let text = '';
  let isKnown = true;
  for (const part of parts) {
    const result = resolvePart(part, symbols, context);
    if (!result.ok || isWhole) return result;
    const { value } = result;
    if (isUnresolved(value)) isKnown = false;
    else text += value === null ? '' : displayOf(value);
    if (text.length > MAX_STRING_BYTES) {
      return { ok: false, detail: `A string of ${text.length} bytes exceeds the limit of ${MAX_STRING_BYTES} bytes` };
    }
  }
  return { ok: true, value: isKnown ? text : unresolvedOf(STRING) };
}

/** The value of a part by itself. */
export function resolvePart(
  part: TextPart,
  symbols: ReadonlyMap<string, Value>,
  context: ExprContext | null,
): TextResult {
  switch (part.kind) {
    case 'text':
      return { ok: true, value: part.text };
    case 'symbol': {
      const value = symbols.get(part.symbol);
      return value === undefined
        ? { ok: false, detail: `the value ${part.symbol} does not exist here` }
        : { ok: true, value };
    }
    case 'program': {
      if (context === null) throw new Error('an expression without what it is evaluated with');
      const evaluated = evaluate(part.program, symbols, context);
      return evaluated.ok ? evaluated : { ok: false, detail: evaluated.text };
    }
  }
}

/** Names in a format string. */
export interface TextNames {
  /** Those that it refers to; of names with dots properties may be a part. */
  readonly symbols: readonly string[];
  /** The variables of its comprehensions. */
  readonly variables: readonly string[];
}

export function namesIn({ parts }: PreparedText): TextNames {
  const symbols: string[] = [];
  const variables: string[] = [];
  for (const part of parts) {
    if (part.kind === 'symbol') symbols.push(part.symbol);
    else if (part.kind === 'program') {
      const references = referencesOf(part.program.expr);
      symbols.push(...references.symbols);
      variables.push(...references.variables);
    }
  }
  return { symbols, variables };
}

/** The literal text between the references, joined: a lower bound of what it resolves to. */
export const literalTextOf = ({ parts }: PreparedText): string =>
  parts.map((part) => (part.kind === 'text' ? part.text : '')).join('');

export const isUnresolved = (value: Value): boolean =>
  typeof value === 'object' && value !== null && value.kind === 'unresolved';
