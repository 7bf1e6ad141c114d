/** Range of lines in the address of a page: `#L12`, `#L12-L20`. */

export interface LineRange {
  /** Line number from 1. */
  readonly from: number;
  readonly to: number;
}

const HASH = /^#L([1-9][0-9]{0,9})(?:-L([1-9][0-9]{0,9}))?$/;

/** Parses the hash of an address; null if it names no lines. */
export function linesOf(hash: string): LineRange | null {
  const match = HASH.exec(hash);
  if (match === null) return null;
  const first = Number(match[1]);
  const last = Number(match[2] ?? match[1]);
  return { from: Math.min(first, last), to: Math.max(first, last) };
}

export const hashOf = (lines: LineRange | null): string =>
  lines === null ? '' : lines.from === lines.to ? `#L${lines.from}` : `#L${lines.from}-L${lines.to}`;
