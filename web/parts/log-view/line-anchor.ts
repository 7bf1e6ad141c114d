/** Lines that an address points at: `#L12`, `#L12-L20`. */

export interface LineRange {
  /** From 1, as people count. */
  readonly from: number;
  readonly to: number;
}

const HASH = /^#L([1-9][0-9]{0,9})(?:-L([1-9][0-9]{0,9}))?$/;

/** The lines of the hash of an address; null when it has none. */
export function linesOf(hash: string): LineRange | null {
  const match = HASH.exec(hash);
  if (match === null) return null;
  const first = Number(match[1]);
  const last = Number(match[2] ?? match[1]);
  return { from: Math.min(first, last), to: Math.max(first, last) };
}

export const hashOf = (lines: LineRange | null): string =>
  lines === null ? '' : lines.from === lines.to ? `#L${lines.from}` : `#L${lines.from}-L${lines.to}`;
