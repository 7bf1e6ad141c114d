import type { RowSource } from './column.ts';

/** The rows in the order that they had at a moment, as far as they were drawn then. */
export interface FrozenRows<Row> {
  readonly first: number;
  readonly rows: readonly Row[];
  readonly total: number | null;
}

/** How far a row may have moved and still be found, in rows. */
const SEARCHED = 100;

/** Keeps the order of the rows that are drawn, both ends included. */
export function frozenRows<Row>(source: RowSource<Row>, first: number, last: number): FrozenRows<Row> {
  const rows: Row[] = [];
  for (let index = first; index <= last; index += 1) {
    const row = source.row(index);
    if (row === undefined) break;
    rows.push(row);
  }
  return { first, rows, total: source.total };
}

/**
 * The source with the order of a moment ago. A row shows what it has become if it is still near its place, else what it was; places that
 * were not drawn are those of the source.
 */
export function withFrozenOrder<Row>(
  source: RowSource<Row>,
  frozen: FrozenRows<Row> | null,
  rowId: (row: Row) => string,
): RowSource<Row> {
  if (frozen === null || frozen.rows.length === 0) return source;
  const end = frozen.first + frozen.rows.length;
  const now = new Map<string, Row>();
  for (let index = Math.max(0, frozen.first - SEARCHED); index < end + SEARCHED; index += 1) {
    const row = source.row(index);
    if (row !== undefined) now.set(rowId(row), row);
  }
  return {
    ...source,
    total: frozen.total,
    row: (index) => {
      const then = frozen.rows[index - frozen.first];
      return then === undefined ? source.row(index) : (now.get(rowId(then)) ?? then);
    },
  };
}
