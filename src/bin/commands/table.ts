import { coloredStatus, printable, type Terminal } from './terminal.ts';

export interface Column<Row> {
  readonly title: string;
  readonly value: (row: Row) => string;
  readonly align?: 'right';
  /** May be cut when the terminal is too narrow; the widest such column is cut first. */
  readonly shrinks?: boolean;
  readonly isStatus?: boolean;
}

const GAP = '  ';
const SHRUNK_MIN = 8;

const cut = (text: string, width: number): string => {
  const characters = [...text];
  return characters.length <= width ? text : `${characters.slice(0, width - 1).join('')}…`;
};

const padded = (text: string, width: number, right: boolean): string => {
  const blanks = ' '.repeat(Math.max(0, width - [...text].length));
  return right ? blanks + text : text + blanks;
};

/** The widths of columns whose content has the given widths, cut to fit where columns allow it. */
function fittedWidths(
  natural: readonly number[],
  shrinks: readonly boolean[],
  columns: number | null,
): number[] {
  const widths = [...natural];
  if (columns === null) return widths;
  const gaps = GAP.length * (widths.length - 1);
  for (let excess = widths.reduce((sum, width) => sum + width, gaps) - columns; excess > 0; excess--) {
    let widest = -1;
    for (const [at, width] of widths.entries()) {
      if (shrinks[at] === true && width > SHRUNK_MIN && width > (widths[widest] ?? 0)) widest = at;
    }
    const width = widths[widest];
    if (width === undefined) break;
    widths[widest] = width - 1;
  }
  return widths;
}

/** Rows under their titles, each line ended. A terminal too narrow for all cuts the columns that may shrink. */
export function table<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  terminal: Terminal,
): string {
  const cells = rows.map((row) => columns.map((column) => printable(column.value(row))));
  const natural = columns.map((column, at) =>
    cells.reduce((widest, row) => Math.max(widest, [...(row[at] ?? '')].length), column.title.length),
  );
  const widths = fittedWidths(
    natural,
    columns.map((column) => column.shrinks === true),
    terminal.columns,
  );
  const line = (texts: readonly string[], paint: boolean): string =>
    columns
      .map((column, at) => {
        const width = widths[at] ?? 0;
        const text = padded(cut(texts[at] ?? '', width), width, column.align === 'right');
        return paint && column.isStatus === true ? coloredStatus(text, terminal) : text;
      })
      .join(GAP)
      .trimEnd();
  const titles = columns.map((column) => column.title);
  return [line(titles, false), ...cells.map((row) => line(row, true))].map((text) => `${text}\n`).join('');
}
