import {
  MAX_INTERPOLATIONS,
  piecesOf,
  type FormatFault,
  type FormatPiece,
} from '../../primitives/interpolations.ts';
import { ExprFailure } from '../expr-failure.ts';
import { parseExpressionWithin } from '../syntax/parse-expression.ts';
import { referencesOf, type References } from '../syntax/symbols.ts';
import type { Expr } from '../syntax/tree.ts';
import { expressionEnd } from './expression-end.ts';

/**
 * A format string whose interpolations are expressions (specification "Expression Language", section 1.1). All
 * positions refer to the whole string, so that an error message can show it.
 */
export interface ExprFormat {
  readonly source: string;
  readonly parts: readonly ExprFormatPart[];
}

export type ExprFormatPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'expression'; readonly expr: Expr };

export type ParsedExprFormat =
  | { readonly ok: true; readonly format: ExprFormat }
  | { readonly ok: false; readonly failure: ExprFailure };

/**
 * Parses a format string with expressions. Errors: unbalanced braces, an empty interpolation, errors of
 * `parseExpression`, and too many interpolations. Takes time linear in the length of the text.
 */
export function parseExprFormat(source: string): ParsedExprFormat {
  const parts: ExprFormatPart[] = [];
  for (const piece of piecesOf(source, expressionEnd)) {
    const { kind, start, end } = piece;
    if (kind === 'text') parts.push({ kind, text: source.slice(start, end) });
    else if (kind !== 'interpolation') return { ok: false, failure: faultOf(kind, piece, source) };
    else if (source.slice(start, end).trim() === '') return { ok: false, failure: empty(piece, source) };
    else {
      const parsed = parseExpressionWithin(source, start, end);
      if (!parsed.ok) return parsed;
      parts.push({ kind: 'expression', expr: parsed.expr });
    }
  }
  return { ok: true, format: { source, parts } };
}

/**
 * Returns the expression if the string consists of nothing else: then the string has the value of the expression, of
 * any type (section 1.3.2). Null otherwise.
 */
export function soleExpression({ parts }: ExprFormat): Expr | null {
  const [only] = parts;
  return parts.length === 1 && only?.kind === 'expression' ? only.expr : null;
}

/** Returns the references of all its expressions. */
export function formatReferences({ parts }: ExprFormat): References {
  const all = parts.flatMap((part) => (part.kind === 'expression' ? [referencesOf(part.expr)] : []));
  return {
    symbols: new Set(all.flatMap(({ symbols }) => [...symbols])),
    functions: new Set(all.flatMap(({ functions }) => [...functions])),
    variables: new Set(all.flatMap(({ variables }) => [...variables])),
  };
}

function faultOf(kind: FormatFault, { start, end }: FormatPiece, source: string): ExprFailure {
  const place = { start, end, caret: start };
  switch (kind) {
    case 'unclosed':
      return new ExprFailure(notParsed(source, start, source.length, 'Braces mismatch'), place);
    case 'unopened':
      return new ExprFailure(notParsed(source, start, end, 'Missing opening braces'), place);
    case 'too-many':
      return new ExprFailure(`A format string has at most ${MAX_INTERPOLATIONS} interpolations`, place);
  }
}

function empty(inside: FormatPiece, source: string): ExprFailure {
  const [start, end] = [inside.start - 2, inside.end + 2];
  return new ExprFailure(notParsed(source, start, end, 'Empty expression'), { start, end, caret: start });
}

/** Message in the wording of the specification; positions are code points. */
function notParsed(source: string, start: number, end: number, reason: string): string {
  const from = Array.from(source.slice(0, start)).length;
  const to = from + Array.from(source.slice(start, end)).length;
  return `Failed to parse interpolation expression at [${from}, ${to}]. Reason: ${reason}.`;
}
