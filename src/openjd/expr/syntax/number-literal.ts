import { floatOf, intOf, type FloatValue } from '../values/value.ts';

/** Maximum digits of an int literal that fits 64 bits, without its base and leading zeros. */
const MAX_DIGITS = 64;

/** Number of decimal digits up to which an int is a safe integer. */
const SHORT = 15;

/**
 * Returns the value of an int literal, with or without a minus sign (section 1.1.6); null if it does not fit 64 bits.
 * Takes the text of an int token for which `hasLeadingZero` is false.
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

/** Reports whether a decimal int has leading zeros, like `007`; zero itself may have them. */
export const hasLeadingZero = (text: string): boolean => /^0[0-9_]*[1-9]/.test(text);

/**
 * Returns the value of a float literal, with its original text if that has digits on both sides of the point; null if
 * it is not finite.
 */
export function floatLiteral(text: string): FloatValue | null {
  const plain = text.replaceAll('_', '');
  const float = floatOf(Number(plain));
  if (float === null) return null;
  return { ...float, text: plain.replace(/^\./, '0.').replace(/\.(?![0-9])/, '.0') };
}
