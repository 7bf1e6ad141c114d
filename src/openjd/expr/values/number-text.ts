import { parseDecimal, parseInteger } from '../../primitives/numbers.ts';
import { floatOf, intOf, type FloatValue } from './value.ts';

/** The int that a text writes in base 10 with blanks around it; null when it writes none, 'range' when it does not fit 64 bits. */
export function intOfText(text: string): number | bigint | null | 'range' {
  const value = parseInteger(text.trim());
  return typeof value === 'bigint' ? intOf(value) : value;
}

/** The float that a text writes, which keeps it; null when it writes none or none that is finite. */
export function floatOfText(text: string): FloatValue | null {
  const trimmed = text.trim();
  const value = parseDecimal(trimmed);
  const float = value === null ? null : floatOf(value);
  return float === null ? null : { ...float, text: trimmed };
}

/** The int that a float is; null when it is not whole or does not fit 64 bits. */
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

/** The bool that a word writes, in any case (section 2.2.1); null for other words. */
export const boolOfText = (text: string): boolean | null => WORDS.get(text.toLowerCase()) ?? null;
