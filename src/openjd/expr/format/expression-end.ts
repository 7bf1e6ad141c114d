import { stringEnd } from '../syntax/string-end.ts';

/**
 * Where the `}}` stands that closes an interpolation whose expression begins at `from`; -1 for nowhere. Braces in string literals do not count, nor
 * do those that the expression opens itself. Of an expression that is not whole (a quote or a brace of its own is open to the end) the first `}}`
 * is the end, so that the fault is found in the expression.
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
