/** String positions count Unicode code points: a surrogate pair is one, and so is an unpaired surrogate. */

const SURROGATE = /[\ud800-\udfff]/;

/** Reports whether UTF-16 offsets and code point positions may differ. */
export const hasSurrogates = (text: string): boolean => SURROGATE.test(text);

/** Returns the number of code points. */
export const lengthOf = (text: string): number =>
  hasSurrogates(text) ? pointsBefore(text, text.length) : text.length;

/** Returns the position of the code point at a UTF-16 offset. */
export const positionAt = (text: string, offset: number): number =>
  hasSurrogates(text) ? pointsBefore(text, offset) : offset;

function pointsBefore(text: string, end: number): number {
  let count = 0;
  for (let offset = 0; offset < end; offset += widthAt(text, offset)) count += 1;
  return count;
}

/**
 * Returns the UTF-16 offset of the code point at a position, or the length of the text if the position is beyond it.
 */
export function offsetAt(text: string, position: number): number {
  if (!hasSurrogates(text)) return Math.min(position, text.length);
  let offset = 0;
  for (let left = position; left > 0 && offset < text.length; left--) offset += widthAt(text, offset);
  return offset;
}

/** Returns the number of UTF-16 units of the code point at an offset. */
export function widthAt(text: string, offset: number): 1 | 2 {
  const high = text.charCodeAt(offset);
  return high >= 0xd800 && high < 0xdc00 && isLow(text.charCodeAt(offset + 1)) ? 2 : 1;
}

/** Returns the number of UTF-16 units of the code point that ends before an offset. */
export function widthBefore(text: string, offset: number): 1 | 2 {
  if (offset < 2 || !isLow(text.charCodeAt(offset - 1))) return 1;
  const high = text.charCodeAt(offset - 2);
  return high >= 0xd800 && high < 0xdc00 ? 2 : 1;
}

const isLow = (unit: number): boolean => unit >= 0xdc00 && unit < 0xe000;
