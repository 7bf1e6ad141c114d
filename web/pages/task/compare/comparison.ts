import { alignLines, type AlignedRow } from '../../../../src/core/text-diff/align-lines.ts';
import type { DiffLine } from '../../../../src/core/text-diff/line-diff.ts';
import { lineAt, shownLine, type ReadableLog } from '../../../parts/log-view/log-text.ts';

/** Lines of each log that are compared; the rest of longer logs is left out. */
export const COMPARED_LINES_MAX = 50_000;

/** Numbers of the compared attempts. */
export interface Pair {
  readonly left: number;
  readonly right: number;
}

/** Differences that are not shown. */
export interface Ignored {
  readonly times: boolean;
  readonly numbers: boolean;
}

export interface Comparison {
  readonly left: readonly string[];
  readonly right: readonly string[];
  readonly rows: readonly AlignedRow[];
  /** True if a log has more lines than are compared. */
  readonly isCut: boolean;
}

/** Dates, times of day, and both together. */
const TIMES =
  /\b\d{4}[-/]\d{2}[-/]\d{2}(?:[T ]\d{2}:\d{2}:\d{2}(?:[.,]\d+)?(?:Z|[+-]\d{2}:?\d{2})?)?|\b\d{1,2}:\d{2}:\d{2}(?:[.,]\d+)?/g;
const NUMBERS = /0x[0-9a-fA-F]+|\d+(?:[.,]\d+)*/g;

/** Returns the text by which a line is compared. */
export function comparedText(line: string, { times, numbers }: Ignored): string {
  const timeless = times ? line.replaceAll(TIMES, '<time>') : line;
  return numbers ? timeless.replaceAll(NUMBERS, '<number>') : timeless;
}

/** Returns the first lines of a log as they are shown. */
export function linesToCompare(log: ReadableLog): readonly string[] {
  const blocks = log.blocks();
  const lines: string[] = [];
  for (let index = 0; index < COMPARED_LINES_MAX; index++) {
    const line = lineAt(log, blocks, index);
    if (line === null) break;
    lines.push(shownLine(line.raw));
  }
  return lines;
}

export function compareLines(
  left: readonly string[],
  right: readonly string[],
  ignored: Ignored,
): Comparison {
  const textsOf = (lines: readonly string[]): readonly string[] =>
    lines.map((line) => comparedText(line, ignored));
  return {
    left,
    right,
    rows: alignLines(textsOf(left), textsOf(right)),
    isCut: left.length === COMPARED_LINES_MAX || right.length === COMPARED_LINES_MAX,
  };
}

/** A row of a comparison, or equal lines that are hidden. */
export type ShownRow = AlignedRow | { readonly kind: 'hidden'; readonly count: number };

const CONTEXT = 3;

/** Returns the rows to show: all, or those near differences. */
export function shownRows(rows: readonly AlignedRow[], hidesEqual: boolean): readonly ShownRow[] {
  if (!hidesEqual) return rows;
  const isNear = rows.map(() => false);
  for (const [at, { kind }] of rows.entries())
    if (kind !== 'same') isNear.fill(true, Math.max(0, at - CONTEXT), at + CONTEXT + 1);
  const shown: ShownRow[] = [];
  let hidden = 0;
  const flush = (): void => {
    if (hidden > 0) shown.push({ kind: 'hidden', count: hidden });
    hidden = 0;
  };
  for (const [at, row] of rows.entries()) {
    if (isNear[at] !== true) {
      hidden++;
      continue;
    }
    flush();
    shown.push(row);
  }
  flush();
  return shown;
}

/** Returns the indexes of the first rows of the differences. */
export function differencesOf(rows: readonly ShownRow[]): readonly number[] {
  const starts: number[] = [];
  let isInside = false;
  for (const [at, { kind }] of rows.entries()) {
    const isDifferent = kind !== 'same' && kind !== 'hidden';
    if (isDifferent && !isInside) starts.push(at);
    isInside = isDifferent;
  }
  return starts;
}

/** Returns the comparison as one list of lines, for `diffHunks`. */
export function asLines({ left, right, rows }: Comparison): readonly DiffLine[] {
  const lines: DiffLine[] = [];
  const added: DiffLine[] = [];
  const flush = (): void => void lines.push(...added.splice(0));
  for (const { kind, left: atLeft, right: atRight } of rows) {
    if (kind === 'same') flush();
    if (atLeft !== null) lines.push({ kind: kind === 'same' ? 'same' : 'removed', text: left[atLeft] ?? '' });
    if (kind !== 'same' && atRight !== null) added.push({ kind: 'added', text: right[atRight] ?? '' });
  }
  flush();
  return lines;
}
