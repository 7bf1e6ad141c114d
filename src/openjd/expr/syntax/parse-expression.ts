import { ExprFailure } from '../expr-failure.ts';
import { MAX_SOURCE_BYTES } from '../expr-limits.ts';
import { checkVariables } from './comprehension-variables.ts';
import { ExpressionParser } from './parser.ts';
import type { Expr } from './tree.ts';
import { utf8Length } from '../text/utf8-length.ts';

export type ParsedExpression =
  { readonly ok: true; readonly expr: Expr } | { readonly ok: false; readonly failure: ExprFailure };

/**
 * Reads the source of an expression (specification "Expression Language", section 1.1). Errors: a source that is empty or too long, what Python
 * does not read as an expression, what Python has and this language has not, expressions that are nested too deeply, literals whose value does not
 * exist, and comprehension variables that hide each other. Never throws, and takes time in the length of the source.
 */
export const parseExpression = (source: string): ParsedExpression =>
  parseExpressionWithin(source, 0, source.length);

/** `parseExpression` of a part of a text; all places are those of the whole text. */
export function parseExpressionWithin(text: string, start: number, end: number): ParsedExpression {
  try {
    checkSource(text.slice(start, end));
    const { expr } = new ExpressionParser(text.slice(0, end), start).whole();
    checkVariables(expr);
    return { ok: true, expr };
  } catch (failure) {
    if (failure instanceof ExprFailure) return { ok: false, failure };
    throw failure;
  }
}

function checkSource(source: string): void {
  if (source.trim() === '') throw new ExprFailure('Empty expression');
  const bytes = utf8Length(source);
  if (bytes > MAX_SOURCE_BYTES) {
    throw new ExprFailure(
      `The expression has ${bytes} bytes, more than the limit of ${MAX_SOURCE_BYTES} bytes`,
    );
  }
}
