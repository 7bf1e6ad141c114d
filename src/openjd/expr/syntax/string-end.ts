/** Letters before a quote that make it the beginning of a string literal in Python, whether this language has them or not. */
export const STRING_PREFIX = /^(?:[rubft]|br|rb|fr|rf|tr|rt)$/i;

/**
 * Where the string literal ends whose opening quote stands at `quote`: the offset after its closing quote, or null when it has none. A backslash
 * takes the character after it along, in raw strings too.
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
