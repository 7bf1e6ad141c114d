import { shown } from './text-rules.ts';

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
/** Interpolations in one string. */
const MAX_REFERENCES = 1000;

/**
 * Parses a format string. There is no escape: `{{` always opens and `}}` always closes a reference, single braces are text.
 * Errors: an opener without its closer, a closer without its opener, and anything but one dotted name between them.
 */
export function parseFormatString(text: string): ParsedFormatString {
  const parts: FormatPart[] = [];
  let position = 0;
  let references = 0;
  while (position < text.length) {
    const open = text.indexOf('{{', position);
    const literal = open === -1 ? text.slice(position) : text.slice(position, open);
    if (literal.includes('}}')) return failed('"}}" has no opening "{{"');
    if (literal !== '') parts.push({ kind: 'text', text: literal });
    if (open === -1) break;
    const close = text.indexOf('}}', open + 2);
    if (close === -1) return failed('"{{" has no closing "}}"');
    const inside = text.slice(open + 2, close);
    const symbol = REFERENCE.exec(inside)?.[1];
    if (symbol === undefined) {
      return failed(
        inside.trim() === ''
          ? 'there is nothing between "{{" and "}}"'
          : `${shown(inside.trim())} is not the name of a value (expressions require the extension EXPR)`,
      );
    }
    if (++references > MAX_REFERENCES) return failed(`has more than ${MAX_REFERENCES} references`);
    parts.push({ kind: 'reference', symbol });
    position = close + 2;
  }
  return { ok: true, value: { parts } };
}

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
