import { useMemo } from 'react';
import { targetOfRow, targetOfSelection, type BulkTarget } from '../../parts/data-table/bulk-target.ts';
import { loadedRows, type RowSource } from '../../parts/data-table/column.ts';
import { isSelected, selectedCount, type RowSelection } from '../../parts/data-table/row-selection.ts';

/** The selected rows of a list. */
export interface SelectedRows<Row> {
  readonly count: number;
  /** Rows that match the filters, selected or not. */
  readonly total: number;
  readonly loaded: readonly Row[];
  readonly target: () => BulkTarget<Row>;
  /** Returns the target of the menu of a row: the whole selection if the row is one of several selected rows. */
  readonly targetOfMenu: (row: Row) => { readonly target: BulkTarget<Row>; readonly isMany: boolean };
}

/** Combines a selection with the rows. `fetchPage` loads a page of the filtered list, oldest rows first. */
export function useSelectedRows<Row extends { readonly id: string }>(
  selection: RowSelection,
  rows: RowSource<Row>,
  fetchPage: Parameters<typeof targetOfSelection<Row>>[3],
): SelectedRows<Row> {
  const loaded = useMemo(() => loadedRows(rows), [rows]);
  const total = rows.total ?? 0;
  const count = selectedCount(selection, total);
  const target = (): BulkTarget<Row> => targetOfSelection(selection, loaded, total, fetchPage);
  return {
    count,
    total,
    loaded,
    target,
    targetOfMenu: (row) => {
      const isMany = count > 1 && isSelected(selection, row.id);
      return { target: isMany ? target() : targetOfRow(row), isMany };
    },
  };
}
