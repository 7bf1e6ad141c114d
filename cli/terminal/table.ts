import { coloredStatus, oneLine, type Terminal } from './terminal.ts';
import { cutText, padText, textWidth } from './text-width.ts';

export interface Column<Row> {
  readonly title: string;
  readonly value: (row: Row) => string;
  readonly align?: 'right';
  /** May be cut if the terminal is too narrow. The widest such column is cut first, after ids. */
  readonly shrinks?: boolean;
  /** If the terminal is too narrow, ids are cut first, to a length that commands still accept. */
  readonly isId?: boolean;
  readonly isStatus?: boolean;
  /** The value is a time as RFC 3339, or a word such as `never`. A list shows it as an age, and exactly with `-o wide`. */
  readonly isTime?: boolean;
  /** A list shows the column with `-o wide` only. */
  readonly isWide?: boolean;
}

const GAP = '  ';
const SHRUNK_MIN = 8;
/** Ids begin with their time: prefixes of this length are rarely equal. */
const ID_MIN = 18;

const excessOf = (widths: readonly number[], columns: number): number =>
  widths.reduce((sum, width) => sum + width, GAP.length * (widths.length - 1)) - columns;

/** Narrows the widest column that has more than `least` until all columns fit. */
function shrink(widths: number[], mayShrink: readonly boolean[], least: number, columns: number): void {
  for (let excess = excessOf(widths, columns); excess > 0; excess--) {
    let widest = -1;
    for (const [at, width] of widths.entries()) {
      if (mayShrink[at] === true && width > least && width > (widths[widest] ?? 0)) widest = at;
    }
    const width = widths[widest];
    if (width === undefined) return;
    widths[widest] = width - 1;
  }
}

/** Returns widths at which columns with content of the given widths fit. May omit columns at the right. */
function fittedWidths(
  natural: readonly number[],
  columns: readonly Column<never>[],
  available: number,
): number[] {
  const widths = [...natural];
  shrink(
    widths,
    columns.map(({ isId }) => isId === true),
    ID_MIN,
    available,
  );
  shrink(
    widths,
    columns.map(({ shrinks }) => shrinks === true),
    SHRUNK_MIN,
    available,
  );
  while (widths.length > 1 && excessOf(widths, available) > 0) widths.pop();
  return widths.map((width) => Math.min(width, available));
}

/**
 * Formats rows under their titles, each line with a line feed. Cuts or omits what does not fit a terminal; never wraps.
 */
export function table<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  terminal: Terminal,
): string {
  const cells = rows.map((row) => columns.map((column) => oneLine(column.value(row))));
  const natural = columns.map((column, at) =>
    cells.reduce((widest, row) => Math.max(widest, textWidth(row[at] ?? '')), column.title.length),
  );
  const widths = terminal.columns === null ? natural : fittedWidths(natural, columns, terminal.columns);
  const line = (texts: readonly string[], paint: boolean): string =>
    columns
      .slice(0, widths.length)
      .map((column, at) => {
        const width = widths[at] ?? 0;
        const cut = cutText(texts[at] ?? '', width, column.isId === true ? '' : '…');
        const text = padText(cut, width, column.align);
        return paint && column.isStatus === true ? coloredStatus(text, terminal) : text;
      })
      .join(GAP)
      .trimEnd();
  const titles = columns.map((column) => column.title);
  return [line(titles, false), ...cells.map((row) => line(row, true))].map((text) => `${text}\n`).join('');
}
