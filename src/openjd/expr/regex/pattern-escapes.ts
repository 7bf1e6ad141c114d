import { invalid, unsupported } from './pattern-errors.ts';

/** Meaning of a backslash and the characters after it. */
export type Escape =
  | { readonly kind: 'character'; readonly code: number }
  /** `\d`, `\w`, `\s`, or their negations. */
  | { readonly kind: 'class'; readonly name: 'd' | 'w' | 's'; readonly negated: boolean }
  | { readonly kind: 'assertion'; readonly name: 'b' | 'B' | 'A' };

const CONTROLS: ReadonlyMap<string, number> = new Map([
  ['a', 7],
  ['f', 12],
  ['n', 10],
  ['r', 13],
  ['t', 9],
  ['v', 11],
]);

/** Number of digits in the escapes of a code point. */
const CODE_DIGITS: ReadonlyMap<string, number> = new Map([
  ['x', 2],
  ['u', 4],
  ['U', 8],
]);

const HEX = /^[0-9a-fA-F]+$/;
const ALPHANUMERIC = /^[0-9A-Za-z]$/;
const ASCII = /^[\0-\x7f]$/;
const MAX_CODE_POINT = 0x10ffff;

/** Names of other letters' escapes in Python or Rust. */
const FOREIGN: ReadonlyMap<string, string> = new Map([
  ['Z', 'end-of-string anchor \\Z'],
  ['z', 'end-of-string anchor \\z'],
  ['G', 'anchor \\G'],
  ['p', 'Unicode property class \\p'],
  ['P', 'Unicode property class \\P'],
  ['N', 'named character \\N'],
  ['k', 'named backreferences'],
  ['g', 'named backreferences'],
  ['0', 'octal escapes'],
]);

/**
 * Reads the escape at `start`, the index of the backslash, and returns its end. Fails for escapes that differ between
 * Python and Rust; the message uses the names of the specification.
 */
export function readEscape(
  pattern: string,
  start: number,
): { readonly escape: Escape; readonly end: number } {
  const letter = pattern.charAt(start + 1);
  if (letter === '') throw invalid('a backslash at the end');
  const end = start + 2;
  switch (letter) {
    case 'd':
    case 'w':
    case 's':
      return { escape: { kind: 'class', name: letter, negated: false }, end };
    case 'D':
      return { escape: { kind: 'class', name: 'd', negated: true }, end };
    case 'W':
      return { escape: { kind: 'class', name: 'w', negated: true }, end };
    case 'S':
      return { escape: { kind: 'class', name: 's', negated: true }, end };
    case 'b':
    case 'B':
    case 'A':
      return { escape: { kind: 'assertion', name: letter }, end };
  }
  const control = CONTROLS.get(letter);
  if (control !== undefined) return { escape: { kind: 'character', code: control }, end };
  const digits = CODE_DIGITS.get(letter);
  if (digits !== undefined) return { escape: codeEscape(pattern, end, letter, digits), end: end + digits };
  if (letter >= '1' && letter <= '9') throw unsupported('backreferences');
  const foreign = FOREIGN.get(letter);
  if (foreign !== undefined) throw unsupported(foreign);
  if (ALPHANUMERIC.test(letter) || letter === '<' || letter === '>' || !ASCII.test(letter)) {
    throw invalid(`unknown escape \\${letter}`);
  }
  return { escape: { kind: 'character', code: letter.charCodeAt(0) }, end };
}

function codeEscape(pattern: string, start: number, letter: string, digits: number): Escape {
  if (pattern.charAt(start) === '{') throw unsupported(`Unicode brace escape \\${letter}{...}`);
  const text = pattern.slice(start, start + digits);
  if (text.length < digits || !HEX.test(text))
    throw invalid(`\\${letter} needs ${digits} hexadecimal digits`);
  const code = Number.parseInt(text, 16);
  const surrogate = code >= 0xd800 && code <= 0xdfff;
  if (code > MAX_CODE_POINT || surrogate) throw invalid(`\\${letter}${text} is not a character`);
  return { kind: 'character', code };
}
