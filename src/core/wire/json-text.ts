/** Result of a parser: the value, or why there is none. */
export type Parsed<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly reason: string };

export interface JsonTextLimits {
  /** Characters. */
  readonly length: number;
  /** Depth of nested brackets. */
  readonly nesting: number;
  /** Members of objects and elements of lists, of all levels together; any number if it is missing. */
  readonly members?: number;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPENING_BRACKETS = ['{', '['];

/**
 * Reports whether brackets are nested deeper than `limit`. Scans only the text and skips strings as a whole, so that it
 * is fast and no input can exhaust the stack (docs/dependency-hazards.md#d7-deep-or-large-documents).
 */
function isNestedDeeper(text: string, limit: number): boolean {
  if (!hasMore(text, OPENING_BRACKETS, limit)) return false;
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
 * Reports whether the characters occur more than `limit` times, inside strings or not. Most messages have few of them,
 * and finding them is fast.
 */
function hasMore(text: string, characters: readonly string[], limit: number): boolean {
  let left = limit;
  for (const character of characters) {
    for (let at = text.indexOf(character); at >= 0; at = text.indexOf(character, at + 1)) {
      left -= 1;
      if (left < 0) return true;
    }
  }
  return false;
}

/**
 * Reports whether the text has more than `limit` members and elements. Counts an opening bracket and each comma outside
 * of strings, which is at least their number.
 */
function hasMoreMembers(text: string, limit: number): boolean {
  if (!hasMore(text, [...OPENING_BRACKETS, ','], limit)) return false;
  let count = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === COMMA || code === 0x5b || code === 0x7b) {
      count += 1;
      if (count > limit) return true;
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
  if (limits.members !== undefined && hasMoreMembers(text, limits.members)) {
    return { ok: false, reason: `message: larger than ${limits.members} members and elements` };
  }
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch {
    return { ok: false, reason: 'message: not valid JSON' };
  }
}
