/**
 * Character classes of Python's `str` methods, based on the engine's Unicode Character Database (RFC 0006, note on the
 * character classification functions).
 */

/** White space: the categories of separators and the bidirectional classes WS, B and S. */
const SPACE = '\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000';

/** Digits that are not decimal: superscripts, circled digits and similar. */
const OTHER_DIGITS =
  '\\u00b2\\u00b3\\u00b9\\u1369-\\u1371\\u19da\\u2070\\u2074-\\u2079\\u2080-\\u2089\\u2460-\\u2468\\u2474-\\u247c' +
  '\\u2488-\\u2490\\u24ea\\u24f5-\\u24fd\\u24ff\\u2776-\\u277e\\u2780-\\u2788\\u278a-\\u2792\\u{10a40}-\\u{10a43}' +
  '\\u{10e60}-\\u{10e68}\\u{11052}-\\u{1105a}\\u{1f100}-\\u{1f10a}';

const ALL_SPACE = new RegExp(`^[${SPACE}]+$`);
const ALL_DIGITS = new RegExp(`^[\\p{Nd}${OTHER_DIGITS}]+$`, 'u');
const ALL_ALPHABETIC = /^\p{L}+$/u;
const ALL_ALPHANUMERIC = /^[\p{L}\p{N}]+$/u;
const ALL_ASCII = /^[\0-\x7f]*$/;
const UPPER = /\p{Uppercase}/u;
const NOT_UPPER = /[\p{Lowercase}\p{Lt}]/u;
const LOWER = /\p{Lowercase}/u;
const NOT_LOWER = /[\p{Uppercase}\p{Lt}]/u;
const CASED = /\p{Cased}/u;
const CASE_IGNORABLE = /\p{Case_Ignorable}/u;

/** Runs of white space. */
export const SPACES = new RegExp(`[${SPACE}]+`, 'g');

/** Reports whether all characters are of the class; false for the empty text. */
export const isSpace = (text: string): boolean => ALL_SPACE.test(text);
export const isDigit = (text: string): boolean => ALL_DIGITS.test(text);
export const isAlphabetic = (text: string): boolean => ALL_ALPHABETIC.test(text);
export const isAlphanumeric = (text: string): boolean => ALL_ALPHANUMERIC.test(text);

/** Reports whether all cased characters have this case; false if there are none. */
export const isUpper = (text: string): boolean => UPPER.test(text) && !NOT_UPPER.test(text);
export const isLower = (text: string): boolean => LOWER.test(text) && !NOT_LOWER.test(text);

/** Reports whether all characters are ASCII; true for the empty text. */
export const isAscii = (text: string): boolean => ALL_ASCII.test(text);

/** For one character: whether it is cased, and whether it is skipped when the case of its neighbours is determined. */
export const isCased = (character: string): boolean => CASED.test(character);
export const isCaseIgnorable = (character: string): boolean => CASE_IGNORABLE.test(character);

export const isSpaceUnit = (unit: number): boolean =>
  (unit >= 9 && unit <= 13) ||
  (unit >= 28 && unit <= 32) ||
  (unit > 127 && ALL_SPACE.test(String.fromCharCode(unit)));
