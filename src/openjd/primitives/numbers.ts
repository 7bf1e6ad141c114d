import type { DocumentNode } from './document.ts';

export const INTEGER = /^[-+]?[0-9]+$/;
export const DECIMAL = /^[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?$/;
const MIN_INT64 = -(2n ** 63n);
const MAX_INT64 = 2n ** 63n - 1n;
/** Significant digits of the largest 64-bit integer; longer texts are rejected before they are converted. */
const MAX_DIGITS = 19;
/** Maximum length of a decimal number's text. */
const MAX_DECIMAL_LENGTH = 400;

/** Parses a 64-bit integer in base 10. Returns null for invalid text, 'range' if it does not fit. */
export function parseInteger(text: string): bigint | null | 'range' {
  if (!INTEGER.test(text)) return null;
  const digits = text.replace(/^[-+]?0*/, '');
  if (digits.length > MAX_DIGITS) return 'range';
  const value = text.startsWith('-') ? -BigInt(digits) : BigInt(digits);
  return value < MIN_INT64 || value > MAX_INT64 ? 'range' : value;
}

/** Parses a finite number in base 10, or returns null. */
export function parseDecimal(text: string): number | null {
  if (text.length > MAX_DECIMAL_LENGTH || !DECIMAL.test(text)) return null;
  const value = Number(text);
  return Number.isFinite(value) ? value : null;
}

/** Returns the text of a number as it is read: blanks around the text of a string do not count. */
const numberText = (node: Extract<DocumentNode, { kind: 'integer' | 'float' | 'string' }>): string =>
  node.kind === 'string' ? node.value.trim() : node.text;

/**
 * Returns the integer of a node: an integer, a whole number, or text of an integer. Returns an error text for other
 * nodes.
 */
export function integerOf(node: DocumentNode): bigint | string {
  if (node.kind === 'float') {
    const value = parseDecimal(node.text);
    if (value !== null && Number.isSafeInteger(value)) return BigInt(value);
    return 'must be an integer';
  }
  if (node.kind !== 'integer' && node.kind !== 'string') return 'must be an integer';
  const value = parseInteger(numberText(node));
  if (value === 'range') return 'is outside the range of 64-bit integers';
  return value ?? 'must be an integer';
}

interface Decimal {
  /** As written, without blanks around it. */
  readonly text: string;
  readonly value: number;
}

/** Returns the finite number of a node: a number, or text of one. Returns an error text for other nodes. */
export function decimalOf(node: DocumentNode): Decimal | string {
  if (node.kind !== 'integer' && node.kind !== 'float' && node.kind !== 'string') return 'must be a number';
  const text = numberText(node);
  const value = parseDecimal(text);
  return value === null ? 'must be a finite decimal number' : { text, value };
}
