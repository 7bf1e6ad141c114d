import type { RowSource } from './column.ts';

/** The drawn rows in the order of an earlier moment. */
export interface FrozenRows<Row> {
  readonly first: number;
  readonly rows: readonly Row[];
  readonly total: number | null;
}

/** Rows searched above and below for a row that has moved. */
const SEARCHED = 100;

/** Captures the order of rows, both ends included. */
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
 * Returns the source in the captured order. A row shows its current values if it is still nearby, else the captured
 * ones. Positions outside the captured range show the rows of the source.
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
