import type { ReactNode } from 'react';

/** A column of a table: what it is called, how wide it begins, and what a cell of it shows. */
export interface Column<Row> {
  readonly id: string;
  readonly header: string;
  readonly cell: (row: Row) => ReactNode;
  /** The cell as plain text, shown when the pointer rests on it. */
  readonly text?: (row: Row) => string;
  /** Pixels. */
  readonly size?: number;
  /** Pixels. */
  readonly minSize?: number;
  /** Takes what room the others leave. */
  readonly grow?: boolean;
  /** What the list is sorted by when the header is pressed; none: the list cannot be sorted by it. */
  readonly sortKey?: string;
  readonly align?: 'start' | 'end';
  readonly hiddenAtFirst?: boolean;
  /** It cannot be hidden. */
  readonly isFixed?: boolean;
  /** Its place where a row is a card: the first line, a full line, a word, a word with its name before it (without `card`), or none. */
  readonly card?: 'title' | 'line' | 'plain' | 'meta' | 'hidden';
}

export interface Sort {
  readonly key: string;
  readonly dir: 'asc' | 'desc';
}

/** The rows of a list, of which not all need be loaded. */
export interface RowSource<Row> {
  /** Null as long as it is not known. */
  readonly total: number | null;
  /** What is shown belongs to a question that was asked before, and is about to be replaced. */
  readonly isPrevious?: boolean;
  readonly isFetching: boolean;
  readonly error: unknown;
  /** Undefined: not loaded yet. */
  row(index: number): Row | undefined;
  /** Says which rows are looked at, both ends included. */
  need(first: number, last: number): void;
  /** Loads rows that are about to be selected, both ends included; a source without it has all of them. */
  load?(first: number, last: number): Promise<void>;
  /** Asks again after an error. */
  retry?(): void;
}

/** The smallest width of a column that says none, in pixels. */
export const MIN_COLUMN_SIZE = 56;
/** The width of a column that says none, in pixels. */
export const COLUMN_SIZE = 140;

/** All rows of a small list. */
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

/** The rows of a list that are loaded, in its order. */
export function loadedRows<Row>(rows: RowSource<Row>): readonly Row[] {
  const loaded: Row[] = [];
  for (let index = 0; index < (rows.total ?? 0); index += 1) {
    const row = rows.row(index);
    if (row !== undefined) loaded.push(row);
  }
  return loaded;
}
