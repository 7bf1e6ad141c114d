import { parseDecimal, parseInteger } from '../../primitives/numbers.ts';
import { floatOf, intOf, type FloatValue } from './value.ts';

/**
 * Parses an int in base 10 with optional blanks around it; null if the text is invalid, 'range' if it does not fit 64
 * bits.
 */
export function intOfText(text: string): number | bigint | null | 'range' {
  const value = parseInteger(text.trim());
  return typeof value === 'bigint' ? intOf(value) : value;
}

/** Parses a float and keeps its text; null if the text is invalid or the number is not finite. */
export function floatOfText(text: string): FloatValue | null {
  const trimmed = text.trim();
  const value = parseDecimal(trimmed);
  const float = value === null ? null : floatOf(value);
  return float === null ? null : { ...float, text: trimmed };
}

/** Returns the int equal to a float; null if it is not whole or does not fit 64 bits. */
export const intOfFloat = (value: number): number | bigint | null =>
  Number.isInteger(value) ? intOf(BigInt(value)) : null;

const WORDS: ReadonlyMap<string, boolean> = new Map([
  ['1', true],
  ['true', true],
  ['on', true],
  ['yes', true],
  ['0', false],
  ['false', false],
  ['off', false],
  ['no', false],
]);

/** Returns the bool of a word, case-insensitively (section 2.2.1); null for other words. */
export const boolOfText = (text: string): boolean | null => WORDS.get(text.toLowerCase()) ?? null;
