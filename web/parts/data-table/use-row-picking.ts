import { useRef } from 'react';
import { toasts } from '../../state/toasts.ts';
import type { RowSource } from './column.ts';
import { only, toggled, type RowSelection } from './row-selection.ts';

/** Maximum number of rows in a range. Rows that are not loaded are requested first. */
const RANGE_MAX = 5_000;

export interface RowPicking {
  /** Sets the fixed end of the next range. */
  anchor(index: number): void;
  only(index: number): void;
  toggle(index: number): void;
  /** Selects from the fixed end to `to`. Without a fixed end, `from` becomes it. */
  range(from: number, to: number): void;
}

/** Returns functions that select rows by their index. */
export function useRowPicking<Row>({
  rows,
  rowId,
  selection,
  onSelect,
}: {
  rows: RowSource<Row>;
  rowId: (row: Row) => string;
  selection: RowSelection;
  onSelect: (selection: RowSelection) => void;
}): RowPicking {
  const kept = useRef<number | null>(null);
  const latestRange = useRef(0);

  const idsBetween = (first: number, last: number): string[] | null => {
    const ids: string[] = [];
    for (let index = first; index <= last; index += 1) {
      const row = rows.row(index);
      if (row === undefined) return null;
      ids.push(rowId(row));
    }
    return ids;
  };
  const loadAndSelect = async (first: number, last: number): Promise<void> => {
    latestRange.current += 1;
    const range = latestRange.current;
    await rows.load?.(first, last);
    const ids = idsBetween(first, last);
    if (ids !== null && range === latestRange.current) onSelect(only(ids));
  };

  return {
    anchor(index) {
      kept.current = index;
    },
    only(index) {
      kept.current = index;
      const row = rows.row(index);
      if (row !== undefined) onSelect(only([rowId(row)]));
    },
    toggle(index) {
      kept.current = index;
      const row = rows.row(index);
      if (row !== undefined) onSelect(toggled(selection, rowId(row)));
    },
    range(from, to) {
      kept.current ??= from;
      const first = Math.min(kept.current, to);
      const last = Math.max(kept.current, to);
      const failure = 'Could not select the rows';
      if (last - first >= RANGE_MAX) {
        const most = RANGE_MAX.toLocaleString('en');
        toasts.failed(
          new Error(`A range is limited to ${most} rows. Select all rows, or filter the list.`),
          failure,
        );
        return;
      }
      const ids = idsBetween(first, last);
      if (ids !== null) onSelect(only(ids));
      else loadAndSelect(first, last).catch((error: unknown) => toasts.failed(error, failure));
    },
  };
}
