import { STRING_PREFIX, stringEnd } from './string-end.ts';
import type { Token, TokenKind } from './token.ts';

/** Newlines are blanks: an expression is parsed as if it were in parentheses (section 1.1.7). */
const BLANKS = /(?:[ \t\r\n\f]+|\\\r?\n)*/y;
const NAME = /[A-Za-z_][A-Za-z0-9_]*/y;
const INT = /0[xX](?:_?[0-9a-fA-F])+|0[oO](?:_?[0-7])+|0[bB](?:_?[01])+|[0-9](?:_?[0-9])*/y;
const FLOAT =
  /(?:(?:[0-9](?:_?[0-9])*)?\.[0-9](?:_?[0-9])*|[0-9](?:_?[0-9])*\.)(?:[eE][-+]?[0-9](?:_?[0-9])*)?|[0-9](?:_?[0-9])*[eE][-+]?[0-9](?:_?[0-9])*/y;
/**
 * All operators of Python, so that errors can name those that this language does not have. `&&` and `||` belong to
 * neither.
 */
const OPERATOR = /\*\*|\/\/|<<|>>|<=|>=|==|!=|:=|->|\.\.\.|&&|\|\||[-+*/%@&|^~<>()[\]{},:.=;!?]/y;

/**
 * Returns the token at an offset or after the blanks there; a token of kind `end` at the end. Takes time linear in the
 * skipped and read text.
 */
export function tokenFrom(source: string, from: number): Token {
  const start = from + (matchAt(BLANKS, source, from) ?? '').length;
  const first = source.charAt(start);
  if (first === '') return { kind: 'end', text: '', start, end: start };
  if (/[A-Za-z_]/.test(first)) return wordAt(source, start);
  if (first === "'" || first === '"') return stringAt(source, start, start);
  if (/[0-9.]/.test(first)) {
    const number = numberAt(source, start);
    if (number !== null) return number;
  }
  const operator = matchAt(OPERATOR, source, start);
  if (operator !== null) return token('operator', operator, start);
  const character = String.fromCodePoint(source.codePointAt(start) ?? 0);
  return { kind: 'error', text: unknownCharacter(character), start, end: start + character.length };
}

function wordAt(source: string, start: number): Token {
  const name = matchAt(NAME, source, start) ?? '';
  const quote = start + name.length;
  const after = source.charAt(quote);
  return (after === "'" || after === '"') && STRING_PREFIX.test(name)
    ? stringAt(source, start, quote)
    : token('name', name, start);
}

function numberAt(source: string, start: number): Token | null {
  const float = matchAt(FLOAT, source, start);
  const text = float ?? matchAt(INT, source, start);
  if (text === null) return null;
  const suffix = source.charAt(start + text.length);
  if (suffix === 'j' || suffix === 'J') return token('imaginary', text + suffix, start);
  return token(float === null ? 'int' : 'float', text, start);
}

function stringAt(source: string, start: number, quote: number): Token {
  const end = stringEnd(source, quote);
  if (end !== null) return token('string', source.slice(start, end), start);
  return { kind: 'error', text: 'Syntax error: Unterminated string', start, end: source.trimEnd().length };
}

/** Returns the match of a sticky expression at an offset; null if there is none. */
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

/** Characters that are not visible in a message are shown by their code point. */
const unknownCharacter = (character: string): string =>
  /[\p{C}\p{Z}\p{M}]/u.test(character)
    ? `Syntax error: Unexpected character U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
    : `Syntax error: Unexpected character '${character}'`;
