import { stringEnd } from '../syntax/string-end.ts';

/**
 * Returns the offset of the `}}` that closes an interpolation whose expression begins at `from`, or -1.
 *
 * Braces in string literals and braces opened by the expression itself do not count. In an incomplete expression (an
 * unclosed quote or brace) the first `}}` is the end, so that the error is found in the expression.
 */
export function expressionEnd(text: string, from: number): number {
  const first = text.indexOf('}}', from);
  if (first === -1) return -1;
  let depth = 0;
  let at = from;
  while (at < text.length) {
    const character = text.charAt(at);
    if (character === "'" || character === '"') {
      const end = stringEnd(text, at);
      if (end === null) return first;
      at = end;
      continue;
    }
    if (character === '{') depth += 1;
    else if (character === '}') {
      if (depth > 0) depth -= 1;
      else if (text.startsWith('}}', at)) return at;
    }
    at += 1;
  }
  return first;
}
