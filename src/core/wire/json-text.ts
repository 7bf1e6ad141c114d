/** Result of a parser: the value, or why there is none. */
export type Parsed<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly reason: string };

export interface JsonTextLimits {
  /** Characters. */
  readonly length: number;
  /** Depth of nested brackets. */
  readonly nesting: number;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * Reports whether brackets are nested deeper than `limit`. Scans only the text and skips strings as a whole, so that it
 * is fast and no input can exhaust the stack (docs/dependency-hazards.md#d7-deep-or-large-documents).
 */
function isNestedDeeper(text: string, limit: number): boolean {
  if (!hasMoreBrackets(text, limit)) return false;
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = endOfString(text, at);
    } else if (code === 0x5b || code === 0x7b) {
      depth += 1;
      if (depth > limit) return true;
    } else if (code === 0x5d || code === 0x7d) {
      depth -= 1;
    }
  }
  return false;
}

/**
 * Reports whether there are more than `limit` opening brackets, inside strings or not. Most messages have few, and
 * finding them is fast.
 */
function hasMoreBrackets(text: string, limit: number): boolean {
  let left = limit;
  for (const bracket of ['{', '[']) {
    for (let at = text.indexOf(bracket); at >= 0; at = text.indexOf(bracket, at + 1)) {
      left -= 1;
      if (left < 0) return true;
    }
  }
  return false;
}

/** Returns the index at which the string that opens at `start` closes, or the end of the text. */
function endOfString(text: string, start: number): number {
  let end = start;
  for (;;) {
    end = text.indexOf('"', end + 1);
    if (end === -1) return text.length;
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return end;
  }
}

/** Parses JSON text within limits. Never throws. */
export function parseJsonText(text: string, limits: JsonTextLimits): Parsed<unknown> {
  if (text.length > limits.length) {
    return { ok: false, reason: `message: longer than ${limits.length} characters` };
  }
  if (isNestedDeeper(text, limits.nesting)) {
    return { ok: false, reason: `message: nested deeper than ${limits.nesting} levels` };
  }
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch {
    return { ok: false, reason: 'message: not valid JSON' };
  }
}
