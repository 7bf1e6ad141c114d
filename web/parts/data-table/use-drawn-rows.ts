import { defaultRangeExtractor, useVirtualizer, type Range } from '@tanstack/react-virtual';
import { useEffect, useLayoutEffect, type RefObject } from 'react';
import type { RowSource } from './column.ts';

const HEAD_HEIGHT = 34;
const OVERSCAN = 6;

/** Indexes of the first and the last row in view. */
export interface RowRange {
  readonly first: number;
  readonly last: number;
}

export interface DrawnRowsOptions<Row> {
  readonly rows: RowSource<Row>;
  readonly count: number;
  readonly rowHeight: number;
  readonly activeIndex: number;
  readonly isCard: boolean;
  /** Receives the range of rows in view. */
  readonly range: RefObject<RowRange>;
}

/** Computes which rows to draw for the scroll position, and requests them from the source. */
export function useDrawnRows<Row>(
  scroller: RefObject<HTMLElement | null>,
  { rows, count, rowHeight, activeIndex, isCard, range }: DrawnRowsOptions<Row>,
) {
  const virtualizer = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: OVERSCAN,
    scrollPaddingEnd: isCard ? 0 : HEAD_HEIGHT,
    // The active row stays drawn, because removing it would lose the focus.
    rangeExtractor: (visible: Range) => {
      const indexes = defaultRangeExtractor(visible);
      if (activeIndex < count && !indexes.includes(activeIndex)) indexes.push(activeIndex);
      return indexes.sort((one, other) => one - other);
    },
  });
  const first = virtualizer.range?.startIndex ?? 0;
  const last = virtualizer.range?.endIndex ?? 0;
  useLayoutEffect(() => {
    range.current = { first, last };
  }, [range, first, last]);
  useEffect(() => virtualizer.measure(), [virtualizer, rowHeight]);
  useEffect(() => {
    rows.need(Math.max(0, first - OVERSCAN), last + OVERSCAN);
  }, [rows, first, last]);
  return {
    items: virtualizer.getVirtualItems(),
    height: virtualizer.getTotalSize(),
    first,
    last,
    scrollTo: (index: number): void => virtualizer.scrollToIndex(index),
  };
}
