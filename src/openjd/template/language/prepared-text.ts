import type { ExprContext, Program } from '../../expr/evaluate/evaluate.ts';
import { evaluate } from '../../expr/evaluate/evaluate.ts';
import { missingName } from '../../expr/evaluate/missing-names.ts';
import { formatReferences, parseExprFormat, soleExpression } from '../../expr/format/format-string.ts';
import { prepareFormat, resolveFormat, type FormatProgram } from '../../expr/format/resolve-format.ts';
import { STRING, type ExprType } from '../../expr/type-system/expr-type.ts';
import { displayOf } from '../../expr/values/display.ts';
import { unresolvedOf, type Value } from '../../expr/values/value.ts';
import { parseFormatString, type FormatString } from '../format-string.ts';
import { failureText, type ExprFailure } from '../../expr/expr-failure.ts';

/** A parsed format string in either language: with names only, or with EXPR with expressions. */
export type PreparedText =
  | { readonly kind: 'names'; readonly format: FormatString }
  | {
      readonly kind: 'expressions';
      readonly program: FormatProgram;
      /** Names in the format string. */
      readonly symbols: readonly string[];
    };

/** An error in a text, and its place: an offset in the text. */
export interface TextFault {
  readonly detail: string;
  readonly offset: number;
}

export type PrepareTextResult =
  | { readonly ok: true; readonly text: PreparedText }
  | ({ readonly ok: false } & TextFault);

/**
 * A value: a text, or the value of the expression if the string is nothing else. Unresolved if it depends on unknown
 * values.
 */
export type TextResult =
  /** `operations`: the operations of its expressions. */
  | { readonly ok: true; readonly value: Value; readonly operations: number }
  | ({ readonly ok: false } & TextFault);

/**
 * Parses a format string. `target` is the type that its field accepts from a single expression (specification
 * "Expression Language", section 1.3.2). Errors: those of `parseFormatString`; with EXPR, invalid expressions.
 */
export function prepareText(text: string, isExpr: boolean, target: ExprType): PrepareTextResult {
  if (!isExpr) {
    const parsed = parseFormatString(text);
    return parsed.ok ? { ok: true, text: { kind: 'names', format: parsed.value } } : parsed;
  }
  const parsed = parseExprFormat(text);
  if (!parsed.ok) return { ok: false, ...faultOf(parsed.failure, text) };
  const { format } = parsed;
  const program = prepareFormat(format, soleExpression(format) === null ? null : target);
  const symbols = [...formatReferences(format).symbols];
  return { ok: true, text: { kind: 'expressions', program, symbols } };
}

/** Resolves a format string. `context` is that of expressions, null without EXPR. */
export function resolveText(
  text: PreparedText,
  symbols: ReadonlyMap<string, Value>,
  context: ExprContext | null,
): TextResult {
  if (text.kind === 'expressions') {
    const result = resolveFormat(text.program, symbols, contextOf(context));
    return result.ok ? result : { ok: false, detail: result.text, offset: result.offset };
  }
  let resolved = '';
  let isKnown = true;
  for (const part of text.format.parts) {
    if (part.kind === 'text') resolved += part.text;
    else {
      const value = symbols.get(part.symbol);
      if (value === undefined)
        return { ok: false, detail: `the value ${part.symbol} does not exist here`, offset: part.at };
      if (isUnresolved(value)) isKnown = false;
      else resolved += displayOf(value);
    }
  }
  return { ok: true, value: isKnown ? resolved : UNKNOWN_TEXT, operations: 0 };
}

/** Resolves the known parts of a format string and keeps the rest as written. Returns null if a part has no value. */
export function previewText(
  text: PreparedText,
  symbols: ReadonlyMap<string, Value>,
  context: ExprContext | null,
): string | null {
  const pieces =
    text.kind === 'expressions'
      ? text.program.parts.map((part) =>
          typeof part === 'string' ? part : previewExpression(part, symbols, contextOf(context)),
        )
      : text.format.parts.map((part) =>
          part.kind === 'text' ? part.text : previewValue(symbols.get(part.symbol), part.symbol),
        );
  return pieces.includes(null) ? null : pieces.join('');
}

function previewExpression(
  program: Program,
  symbols: ReadonlyMap<string, Value>,
  context: ExprContext,
): string | null {
  const result = evaluate(program, symbols, context);
  const { start, end } = program.expr;
  return result.ok ? previewValue(result.value, program.source.slice(start, end)) : null;
}

function previewValue(value: Value | undefined, source: string): string | null {
  if (value === undefined) return null;
  if (isUnresolved(value)) return `{{${source}}}`;
  return value === null ? '' : displayOf(value);
}

/** Returns the names in the expressions of a format string; dotted names may include properties. */
export const expressionSymbols = (text: PreparedText): readonly string[] =>
  text.kind === 'expressions' ? text.symbols : NO_SYMBOLS;

const NO_SYMBOLS: readonly string[] = [];

/** Returns the error of the first undefined name in its expressions, evaluated or not, or null. */
export function missingInText(
  text: PreparedText,
  symbols: ReadonlyMap<string, Value>,
  context: ExprContext | null,
): TextFault | null {
  if (text.kind !== 'expressions') return null;
  const { host } = contextOf(context);
  for (const part of text.program.parts) {
    const missing = typeof part === 'string' ? null : missingName(part.expr, symbols, host.kind);
    if (missing !== null) return faultOf(missing, text.program.source);
  }
  return null;
}

/** Returns the first reference of a format string without EXPR that has no value, or null. */
export function unknownName(
  text: PreparedText,
  symbols: ReadonlyMap<string, Value>,
): { readonly symbol: string; readonly at: number } | null {
  if (text.kind === 'expressions') return null;
  for (const part of text.format.parts) {
    if (part.kind === 'reference' && !symbols.has(part.symbol)) return part;
  }
  return null;
}

const faultOf = (failure: ExprFailure, source: string): TextFault => ({
  detail: failureText(failure, source),
  offset: failure.place?.caret ?? 0,
});

/** Returns the literal text between the references, joined: a lower bound of the resolved length. */
export const literalTextOf = (text: PreparedText): string =>
  text.kind === 'expressions'
    ? text.program.parts.filter((part) => typeof part === 'string').join('')
    : text.format.parts.map((part) => (part.kind === 'text' ? part.text : '')).join('');

/** A text that is not known yet. */
export const UNKNOWN_TEXT: Value = unresolvedOf(STRING);

export const isUnresolved = (value: Value): boolean =>
  typeof value === 'object' && value !== null && value.kind === 'unresolved';

function contextOf(context: ExprContext | null): ExprContext {
  if (context === null) throw new Error('an expression without what it is evaluated with');
  return context;
}
