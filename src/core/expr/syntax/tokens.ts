import { STRING_PREFIX, stringEnd } from './string-end.ts';
import type { Token, TokenKind } from './token.ts';

/** Newlines are blanks: an expression is read as if it stood in parentheses (section 1.1.7). */
const BLANKS = /(?:[ \t\r\n\f]+|\\\r?\n)*/y;
const NAME = /[A-Za-z_][A-Za-z0-9_]*/y;
const INT = /0[xX](?:_?[0-9a-fA-F])+|0[oO](?:_?[0-7])+|0[bB](?:_?[01])+|[0-9](?:_?[0-9])*/y;
const FLOAT =
  /(?:(?:[0-9](?:_?[0-9])*)?\.[0-9](?:_?[0-9])*|[0-9](?:_?[0-9])*\.)(?:[eE][-+]?[0-9](?:_?[0-9])*)?|[0-9](?:_?[0-9])*[eE][-+]?[0-9](?:_?[0-9])*/y;
/** All of Python's, so that what this language does not have can be named. `&&` and `||` are neither's. */
const OPERATOR = /\*\*|\/\/|<<|>>|<=|>=|==|!=|:=|->|\.\.\.|&&|\|\||[-+*/%@&|^~<>()[\]{},:.=;!?]/y;

/** The tokens of a source, with one of kind `end` last; a token of kind `error` is the last before it. Takes time in the length of the source. */
export function tokensOf(source: string): readonly Token[] {
  const tokens: Token[] = [];
  let at = 0;
  for (;;) {
    at += matchAt(BLANKS, source, at)?.length ?? 0;
    const token = at < source.length ? tokenAt(source, at) : null;
    if (token !== null) tokens.push(token);
    if (token === null || token.kind === 'error') break;
    at = token.end;
  }
  tokens.push({ kind: 'end', text: '', start: source.length, end: source.length });
  return tokens;
}

function tokenAt(source: string, at: number): Token {
  const name = matchAt(NAME, source, at);
  if (name !== null) {
    const quote = at + name.length;
    return isQuote(source.charAt(quote)) && STRING_PREFIX.test(name)
      ? stringAt(source, at, quote)
      : token('name', name, at);
  }
  if (isQuote(source.charAt(at))) return stringAt(source, at, at);
  const number = numberAt(source, at);
  if (number !== null) return number;
  const operator = matchAt(OPERATOR, source, at);
  if (operator !== null) return token('operator', operator, at);
  const character = String.fromCodePoint(source.codePointAt(at) ?? 0);
  return { kind: 'error', text: unknownCharacter(character), start: at, end: at + character.length };
}

/** An int of several digits that begins with 0 is one token, so that it can be told what is wrong with it. */
function numberAt(source: string, at: number): Token | null {
  const float = matchAt(FLOAT, source, at);
  const text = float ?? matchAt(INT, source, at);
  if (text === null) return null;
  const suffix = source.charAt(at + text.length);
  if (suffix === 'j' || suffix === 'J') return token('imaginary', text + suffix, at);
  return token(float === null ? 'int' : 'float', text, at);
}

function stringAt(source: string, start: number, quote: number): Token {
  const end = stringEnd(source, quote);
  if (end !== null) return token('string', source.slice(start, end), start);
  return { kind: 'error', text: 'Syntax error: Unterminated string', start, end: source.length };
}

/** What a sticky expression finds at a place; null for nothing. */
function matchAt(pattern: RegExp, source: string, at: number): string | null {
  pattern.lastIndex = at;
  return pattern.exec(source)?.[0] ?? null;
}

const token = (kind: TokenKind, text: string, start: number): Token => ({
  kind,
  text,
  start,
  end: start + text.length,
});

const isQuote = (character: string): boolean => character === "'" || character === '"';

const unknownCharacter = (character: string): string =>
  /[\p{C}\p{Z}\p{M}]/u.test(character)
    ? `Syntax error: Unexpected character U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
    : `Syntax error: Unexpected character '${character}'`;
