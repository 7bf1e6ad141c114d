/** Positions of the cells of a grid. All lengths are in CSS pixels. */
export interface GridLayout {
  readonly count: number;
  readonly columns: number;
  readonly rows: number;
  /** Distance from cell to cell. */
  readonly pitch: number;
  /** Edge of the drawn square. */
  readonly size: number;
  /** Width of the names of the rows, at the left. */
  readonly gutter: number;
  readonly height: number;
}

/** The pitches to choose from. */
export const ZOOMS = [4, 6, 9, 13, 18, 26, 38] as const;
export const GUTTER = 60;

/** Round numbers of columns. */
const ROUND_COLUMNS = [1000, 500, 400, 300, 250, 200, 150, 120, 100, 80, 60, 50, 40, 30, 25, 20, 10, 5];

/** Returns the index of the largest zoom at which `count` cells fit the height. The very largest is for a single row. */
export function fittingZoom(count: number, width: number, height: number): number {
  const largest = ZOOMS.length - 1;
  if (layoutOf(count, width, Math.max(...ZOOMS)).rows <= 1) return largest;
  const fitting = ZOOMS.filter((pitch) => layoutOf(count, width, pitch).height <= height);
  const best = Math.max(0, ...fitting.map((pitch) => ZOOMS.indexOf(pitch)));
  return Math.min(best, largest - 1);
}

/** Returns the layout of `count` cells in a width. It has a round number of columns, so that rows begin at round indices. */
export function layoutOf(count: number, width: number, pitch: number): GridLayout {
  const room = Math.max(1, Math.floor((width - GUTTER) / pitch));
  const columns = Math.min(Math.max(1, count), ROUND_COLUMNS.find((round) => round <= room) ?? room);
  const rows = Math.ceil(count / columns);
  return {
    count,
    columns,
    rows,
    pitch,
    size: pitch <= 6 ? pitch - 1 : pitch - 2,
    gutter: GUTTER,
    height: rows * pitch,
  };
}

/** Returns the index of the cell under a point; null for none. */
export function indexAt({ gutter, pitch, columns, count }: GridLayout, x: number, y: number): number | null {
  const column = Math.floor((x - gutter) / pitch);
  const row = Math.floor(y / pitch);
  if (column < 0 || column >= columns || row < 0) return null;
  const index = row * columns + column;
  return index < count ? index : null;
}

/** Returns the upper left corner of a cell. */
export const cornerOf = (
  { gutter, pitch, columns }: GridLayout,
  index: number,
): { readonly x: number; readonly y: number } => ({
  x: gutter + (index % columns) * pitch,
  y: Math.floor(index / columns) * pitch,
});

/** Returns the index that a key moves to; null for any other key. `page` is the number of visible rows. */
export function moveCursor(
  { columns, count }: Pick<GridLayout, 'columns' | 'count'>,
  index: number,
  key: string,
  page: number,
): number | null {
  const to = moves(columns, count, index, page)[key];
  return to === undefined ? null : Math.min(count - 1, Math.max(0, to));
}

function moves(
  columns: number,
  count: number,
  index: number,
  page: number,
): Readonly<Record<string, number>> {
  const below = index + columns;
  return {
    ArrowRight: index + 1,
    ArrowLeft: index - 1,
    ArrowDown: below < count ? below : index,
    ArrowUp: index >= columns ? index - columns : index,
    PageDown: index + columns * Math.max(1, page - 1),
    PageUp: index - columns * Math.max(1, page - 1),
    Home: 0,
    End: count - 1,
  };
}
