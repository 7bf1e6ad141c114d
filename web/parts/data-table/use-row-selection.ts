import { useState, type Dispatch, type SetStateAction } from 'react';
import { NOTHING_SELECTED, type RowSelection } from './row-selection.ts';

/**
 * The selected rows of a list. What is selected is what is seen: when `listed`, which names what the list asks for, changes, nothing is
 * selected, because all of one list are not all of the next.
 */
export function useRowSelection(listed: string): [RowSelection, Dispatch<SetStateAction<RowSelection>>] {
  const [selection, setSelection] = useState<RowSelection>(NOTHING_SELECTED);
  const [selectedIn, setSelectedIn] = useState(listed);
  if (selectedIn !== listed) {
    setSelectedIn(listed);
    setSelection(NOTHING_SELECTED);
  }
  return [selection, setSelection];
}
