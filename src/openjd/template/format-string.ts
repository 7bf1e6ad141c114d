import { MAX_INTERPOLATIONS, piecesOf, type FormatFault } from '../primitives/interpolations.ts';
import { quoteForMessage } from '../primitives/text-rules.ts';

/** A format string, parsed (specification, section 7.3): literal text and references to values by dotted name. */
export interface FormatString {
  readonly parts: readonly FormatPart[];
}

export type FormatPart =
  { readonly kind: 'text'; readonly text: string } | { readonly kind: 'reference'; readonly symbol: string };

export type ParsedFormatString =
  { readonly ok: true; readonly value: FormatString } | { readonly ok: false; readonly detail: string };

export type ResolvedFormatString =
  { readonly ok: true; readonly text: string } | { readonly ok: false; readonly unknown: string };

const REFERENCE = /^[ \t\r\n]*([A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*)[ \t\r\n]*$/;
/**
 * Parses a format string. There is no escape: `{{` always opens and `}}` always closes a reference, single braces are text.
 * Errors: an opener without its closer, a closer without its opener, and anything but one dotted name between them.
 */
export function parseFormatString(text: string): ParsedFormatString {
  const parts: FormatPart[] = [];
  for (const { kind, start, end } of piecesOf(text, (whole, from) => whole.indexOf('}}', from))) {
    const piece = text.slice(start, end);
    if (kind === 'text') parts.push({ kind, text: piece });
    else if (kind === 'interpolation') {
      const symbol = REFERENCE.exec(piece)?.[1];
      if (symbol === undefined) return failed(notAName(piece.trim()));
      parts.push({ kind: 'reference', symbol });
    } else return failed(FAULTS[kind]);
  }
  return { ok: true, value: { parts } };
}

const FAULTS: Readonly<Record<FormatFault, string>> = {
  unopened: '"}}" has no opening "{{"',
  unclosed: '"{{" has no closing "}}"',
  'too-many': `has more than ${MAX_INTERPOLATIONS} references`,
};

const notAName = (inside: string): string =>
  inside === ''
    ? 'there is nothing between "{{" and "}}"'
    : `${quoteForMessage(inside)} is not the name of a value (expressions require the extension EXPR)`;

/** The text with every reference replaced; unknown is the first name that the lookup does not know. */
export function resolveFormatString(
  format: FormatString,
  lookup: (symbol: string) => string | undefined,
): ResolvedFormatString {
  let text = '';
  for (const part of format.parts) {
    if (part.kind === 'text') {
      text += part.text;
      continue;
    }
    const value = lookup(part.symbol);
    if (value === undefined) return { ok: false, unknown: part.symbol };
    text += value;
  }
  return { ok: true, text };
}

/** The literal text between the references, joined: a lower bound of what the string resolves to. */
export function literalText(format: FormatString): string {
  return format.parts.map((part) => (part.kind === 'text' ? part.text : '')).join('');
}

export const hasReferences = (format: FormatString): boolean =>
  format.parts.some((part) => part.kind === 'reference');

const failed = (detail: string): ParsedFormatString => ({ ok: false, detail });
