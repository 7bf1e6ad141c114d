import type { Span } from './ansi.ts';

/** Part of a line with one style, inside or outside a match. */
export interface LinePiece extends Span {
  /** Number of the match; null outside matches. */
  readonly found: number | null;
}

export interface FoundRange {
  readonly number: number;
  readonly start: number;
  readonly end: number;
}

/** Splits the first `max` characters of a line at matches. `ranges` are sorted and do not overlap. */
export function piecesOf(
  spans: readonly Span[],
  ranges: readonly FoundRange[],
  max: number,
): readonly LinePiece[] {
  const pieces: LinePiece[] = [];
  let offset = 0;
  let next = 0;
  for (const span of spans) {
    const end = Math.min(offset + span.text.length, max);
    for (let at = offset; at < end;) {
      while ((ranges[next]?.end ?? Infinity) <= at) next++;
      const range = ranges[next];
      const isFound = range !== undefined && range.start <= at;
      const to = Math.min(end, isFound ? range.end : (range?.start ?? end));
      pieces.push({
        ...span,
        text: span.text.slice(at - offset, to - offset),
        found: isFound ? range.number : null,
      });
      at = to;
    }
    offset += span.text.length;
    if (offset >= max) break;
  }
  return pieces;
}
