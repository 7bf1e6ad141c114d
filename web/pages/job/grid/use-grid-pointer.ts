import { useState, type PointerEvent, type RefObject } from 'react';
import { indexAt, type GridLayout } from '../model/grid-layout.ts';
import type { IndexRange } from '../model/index-ranges.ts';
import type { GridCursor } from './use-grid-cursor.ts';

/** The cells at the beginning and at the end of a drag. */
export interface Drag {
  readonly from: number;
  readonly to: number;
}

export const rangeOf = ({ from, to }: Drag): IndexRange => ({
  first: Math.min(from, to),
  last: Math.max(from, to),
});

type Handler = (event: PointerEvent<HTMLDivElement>) => void;

export interface GridPointer {
  /** The cell under the mouse; null for none. */
  readonly hovered: number | null;
  readonly handlers: {
    readonly onPointerDown: Handler;
    readonly onPointerMove: Handler;
    readonly onPointerUp: Handler;
    readonly onPointerCancel: Handler;
    readonly onPointerLeave: Handler;
  };
}

/** Handles the pointer: a click opens a task, a drag with the mouse or Shift with a click selects a range. */
export function useGridPointer(options: {
  readonly scroller: RefObject<HTMLDivElement | null>;
  readonly layout: GridLayout;
  readonly cursor: GridCursor;
  /** The current drag; null for none. */
  readonly drag: Drag | null;
  readonly setDrag: (drag: Drag | null) => void;
  readonly onSelect: (runs: readonly IndexRange[]) => void;
  readonly onOpen: (index: number) => void;
}): GridPointer {
  const { scroller, layout, cursor, drag, setDrag, onSelect, onOpen } = options;
  const [hovered, setHovered] = useState<number | null>(null);

  const indexUnder = (event: PointerEvent): number | null => {
    const box = scroller.current;
    if (box === null) return null;
    const rect = box.getBoundingClientRect();
    return indexAt(layout, event.clientX - rect.left, event.clientY - rect.top + box.scrollTop);
  };
  const onPointerDown: Handler = (event) => {
    const index = indexUnder(event);
    if (index === null || event.button !== 0) return;
    cursor.setActive(index);
    if (event.shiftKey) {
      event.preventDefault();
      onSelect([rangeOf({ from: cursor.anchor, to: index })]);
      return;
    }
    cursor.setAnchor(index);
    if (event.pointerType === 'mouse') {
      event.preventDefault();
      event.currentTarget.setPointerCapture(event.pointerId);
      setDrag({ from: index, to: index });
    }
  };
  const onPointerMove: Handler = (event) => {
    const index = indexUnder(event);
    if (event.pointerType === 'mouse') setHovered(index);
    if (drag !== null && index !== null && index !== drag.to) setDrag({ ...drag, to: index });
  };
  const onPointerUp: Handler = (event) => {
    const index = indexUnder(event);
    const isClick = index !== null && !event.shiftKey && event.button === 0 && index === cursor.active;
    if (drag !== null && drag.from !== drag.to) onSelect([rangeOf(drag)]);
    else if (isClick) onOpen(index);
    setDrag(null);
  };
  return {
    hovered,
    handlers: {
      onPointerDown,
      onPointerMove,
      onPointerUp,
      onPointerCancel: () => setDrag(null),
      onPointerLeave: () => setHovered(null),
    },
  };
}
