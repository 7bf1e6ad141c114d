import { ExprFailure } from '../expr-failure.ts';
import { characterNamed } from './character-names.ts';
import type { Token } from './token.ts';

/** Returns the name of the kind of string literal with an unsupported prefix; null for a supported one. */
export function refusedPrefix(text: string): string | null {
  const prefix = prefixOf(text).toLowerCase();
  if (prefix.includes('f')) return 'f-strings are not supported; use string concatenation';
  if (prefix.includes('b')) return `Byte strings (b'...') are not supported. Use '...' or "..." instead.`;
  if (prefix.includes('u'))
    return `Unicode string prefix u'...' is not supported. Use '...' or "..." instead.`;
  return prefix.includes('t') ? 'Unsupported expression type' : null;
}

const ESCAPE =
  /\\(?:(?<line>\r\n|[\r\n])|(?<octal>[0-7]{1,3})|x(?<two>[0-9a-fA-F]{2})|u(?<four>[0-9a-fA-F]{4})|U(?<eight>[0-9a-fA-F]{8})|N\{(?<name>[^{}]*)\}|(?<other>[\s\S]))/gu;

const SIMPLE: ReadonlyMap<string, string> = new Map([
  ['\\', '\\'],
  ["'", "'"],
  ['"', '"'],
  ['a', '\x07'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['v', '\v'],
]);

/**
 * Returns the text of a string literal (section 1.1.5). As in Python, a backslash before a character that needs no
 * escape is kept, and one at the end of a line removes the line break. Fails for an incomplete escape and for an
 * unknown character name.
 */
export function stringLiteral({ text, start }: Token): string {
  const prefix = prefixOf(text);
  const quotes = /^(?:'''|"""|['"])/.exec(text.slice(prefix.length))?.[0].length ?? 0;
  const body = text.slice(prefix.length + quotes, text.length - quotes);
  if (prefix !== '' || !body.includes('\\')) return body;
  const pieces: string[] = [];
  let done = 0;
  for (const escape of body.matchAll(ESCAPE)) {
    pieces.push(body.slice(done, escape.index), escaped(escape, start + quotes + escape.index));
    done = escape.index + escape[0].length;
  }
  return pieces.join('') + body.slice(done);
}

function escaped({ 0: written, groups = {} }: RegExpMatchArray, at: number): string {
  const { line, octal, two, four, eight, name, other } = groups;
  if (line !== undefined) return '';
  if (octal !== undefined) return String.fromCodePoint(Number.parseInt(octal, 8));
  const hexadecimal = two ?? four ?? eight;
  if (hexadecimal !== undefined) return characterOf(Number.parseInt(hexadecimal, 16), written, at);
  if (name !== undefined) {
    const character = characterNamed(name);
    if (character === null) throw wrong(written, `there is no character named '${name}'`, at);
    return character;
  }
  const needs = NEEDS.get(other ?? '');
  if (needs !== undefined) throw wrong(written, needs, at);
  return SIMPLE.get(other ?? '') ?? written;
}

const NEEDS: ReadonlyMap<string, string> = new Map([
  ['x', 'it needs two hexadecimal digits'],
  ['u', 'it needs four hexadecimal digits'],
  ['U', 'it needs eight hexadecimal digits'],
  ['N', 'it needs the name of a character in braces'],
]);

const MAX_CODE_POINT = 0x10ffff;

/** Unpaired surrogates are rejected: the text of a string is Unicode. */
function characterOf(code: number, written: string, at: number): string {
  if (code > MAX_CODE_POINT) throw wrong(written, 'there is no such character', at);
  if (code >= 0xd800 && code <= 0xdfff)
    throw wrong(written, 'half of a surrogate pair is not a character', at);
  return String.fromCodePoint(code);
}

const wrong = (written: string, why: string, at: number): ExprFailure =>
  new ExprFailure(`Syntax error: Invalid escape ${written}: ${why}`, {
    start: at,
    end: at + written.length,
    caret: at,
  });

const prefixOf = (text: string): string => /^[A-Za-z]*/.exec(text)?.[0] ?? '';
