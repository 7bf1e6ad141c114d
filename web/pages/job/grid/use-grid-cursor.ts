import { useState, type KeyboardEvent, type RefObject } from 'react';
import { cornerOf, moveCursor, type GridLayout } from '../model/grid-layout.ts';
import type { IndexRange } from '../model/index-ranges.ts';

/** The active cell of a grid, which the keyboard moves. */
export interface GridCursor {
  readonly active: number;
  /** Other end of a range that is selected with Shift. */
  readonly anchor: number;
  readonly setActive: (index: number) => void;
  readonly setAnchor: (index: number) => void;
  readonly onKeyDown: (event: KeyboardEvent) => void;
}

/** Handles the keyboard: arrows move, Enter opens a task, Space selects it, Shift with arrows selects a range, Escape clears. */
export function useGridCursor(options: {
  readonly scroller: RefObject<HTMLDivElement | null>;
  readonly layout: GridLayout;
  readonly hasSelection: boolean;
  readonly onSelect: (runs: readonly IndexRange[]) => void;
  readonly onOpen: (index: number) => void;
}): GridCursor {
  const { scroller, layout, hasSelection, onSelect, onOpen } = options;
  const [lastActive, setActive] = useState(0);
  const [anchor, setAnchor] = useState(0);
  const active = Math.min(lastActive, Math.max(0, layout.count - 1));

  const scrollTo = (index: number): void => {
    const box = scroller.current;
    if (box === null) return;
    const { y } = cornerOf(layout, index);
    const bottom = y + layout.pitch;
    if (y < box.scrollTop) box.scrollTo({ top: y });
    else if (bottom > box.scrollTop + box.clientHeight) box.scrollTo({ top: bottom - box.clientHeight });
  };
  const move = (event: KeyboardEvent): void => {
    const page = Math.floor((scroller.current?.clientHeight ?? 0) / layout.pitch);
    const to = moveCursor(layout, active, event.key, page);
    if (to === null || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    setActive(to);
    scrollTo(to);
    if (event.shiftKey) onSelect([{ first: Math.min(anchor, to), last: Math.max(anchor, to) }]);
    else setAnchor(to);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const isClear = event.key === 'Escape' && hasSelection;
    if (!isClear && event.key !== 'Enter' && event.key !== ' ') {
      move(event);
      return;
    }
    event.preventDefault();
    if (isClear) onSelect([]);
    else if (event.key === 'Enter') onOpen(active);
    else {
      setAnchor(active);
      onSelect([{ first: active, last: active }]);
    }
  };
  return { active, anchor, setActive, setAnchor, onKeyDown };
}
