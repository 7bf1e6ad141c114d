import { ExprFailure } from '../expr-failure.ts';
import { MAX_SOURCE_BYTES } from '../expr-limits.ts';
import { checkVariables } from './comprehension-variables.ts';
import { ExpressionParser } from './parser.ts';
import type { Expr } from './tree.ts';
import { utf8Length } from '../text/utf8-length.ts';

export type ParsedExpression =
  | { readonly ok: true; readonly expr: Expr }
  | { readonly ok: false; readonly failure: ExprFailure };

/**
 * Parses the source of an expression (specification "Expression Language", section 1.1). Never throws, and takes time
 * linear in the length of the source.
 *
 * Errors: an empty or too long source, invalid Python syntax, Python syntax that this language does not have, too
 * deeply nested expressions, literals out of range, and comprehension variables that hide each other.
 */
export const parseExpression = (source: string): ParsedExpression =>
  parseExpressionWithin(source, 0, source.length);

/** Parses a part of a text as `parseExpression` does; positions refer to the whole text. */
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
