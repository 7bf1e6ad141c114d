import { useLayoutEffect, useState, type RefObject } from 'react';
import type { RowSource } from './column.ts';

interface ActiveState {
  readonly index: number;
  /** Null until a row is clicked or moved to. */
  readonly id: string | null;
}

export interface ActiveRow {
  /** Current index of the row that has or gets the focus. */
  readonly index: number;
  readonly activate: (index: number) => void;
}

/** Tracks the row with the keyboard focus by its id while the rows move. It starts as the row that the pane shows. */
export function useActiveRow<Row>(
  rows: RowSource<Row>,
  rowId: (row: Row) => string,
  { count, listKey, shownId }: { count: number; listKey: string; shownId: string | null },
): ActiveRow {
  const [active, setActive] = useState<ActiveState>({ index: 0, id: shownId });
  const [shownKey, setShownKey] = useState(listKey);
  if (shownKey !== listKey) {
    setShownKey(listKey);
    setActive({ index: 0, id: shownId });
  }
  return {
    index: currentIndex(rows, active, rowId, count),
    activate: (index) => {
      const row = rows.row(index);
      setActive({ index, id: row === undefined ? null : rowId(row) });
    },
  };
}

/** Rows searched above and below for an active row that has moved. */
const FOLLOW_DISTANCE = 200;

/** Returns the current index of the active row, which may have moved since it became active. */
function currentIndex<Row>(
  rows: RowSource<Row>,
  { index, id }: ActiveState,
  rowId: (row: Row) => string,
  count: number,
): number {
  const clamped = Math.min(index, Math.max(0, count - 1));
  if (id === null) return clamped;
  for (let distance = 0; distance <= FOLLOW_DISTANCE; distance += 1) {
    for (const place of [clamped - distance, clamped + distance]) {
      const row = place < 0 ? undefined : rows.row(place);
      if (row !== undefined && rowId(row) === id) return place;
    }
  }
  return clamped;
}

/** Keeps the focus on the active row when it moves. Returns a function that moves the focus to the active row. */
export function useRowFocus(scroller: RefObject<HTMLElement | null>, activeIndex: number): () => void {
  /** Incremented to request the focus for the active row. */
  const [focusRequest, setFocusRequest] = useState(0);
  const rowElement = (index: number): HTMLElement | null =>
    scroller.current?.querySelector<HTMLElement>(`[data-index="${index}"]`) ?? null;
  useLayoutEffect(() => {
    if (focusRequest > 0) rowElement(activeIndex)?.focus({ preventScroll: true });
    // Runs only on a request: the effect below follows a row that moves.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [focusRequest]);
  useLayoutEffect(() => {
    const focused = document.activeElement;
    if (!(focused instanceof HTMLElement) || focused.dataset['index'] === undefined) return;
    if (scroller.current?.contains(focused) === true) rowElement(activeIndex)?.focus({ preventScroll: true });
    // The scroller is a ref and never changes.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [activeIndex]);
  return () => setFocusRequest((before) => before + 1);
}
