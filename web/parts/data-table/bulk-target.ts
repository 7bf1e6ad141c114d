import { collectIds } from '../../../client/bulk.ts';
import { isSelected, selectedCount, type RowSelection } from './row-selection.ts';

/** The rows that something is to be done to. */
export interface BulkTarget<Row> {
  readonly count: number;
  /** Those that are loaded. */
  readonly known: readonly Row[];
  /** All of them; asked for when it begins. */
  readonly ids: (progress?: (collected: number) => void) => Promise<readonly string[]>;
}

/** The rows by which it is judged what can be done: of rows that are not loaded it is not known what makes sense for them. */
export const judgedOf = <Row>({ known, count }: BulkTarget<Row>): readonly Row[] =>
  known.length === count ? known : [];

/** Why a deed makes no sense for any of the rows; empty when it does for one, or none is known. `none` says it of several. */
export function offForAllRows<Row>(
  rows: readonly Row[],
  disabledReason: (row: Row) => string,
  none: string,
): string {
  const [first] = rows;
  if (first === undefined || rows.some((row) => disabledReason(row) === '')) return '';
  return rows.length === 1 ? disabledReason(first) : none;
}

/** One row alone. */
export const targetOfRow = <Row extends { readonly id: string }>(row: Row): BulkTarget<Row> => ({
  count: 1,
  known: [row],
  ids: () => Promise.resolve([row.id]),
});

/** The selected rows. `page` asks for a part of the list, the oldest first: only of what is selected without its having been loaded. */
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
