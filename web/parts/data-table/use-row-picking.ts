import { useRef } from 'react';
import { toasts } from '../../state/toasts.ts';
import type { RowSource } from './column.ts';
import { only, toggled, type RowSelection } from './row-selection.ts';

/** Rows that a range may take in: those that were never looked at are loaded first. */
const RANGE_MAX = 5_000;

export interface RowPicking {
  /** The end that a range keeps. */
  anchor(index: number): void;
  only(index: number): void;
  toggle(index: number): void;
  /** From the end that stays to `to`; `from` is that end when no range has begun. */
  range(from: number, to: number): void;
}

/** Selects rows by their places. */
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
      const what = 'Select the rows';
      if (last - first >= RANGE_MAX) {
        const most = RANGE_MAX.toLocaleString('en');
        toasts.failed(
          new Error(`A range takes in at most ${most} rows: select all, or filter the list.`),
          what,
        );
        return;
      }
      const ids = idsBetween(first, last);
      if (ids !== null) onSelect(only(ids));
      else loadAndSelect(first, last).catch((error: unknown) => toasts.failed(error, what));
    },
  };
}
