import { MAX_INTERPOLATIONS, piecesOf, type FormatFault } from '../primitives/interpolations.ts';
import { quoteForMessage } from '../primitives/text-rules.ts';

/** A parsed format string (specification, section 7.3): literal text and references to values by dotted name. */
export interface FormatString {
  readonly parts: readonly FormatPart[];
}

export type FormatPart =
  | { readonly kind: 'text'; readonly text: string }
  /** `at` is the offset of the symbol in the format string. */
  | { readonly kind: 'reference'; readonly symbol: string; readonly at: number };

export type ParsedFormatString =
  | { readonly ok: true; readonly value: FormatString }
  /** `offset`: place of the error in the text. */
  | { readonly ok: false; readonly detail: string; readonly offset: number };

export type ResolvedFormatString =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly unknown: string };

const REFERENCE = /^[ \t\r\n]*([A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*)[ \t\r\n]*$/;
/**
 * Parses a format string. There is no escape: `{{` always opens and `}}` always closes a reference, single braces are
 * text. Errors: unbalanced braces, and any content other than one dotted name.
 */
export function parseFormatString(text: string): ParsedFormatString {
  const parts: FormatPart[] = [];
  for (const { kind, start, end } of piecesOf(text, (whole, from) => whole.indexOf('}}', from))) {
    const piece = text.slice(start, end);
    if (kind === 'text') parts.push({ kind, text: piece });
    else if (kind === 'interpolation') {
      const symbol = REFERENCE.exec(piece)?.[1];
      if (symbol === undefined) return failed(notAName(piece.trim()), start);
      parts.push({ kind: 'reference', symbol, at: start + piece.indexOf(symbol) });
    } else return failed(FAULTS[kind], start);
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

/** Replaces every reference. `unknown` is the first name that the lookup does not find. */
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

/** Returns the literal text between the references, joined: a lower bound of the resolved length. */
export function literalText(format: FormatString): string {
  return format.parts.map((part) => (part.kind === 'text' ? part.text : '')).join('');
}

export const hasReferences = (format: FormatString): boolean =>
  format.parts.some((part) => part.kind === 'reference');

const failed = (detail: string, offset: number): ParsedFormatString => ({ ok: false, detail, offset });
