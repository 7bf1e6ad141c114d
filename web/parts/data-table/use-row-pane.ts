import { useEffect, useEffectEvent, useId, useRef, useState } from 'react';
import { usePreference } from '../../state/use-preference.ts';
import type { RowSource } from './column.ts';
import type { DataTableProps } from './data-table-props.ts';
import { DEFAULT_SPLIT, readSplitPreference } from './split-preference.ts';
import { useMedia } from './use-media.ts';

/** In a window that is not wider, the pane covers the rows. */
const NARROW = '(max-width: 900px)';

/** The pane follows the keys after this pause, so that a held key does not load each row that it passes. */
const FOLLOW_MS = 120;

/** State of the split view of a table. */
export interface RowPaneModel {
  /** Id of the element of the pane. */
  readonly id: string;
  /** True if a click shows a row in the pane. False for a table without a pane. */
  readonly isSplit: boolean;
  readonly isOpen: boolean;
  readonly isNarrow: boolean;
  /** Width of the pane, in percent of the table. */
  readonly share: number;
  readonly resize: (share: number) => void;
  readonly toggle: () => void;
  readonly show: (index: number) => void;
  /** Shows a row. Moves the focus into the pane if it shows the row already. */
  readonly enter: (index: number) => void;
  /** Shows a row, after a pause and when it is loaded, if the pane is open. */
  readonly follow: (index: number) => void;
  readonly close: () => void;
}

/** Creates the state of the split view. `focusActive` gives the focus back to the row when the pane closes. */
export function useRowPane<Row>(
  { pane, id, rowId }: DataTableProps<Row>,
  rows: RowSource<Row>,
  { activeIndex, focusActive }: { activeIndex: number; focusActive: () => void },
): RowPaneModel {
  const paneId = useId();
  const [split, setSplit] = usePreference(`table.${id}.split`, DEFAULT_SPLIT, readSplitPreference);
  const isNarrow = useMedia(NARROW);
  /** Index of the row that the pane shows next; null for none. */
  const [followed, setFollowed] = useState<number | null>(null);
  const shownId = pane?.shownId ?? null;
  const isOpen = shownId !== null;
  const idAt = (index: number): string | null => {
    const row = rows.row(index);
    return row === undefined ? null : rowId(row);
  };
  const showId = (next: string | null): void => {
    setFollowed(null);
    if (next !== shownId) pane?.onShow(next);
  };
  const show = (index: number): void => {
    const next = idAt(index);
    if (next !== null) showId(next);
  };
  useFollowing(followed === null || !isOpen ? null : idAt(followed), showId);
  useFocusAfter(isOpen, focusActive);
  const isSplit = pane !== undefined && (split.isOn || isOpen);
  return {
    id: paneId,
    isSplit,
    isOpen,
    isNarrow,
    share: split.share,
    resize: (share) => setSplit({ ...split, share }),
    toggle: () => {
      setSplit({ ...split, isOn: !isSplit });
      if (isSplit) showId(null);
      else if (!isNarrow) show(activeIndex);
    },
    show,
    enter: (index) => {
      if (isOpen && idAt(index) === shownId) document.getElementById(paneId)?.focus();
      else show(index);
    },
    follow: (index) => {
      if (isOpen) setFollowed(index);
    },
    close: () => showId(null),
  };
}

/** Shows a row after a pause. */
function useFollowing(next: string | null, onShow: (id: string) => void): void {
  const show = useEffectEvent(onShow);
  useEffect(() => {
    if (next === null) return undefined;
    const timer = setTimeout(() => show(next), FOLLOW_MS);
    return () => clearTimeout(timer);
  }, [next]);
}

/** Calls `focus` when the pane has closed and nothing has the focus, as after a click in it or with "Back". */
function useFocusAfter(isOpen: boolean, focus: () => void): void {
  const wasOpen = useRef(isOpen);
  const closed = useEffectEvent(focus);
  useEffect(() => {
    if (wasOpen.current && !isOpen && document.activeElement === document.body) closed();
    wasOpen.current = isOpen;
  }, [isOpen]);
}
