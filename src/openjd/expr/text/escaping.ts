import type { BeforeGrowth } from '../values/display.ts';

/** Units of text per chunk. */
const CHUNK = 4096;

/**
 * Returns a text between `opening` and `closing` with replacements for all matches of the pattern, which is global and
 * matches single characters. Calls `grow` with the length after each chunk, before the chunks are joined.
 */
export function escapedText(
  text: string,
  [open, close]: readonly [open: string, close: string],
  pattern: RegExp,
  escape: (character: string) => string,
  grow: BeforeGrowth,
): string {
  const pieces: string[] = [open];
  let units = open.length + close.length;
  for (let start = 0; start < text.length;) {
    const end = chunkEnd(text, start);
    const piece = text.slice(start, end).replace(pattern, escape);
    units += piece.length;
    grow(units);
    pieces.push(piece);
    start = end;
  }
  pieces.push(close);
  return pieces.join('');
}

/** Returns the end of a chunk that splits no surrogate pair. */
function chunkEnd(text: string, start: number): number {
  const end = start + CHUNK;
  const last = text.charCodeAt(end - 1);
  return end < text.length && last >= 0xd800 && last < 0xdc00 ? end + 1 : end;
}

/** Returns the hexadecimal digits of a code point, padded with zeros. */
export const hexOf = (code: number, width: number): string => code.toString(16).padStart(width, '0');
