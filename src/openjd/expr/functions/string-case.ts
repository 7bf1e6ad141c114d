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

/** `name(s: string) -> string`. A case mapping makes at most three units of one; it takes so many steps for each. */
const mapped = (name: string, steps: number, doc: string, map: (text: string) => string): Signature =>
  signature(`${name}(s: string) -> string`, doc, (call, s) => {
    const text = textOf(s);
    chargeCharacters(call, text, steps);
    return map(text);
  });

/** Steps for a character that is tested. */
const TEST_STEPS = 2;

/** `name(s: string) -> bool`. */
const tested = (name: string, doc: string, test: (text: string) => boolean): Signature =>
  signature(`${name}(s: string) -> bool`, doc, (call, s) => {
    const text = textOf(s);
    chargeCharacters(call, text, TEST_STEPS);
    return test(text);
  });

/** Functions of letter case and the tests of all characters (specification "Expression Language", section 2.2.4; RFC 0006). */
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
  tested('isdigit', 'Whether all characters are digits and there is one.', isDigit),
  tested('isalpha', 'Whether all characters are letters and there is one.', isAlphabetic),
  tested('isalnum', 'Whether all characters are letters or numbers and there is one.', isAlphanumeric),
  tested('isspace', 'Whether all characters are white space and there is one.', isSpace),
  tested(
    'isupper',
    'Whether all characters that have a case are upper case and there is one that has.',
    isUpper,
  ),
  tested(
    'islower',
    'Whether all characters that have a case are lower case and there is one that has.',
    isLower,
  ),
  tested('isascii', 'Whether all characters are ASCII; true for the empty string.', isAscii),
];
