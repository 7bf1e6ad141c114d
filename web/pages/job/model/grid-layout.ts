/** How the cells of a grid stand on the screen. All lengths are CSS pixels. */
export interface GridLayout {
  readonly count: number;
  readonly columns: number;
  readonly rows: number;
  /** From cell to cell. */
  readonly pitch: number;
  /** Of the drawn square. */
  readonly size: number;
  /** Room for the names of rows at the left. */
  readonly gutter: number;
  readonly height: number;
}

/** Sizes that cells may have, from cell to cell. */
export const ZOOMS = [4, 6, 9, 13, 18, 26, 38] as const;
export const GUTTER = 60;

/** Columns people count in. */
const ROUND_COLUMNS = [1000, 500, 400, 300, 250, 200, 150, 120, 100, 80, 60, 50, 40, 30, 25, 20, 10, 5];

/** The zoom at which so many cells fill the width in about the height, between what can be pointed at and what looks good. */
export function fittingZoom(count: number, width: number, height: number): number {
  const fitting = ZOOMS.filter((pitch) => layoutOf(count, width, pitch).height <= height);
  const best = Math.max(0, ...fitting.map((pitch) => ZOOMS.indexOf(pitch)));
  return Math.min(best, ZOOMS.length - 2);
}

/** The grid of `count` cells in a width, with a round number of columns so that rows begin at round places. */
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

/** The place of the cell under a point; null when there is none. */
export function indexAt({ gutter, pitch, columns, count }: GridLayout, x: number, y: number): number | null {
  const column = Math.floor((x - gutter) / pitch);
  const row = Math.floor(y / pitch);
  if (column < 0 || column >= columns || row < 0) return null;
  const place = row * columns + column;
  return place < count ? place : null;
}

/** Where the cell of a place begins. */
export const cornerOf = (
  { gutter, pitch, columns }: GridLayout,
  place: number,
): { readonly x: number; readonly y: number } => ({
  x: gutter + (place % columns) * pitch,
  y: Math.floor(place / columns) * pitch,
});

/** The place that a key moves to; null when the key does not move. `page` is how many rows fit on the screen. */
export function moveCursor(
  { columns, count }: Pick<GridLayout, 'columns' | 'count'>,
  place: number,
  key: string,
  page: number,
): number | null {
  const to = moves(columns, count, place, page)[key];
  return to === undefined ? null : Math.min(count - 1, Math.max(0, to));
}

function moves(
  columns: number,
  count: number,
  place: number,
  page: number,
): Readonly<Record<string, number>> {
  const below = place + columns;
  return {
    ArrowRight: place + 1,
    ArrowLeft: place - 1,
    ArrowDown: below < count ? below : place,
    ArrowUp: place >= columns ? place - columns : place,
    PageDown: place + columns * Math.max(1, page - 1),
    PageUp: place - columns * Math.max(1, page - 1),
    Home: 0,
    End: count - 1,
  };
}
