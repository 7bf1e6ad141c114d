import { complementOf, SPACE_RANGES, wordRanges, type Ranges } from './code-point-ranges.ts';
import { readEscape } from './pattern-escapes.ts';
import { invalid, unsupported } from './pattern-errors.ts';

/** A class in RE2 syntax, and its estimated number of ranges. */
export interface TranslatedClass {
  readonly source: string;
  readonly ranges: number;
}

/** Approximate numbers of ranges of `\p{Nd}`, and of `\p{L}\p{N}_`, in RE2's tables. */
const DIGIT_RANGES = 70;
const WORD_RANGES = 800;

const PLAIN = /^[0-9A-Za-z_]$/;
const SET_OPERATORS = ['&&', '--', '~~'];

/** Returns a character in RE2 syntax, valid inside and outside of a class. */
export function literalSource(code: number): string {
  const character = String.fromCodePoint(code);
  return PLAIN.test(character) ? character : `\\x{${code.toString(16)}}`;
}

const rangesSource = (ranges: Ranges): string =>
  ranges
    .map(([first, last]) =>
      first === last ? literalSource(first) : `${literalSource(first)}-${literalSource(last)}`,
    )
    .join('');

/** Returns the inside of a class for `\d`, `\w`, `\s` and their negations, in their Unicode meaning. */
function namedClass(name: 'd' | 'w' | 's', negated: boolean): TranslatedClass {
  if (name === 'd') return { source: negated ? '\\P{Nd}' : '\\p{Nd}', ranges: DIGIT_RANGES };
  if (name === 'w' && !negated) return { source: '\\p{L}\\p{N}_', ranges: WORD_RANGES };
  const ranges = name === 's' ? SPACE_RANGES : wordRanges();
  const listed = negated ? complementOf(ranges) : ranges;
  return { source: rangesSource(listed), ranges: listed.length };
}

/** Returns `\d`, `\w`, `\s` or a negation as a separate class. */
export function loneClass(name: 'd' | 'w' | 's', negated: boolean): TranslatedClass {
  const inside = namedClass(name, false);
  return { source: `[${negated ? '^' : ''}${inside.source}]`, ranges: inside.ranges };
}

/**
 * Reads the class that begins with the bracket at `start`, and returns its end. Fails for nested classes, POSIX classes
 * and set operators, which have a meaning in Rust, but not in Python.
 */
export function readClass(
  pattern: string,
  start: number,
): { readonly translated: TranslatedClass; readonly end: number } {
  let at = start + 1;
  const negated = pattern.charAt(at) === '^';
  if (negated) at += 1;
  const first = at;
  const pieces: string[] = [];
  let ranges = 0;
  for (;;) {
    if (at >= pattern.length) throw invalid('a character class without an end');
    if (pattern.charAt(at) === ']' && at > first) break;
    const item = readItem(pattern, at, at === first);
    at = item.end;
    if (item.kind === 'class') {
      pieces.push(item.translated.source);
      ranges += item.translated.ranges;
      if (startsRange(pattern, at)) throw invalid('a range in a character class that begins with a class');
      continue;
    }
    ranges += 1;
    if (!startsRange(pattern, at)) {
      pieces.push(literalSource(item.code));
      continue;
    }
    const last = readItem(pattern, at + 1, false);
    if (last.kind === 'class') throw invalid('a range in a character class that ends with a class');
    if (last.code < item.code) throw invalid(`the range ${pattern.slice(at - 1, last.end)} is in reverse`);
    pieces.push(`${literalSource(item.code)}-${literalSource(last.code)}`);
    at = last.end;
  }
  return { translated: { source: `[${negated ? '^' : ''}${pieces.join('')}]`, ranges }, end: at + 1 };
}

/** Reports whether the next character is a hyphen that is not the last character of the class. */
const startsRange = (pattern: string, at: number): boolean =>
  pattern.charAt(at) === '-' && at + 1 < pattern.length && pattern.charAt(at + 1) !== ']';

type Item =
  | { readonly kind: 'character'; readonly code: number; readonly end: number }
  | { readonly kind: 'class'; readonly translated: TranslatedClass; readonly end: number };

function readItem(pattern: string, at: number, isFirst: boolean): Item {
  const character = pattern.charAt(at);
  if (character === '[') {
    throw unsupported(
      pattern.charAt(at + 1) === ':' ? 'POSIX character classes' : 'an unescaped [ in a character class',
    );
  }
  if (!isFirst && SET_OPERATORS.includes(pattern.slice(at, at + 2))) {
    throw unsupported(`set operator ${pattern.slice(at, at + 2)} in a character class`);
  }
  if (character !== '\\') {
    const code = pattern.codePointAt(at) ?? 0;
    return { kind: 'character', code, end: at + (code > 0xffff ? 2 : 1) };
  }
  const { escape, end } = readEscape(pattern, at);
  switch (escape.kind) {
    case 'character':
      return { kind: 'character', code: escape.code, end };
    case 'class':
      return { kind: 'class', translated: namedClass(escape.name, escape.negated), end };
    case 'assertion':
      throw invalid(`\\${escape.name} in a character class`);
  }
}
