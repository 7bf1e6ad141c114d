import { collectIds } from '../../api/bulk.ts';
import { isSelected, selectedCount, type RowSelection } from './row-selection.ts';

/** The rows that something is to be done to. */
export interface BulkTarget<Row> {
  readonly count: number;
  /** Those that are loaded. */
  readonly known: readonly Row[];
  /** All of them; asked for when it begins. */
  readonly ids: (progress?: (collected: number) => void) => Promise<readonly string[]>;
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
