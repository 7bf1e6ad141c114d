/** Strings count in Unicode code points: a surrogate pair is one, and so is a surrogate alone. */

const SURROGATE = /[\ud800-\udfff]/;

/** Whether offsets of UTF-16 units and positions of code points may differ. */
export const hasSurrogates = (text: string): boolean => SURROGATE.test(text);

/** The number of code points. */
export const lengthOf = (text: string): number =>
  hasSurrogates(text) ? pointsBefore(text, text.length) : text.length;

/** The position of the code point that begins at a UTF-16 offset. */
export const positionAt = (text: string, offset: number): number =>
  hasSurrogates(text) ? pointsBefore(text, offset) : offset;

function pointsBefore(text: string, end: number): number {
  let count = 0;
  for (let offset = 0; offset < end; offset += widthAt(text, offset)) count += 1;
  return count;
}

/** The UTF-16 offset where the code point at a position begins; the length of the text for a position beyond. */
export function offsetAt(text: string, position: number): number {
  if (!hasSurrogates(text)) return Math.min(position, text.length);
  let offset = 0;
  for (let left = position; left > 0 && offset < text.length; left--) offset += widthAt(text, offset);
  return offset;
}

/** The UTF-16 units of the code point that begins at an offset. */
export function widthAt(text: string, offset: number): 1 | 2 {
  const high = text.charCodeAt(offset);
  return high >= 0xd800 && high < 0xdc00 && isLow(text.charCodeAt(offset + 1)) ? 2 : 1;
}

/** The UTF-16 units of the code point that ends before an offset. */
export function widthBefore(text: string, offset: number): 1 | 2 {
  if (offset < 2 || !isLow(text.charCodeAt(offset - 1))) return 1;
  const high = text.charCodeAt(offset - 2);
  return high >= 0xd800 && high < 0xdc00 ? 2 : 1;
}

const isLow = (unit: number): boolean => unit >= 0xdc00 && unit < 0xe000;
