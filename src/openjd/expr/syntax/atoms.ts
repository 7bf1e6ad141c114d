import { ExprFailure } from '../expr-failure.ts';
import type { Value } from '../values/value.ts';
import { floatLiteral, hasLeadingZero, intLiteral } from './number-literal.ts';
import { parsed, type Parsed, type Refusals } from './parsed.ts';
import { refusedPrefix, stringLiteral } from './string-literal.ts';
import type { Token } from './token.ts';
import { spanOf, type TokenCursor } from './token-cursor.ts';
import type { SourceSpan } from './tree.ts';

/** Message for an int literal outside the range. */
const INT_OVERFLOW = 'Integer overflow: result is outside the 64-bit signed range';
const NOT_FINITE = 'Float operation produced infinity';

/** Operators that bind tighter than a minus sign before an int. */
const TIGHTER: readonly string[] = ['**', '.', '[', '('];

/** Reads an int or float literal. */
export function numberLiteral(cursor: TokenCursor, refusals: Refusals): Parsed {
  const token = cursor.take();
  if (token.kind === 'imaginary') return refusals.add('Complex numbers are not supported', spanOf(token));
  if (token.kind === 'float') {
    const value = floatLiteral(token.text);
    return value === null ? refusals.add(NOT_FINITE, spanOf(token)) : literal(value, spanOf(token));
  }
  const value = intLiteral(checkedZeros(token), false);
  return value === null ? refusals.add(INT_OVERFLOW, spanOf(token)) : literal(value, spanOf(token));
}

/**
 * Reads a minus sign and an int literal that is valid only with it, the least int (section 1.1.6), or an invalid one.
 * Returns null for anything else, and does not consume it.
 */
export function leastInt(cursor: TokenCursor, refusals: Refusals): Parsed | null {
  if (!cursor.is('-')) return null;
  const digits = cursor.peek(1);
  if (digits.kind !== 'int' || TIGHTER.some((text) => cursor.is(text, 2))) return null;
  if (intLiteral(checkedZeros(digits), false) !== null) return null;
  const { start } = cursor.take();
  const { text, end } = cursor.take();
  const value = intLiteral(text, true);
  const place = spanOf({ start, end });
  return value === null ? refusals.add(INT_OVERFLOW, place) : literal(value, place);
}

function checkedZeros(token: Token): string {
  if (!hasLeadingZero(token.text)) return token.text;
  throw new ExprFailure(
    'Syntax error: Leading zeros in decimal integers are not permitted; an octal integer begins with 0o',
    spanOf(token),
  );
}

/** Reads a string literal, or several adjacent ones, which are concatenated. */
export function stringLiterals(cursor: TokenCursor, refusals: Refusals): Parsed {
  const { start } = cursor.peek();
  const pieces: string[] = [];
  let refused: string | null = null;
  while (cursor.peek().kind === 'string') {
    const token = cursor.take();
    refused ??= refusedPrefix(token.text);
    if (refused === null) pieces.push(stringLiteral(token));
  }
  const place = spanOf({ start, end: cursor.last.end });
  return refused === null ? literal(pieces.join(''), place) : refusals.add(refused, place);
}

/** Returns a literal with a value. */
export const literal = (value: Value, { start, end, caret }: SourceSpan): Parsed =>
  parsed({ kind: 'literal', start, end, caret, value }, []);
