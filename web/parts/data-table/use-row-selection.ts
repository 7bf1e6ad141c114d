import { useState, type Dispatch, type SetStateAction } from 'react';
import { NOTHING_SELECTED, type RowSelection } from './row-selection.ts';

/**
 * Returns the selected rows of a list, and their setter. A change of `listed`, the name of the query, clears the
 * selection: "all rows" of one query are not those of another.
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
