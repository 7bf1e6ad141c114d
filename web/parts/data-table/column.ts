import type { ReactNode } from 'react';

/** A column of a table. */
export interface Column<Row> {
  readonly id: string;
  readonly header: string;
  readonly cell: (row: Row) => ReactNode;
  /** Text of the cell, shown as a tooltip. */
  readonly text?: (row: Row) => string;
  /** Default width in pixels. */
  readonly size?: number;
  /** In pixels. */
  readonly minSize?: number;
  /** Takes the remaining width. */
  readonly grow?: boolean;
  /** Sort key of the list for this column. Without it, the list cannot be sorted by the column. */
  readonly sortKey?: string;
  readonly align?: 'start' | 'end';
  readonly hiddenAtFirst?: boolean;
  /** True if the column cannot be hidden. */
  readonly isFixed?: boolean;
  /** Position on a card: first line, full line, value only, value with its label (default), or hidden. */
  readonly card?: 'title' | 'line' | 'plain' | 'meta' | 'hidden';
}

export interface Sort {
  readonly key: string;
  readonly dir: 'asc' | 'desc';
}

/** Rows of a list. Rows may be loaded on demand. */
export interface RowSource<Row> {
  /** Null until it is known. */
  readonly total: number | null;
  /** True while the rows of the previous list are shown until the new ones arrive. */
  readonly isPrevious?: boolean;
  readonly isFetching: boolean;
  readonly error: unknown;
  /** Returns a row; undefined if it is not loaded. */
  row(index: number): Row | undefined;
  /** Reports the rows in view, both ends included. */
  need(first: number, last: number): void;
  /** Loads rows for a selection, both ends included. Missing if all rows are loaded. */
  load?(first: number, last: number): Promise<void>;
  /** Repeats the request after an error. */
  retry?(): void;
}

/** Default minimum width of a column in pixels. */
export const MIN_COLUMN_SIZE = 56;
/** Default width of a column in pixels. */
export const COLUMN_SIZE = 140;

/** Wraps an array of rows, all of them loaded. */
export function rowsOf<Row>(
  rows: readonly Row[] | undefined,
  state: { readonly isFetching?: boolean; readonly error?: unknown; readonly retry?: () => void } = {},
): RowSource<Row> {
  return {
    total: rows?.length ?? null,
    isFetching: state.isFetching ?? false,
    error: state.error ?? null,
    row: (index) => rows?.[index],
    need: () => undefined,
    ...(state.retry === undefined ? {} : { retry: state.retry }),
  };
}

/** Returns the loaded rows in the order of the list. */
export function loadedRows<Row>(rows: RowSource<Row>): readonly Row[] {
  const loaded: Row[] = [];
  for (let index = 0; index < (rows.total ?? 0); index += 1) {
    const row = rows.row(index);
    if (row !== undefined) loaded.push(row);
  }
  return loaded;
}
