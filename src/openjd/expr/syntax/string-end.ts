/** Letters that begin a string literal before a quote in Python, whether this language has them or not. */
export const STRING_PREFIX = /^(?:[rubft]|br|rb|fr|rf|tr|rt)$/i;

/**
 * Returns the offset after the closing quote of the string literal that opens at `quote`, or null if it is not closed.
 * A backslash escapes the next character, in raw strings too.
 */
export function stringEnd(source: string, quote: number): number | null {
  const mark = source.charAt(quote);
  const closing = source.startsWith(mark.repeat(3), quote) ? mark.repeat(3) : mark;
  let at = quote + closing.length;
  while (at < source.length) {
    const character = source.charAt(at);
    if (character === '\\') at += source.startsWith('\r\n', at + 1) ? 3 : 2;
    else if (character === mark && source.startsWith(closing, at)) return at + closing.length;
    else if (closing.length === 1 && (character === '\n' || character === '\r')) return null;
    else at += 1;
  }
  return null;
}
