import {
  isAlphabetic,
  isAlphanumeric,
  isAscii,
  isDigit,
  isLower,
  isSpace,
  isUpper,
} from '../text/character-classes.ts';
import { capitalized, titled } from '../text/letter-case.ts';
import { textOf } from '../values/arguments.ts';
import { chargeCharacters } from './charges.ts';
import { signature, type Signature } from './signature.ts';

/**
 * Returns `name(s: string) -> string`. A case mapping makes at most three units of one; `steps` are charged for each.
 */
const mapped = (name: string, steps: number, doc: string, map: (text: string) => string): Signature =>
  signature(`${name}(s: string) -> string`, doc, (call, s) => {
    const text = textOf(s);
    chargeCharacters(call, text, steps);
    return map(text);
  });

/** Steps per tested character. */
const TEST_STEPS = 2;

/** Returns `name(s: string) -> bool`. */
const tested = (name: string, doc: string, test: (text: string) => boolean): Signature =>
  signature(`${name}(s: string) -> bool`, doc, (call, s) => {
    const text = textOf(s);
    chargeCharacters(call, text, TEST_STEPS);
    return test(text);
  });

/**
 * Functions of letter case and the tests of all characters (specification "Expression Language", section 2.2.4; RFC
 * 0006).
 */
export const CASE_FUNCTIONS: readonly Signature[] = [
  mapped('upper', 1, 'Converts to upper case.', (text) => text.toUpperCase()),
  mapped('lower', 1, 'Converts to lower case.', (text) => text.toLowerCase()),
  mapped(
    'capitalize',
    1.5,
    'Converts the first character to title case and the others to lower case.',
    capitalized,
  ),
  mapped(
    'title',
    12,
    'Converts the first character of each word to title case and the others to lower case.',
    titled,
  ),
  tested('isdigit', 'True if all characters are digits; false for the empty string.', isDigit),
  tested('isalpha', 'True if all characters are letters; false for the empty string.', isAlphabetic),
  tested(
    'isalnum',
    'True if all characters are letters or numbers; false for the empty string.',
    isAlphanumeric,
  ),
  tested('isspace', 'True if all characters are white space; false for the empty string.', isSpace),
  tested('isupper', 'True if all cased characters are upper case; false if there are none.', isUpper),
  tested('islower', 'True if all cased characters are lower case; false if there are none.', isLower),
  tested('isascii', 'True if all characters are ASCII; true for the empty string.', isAscii),
];
