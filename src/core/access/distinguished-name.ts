import { comparableName } from './directory-input.ts';
import { unescapeLdap } from './escaped-bytes.ts';

/** Longer names are not compared: no directory has them. */
const DN_LENGTH_MAX = 8_192;

const ATTRIBUTE = /^(?:[A-Za-z][A-Za-z0-9-]*|[0-9]+(?:\.[0-9]+)+)$/;

/**
 * Returns a distinguished name in one spelling (RFC 4514): two names are equal if their results are equal. Case, spaces
 * around and runs of spaces within names and values, the order in a multi-valued part and the way of escaping do not
 * count. Returns null if the text is not a distinguished name; the empty name is none.
 */
export function normalDn(text: string): string | null {
  if (text.length > DN_LENGTH_MAX) return null;
  const parts: string[][] = [];
  for (const part of splitUnescaped(text, ',;')) {
    const pairs: string[] = [];
    for (const pair of splitUnescaped(part, '+')) {
      const normal = normalPair(pair);
      if (normal === null) return null;
      pairs.push(normal);
    }
    parts.push(pairs.sort());
  }
  return JSON.stringify(parts);
}

/** Splits at separators that are neither escaped nor in quotes. */
function splitUnescaped(text: string, separators: string): string[] {
  const pieces: string[] = [];
  let piece = '';
  let isQuoted = false;
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at);
    if (character === '\\') {
      piece += character + text.charAt(at + 1);
      at++;
    } else if (!isQuoted && separators.includes(character)) {
      pieces.push(piece);
      piece = '';
    } else {
      if (character === '"') isQuoted = !isQuoted;
      piece += character;
    }
  }
  pieces.push(piece);
  return pieces;
}

/** Returns `name=value` in one spelling. */
function normalPair(text: string): string | null {
  const equals = text.indexOf('=');
  const name = text.slice(0, Math.max(equals, 0)).trim();
  if (!ATTRIBUTE.test(name)) return null;
  const given = text.slice(equals + 1).trimStart();
  // The BER encoding of a value in hexadecimal digits: compared as it is, and different from the same characters.
  if (given.startsWith('#'))
    return /^#(?:[0-9A-Fa-f]{2})+\s*$/.test(given) ? `${name}:${given.trim()}`.toLowerCase() : null;
  const quoted = /^"((?:[^"\\]|\\.)*)"\s*$/su.exec(given)?.[1];
  if (quoted === undefined && /^(?:[^\\]|\\.)*?"/su.test(given)) return null;
  const value = unescapeLdap(quoted ?? given, 'others');
  if (value === null) return null;
  const normal = comparableName(value);
  return normal === '' ? null : `${name.toLowerCase()}=${normal}`;
}
