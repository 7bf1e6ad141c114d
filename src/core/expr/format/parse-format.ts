import { failureText } from '../failure-text.ts';
import { parseExpression } from '../syntax/parse-expression.ts';
import { stringEnd } from '../syntax/string-end.ts';
import type { Expr } from '../syntax/tree.ts';

/** A part of a format string of the expression language (section 1.1). */
export type FormatPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'expression'; readonly source: string; readonly expr: Expr };

export type ParsedFormat =
  | { readonly ok: true; readonly parts: readonly FormatPart[] }
  | { readonly ok: false; readonly detail: string };

/** Interpolations in one string. */
const MAX_EXPRESSIONS = 1000;

/**
 * Parses a format string: text and expressions between `{{` and `}}`; braces in a string literal of an expression are a part of it. Errors: an opener
 * without its closer, a closer without its opener, and what is no expression.
 */
export function parseExprFormat(text: string): ParsedFormat {
  const parts: FormatPart[] = [];
  let expressions = 0;
  let position = 0;
  while (position < text.length) {
    const open = text.indexOf('{{', position);
    const literal = open === -1 ? text.slice(position) : text.slice(position, open);
    if (literal.includes('}}')) return failed('Missing opening braces: "}}" has no "{{" before it');
    if (literal !== '') parts.push({ kind: 'text', text: literal });
    if (open === -1) break;
    const close = closingBraces(text, open + 2);
    if (close === null) return failed('Missing closing braces: "{{" has no "}}" after it');
    if (++expressions > MAX_EXPRESSIONS) return failed(`has more than ${MAX_EXPRESSIONS} expressions`);
    const source = text.slice(open + 2, close).trim();
    const parsed = parseExpression(source);
    if (!parsed.ok) return failed(failureText(parsed.failure, source));
    parts.push({ kind: 'expression', source, expr: parsed.expr });
    position = close + 2;
  }
  return { ok: true, parts };
}

/** Where the braces stand that end an expression; null when there are none. */
function closingBraces(text: string, from: number): number | null {
  let at = from;
  while (at < text.length) {
    const character = text.charAt(at);
    if (character === "'" || character === '"') {
      // A literal without an end is told by the parser, of what is up to the next braces.
      const end = stringEnd(text, at);
      if (end === null) {
        const close = text.indexOf('}}', at);
        return close === -1 ? null : close;
      }
      at = end;
    } else if (text.startsWith('}}', at)) return at;
    else at += 1;
  }
  return null;
}

const failed = (detail: string): ParsedFormat => ({ ok: false, detail });
