import { floatOf, intOf, type FloatValue } from '../values/value.ts';

/** What an int literal can have without its base and leading zeros when it fits 64 bits. */
const MAX_DIGITS = 64;

/** Decimal digits with which an int is safe as a number. */
const SHORT = 15;

/**
 * The value of an int literal with a minus sign before it or without (section 1.1.6); null when it does not fit 64 bits. Takes the text of an int
 * token for which `hasLeadingZero` is false.
 */
export function intLiteral(text: string, negative: boolean): number | bigint | null {
  if (text.length <= SHORT && /^[0-9]+$/.test(text)) return negative ? 0 - Number(text) : Number(text);
  const plain = text.replaceAll('_', '').toLowerCase();
  const base = /^0[xob]/.exec(plain)?.[0] ?? '';
  const digits = plain.slice(base.length).replace(/^0+(?=.)/, '');
  if (digits.length > MAX_DIGITS) return null;
  const value = BigInt(base + digits);
  return intOf(negative ? -value : value);
}

/** Whether a decimal int is written with zeros before it, like `007`; zero itself may be. */
export const hasLeadingZero = (text: string): boolean => /^0[0-9_]*[1-9]/.test(text);

/** The value of a float literal, which keeps how it was written with digits on both sides of its point; null when it is not finite. */
export function floatLiteral(text: string): FloatValue | null {
  const plain = text.replaceAll('_', '');
  const float = floatOf(Number(plain));
  if (float === null) return null;
  return { ...float, text: plain.replace(/^\./, '0.').replace(/\.(?![0-9])/, '.0') };
}
