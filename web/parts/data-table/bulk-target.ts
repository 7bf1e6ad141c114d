import { collectIds } from '../../../client/bulk.ts';
import { isSelected, selectedCount, type RowSelection } from './row-selection.ts';

/** Rows that an action applies to. */
export interface BulkTarget<Row> {
  readonly count: number;
  /** The loaded rows among them. */
  readonly known: readonly Row[];
  /** Returns the ids of all rows. May request them, so it is called only when the action starts. */
  readonly ids: (progress?: (collected: number) => void) => Promise<readonly string[]>;
}

/** Returns the rows that decide which actions apply: all of them, or none if some are not loaded. */
export const rowsToCheck = <Row>({ known, count }: BulkTarget<Row>): readonly Row[] =>
  known.length === count ? known : [];

/**
 * Returns why an action applies to none of the rows: `none` for several rows. Empty if it applies to one, or no row
 * is known.
 */
export function disabledReasonForRows<Row>(
  rows: readonly Row[],
  disabledReason: (row: Row) => string,
  none: string,
): string {
  const [first] = rows;
  if (first === undefined || rows.some((row) => disabledReason(row) === '')) return '';
  return rows.length === 1 ? disabledReason(first) : none;
}

/** Returns a target with one row. */
export const targetOfRow = <Row extends { readonly id: string }>(row: Row): BulkTarget<Row> => ({
  count: 1,
  known: [row],
  ids: () => Promise.resolve([row.id]),
});

/**
 * Returns the selected rows as a target. `page` requests a part of the list, oldest first; it is called only for
 * selected rows that are not loaded.
 */
export function targetOfSelection<Row extends { readonly id: string }>(
  selection: RowSelection,
  loaded: readonly Row[],
  total: number,
  page: Parameters<typeof collectIds>[0],
): BulkTarget<Row> {
  const known = loaded.filter((row) => isSelected(selection, row.id));
  const count = selectedCount(selection, total);
  if (selection.kind === 'some') return { count, known, ids: () => Promise.resolve([...selection.ids]) };
  return { count, known, ids: (progress) => collectIds(page, selection.except, progress) };
}
