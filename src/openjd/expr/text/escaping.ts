import type { BeforeGrowth } from '../values/display.ts';

/** Units of a text that are escaped together. */
const CHUNK = 4096;

/**
 * A text between an opening and a closing, with what the pattern finds replaced; the pattern is global and finds single characters. `grow` is told of the
 * length chunk by chunk, before the whole is put together.
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

/** Where a chunk ends that parts no surrogate pair. */
function chunkEnd(text: string, start: number): number {
  const end = start + CHUNK;
  const last = text.charCodeAt(end - 1);
  return end < text.length && last >= 0xd800 && last < 0xdc00 ? end + 1 : end;
}

/** The digits of a code point in base 16, with zeros up to a width. */
export const hexOf = (code: number, width: number): string => code.toString(16).padStart(width, '0');
