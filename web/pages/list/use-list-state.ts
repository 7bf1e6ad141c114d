import { useState } from 'react';
import type { BulkTarget } from '../../parts/data-table/bulk-target.ts';
import { withoutDeleted, NOTHING_SELECTED, type RowSelection } from '../../parts/data-table/row-selection.ts';
import { useRowSelection } from '../../parts/data-table/use-row-selection.ts';
import { asBoolean, usePreference } from '../../state/use-preference.ts';

/** A bulk action whose dialog is open. */
export interface OpenDialog<Row, Action> {
  readonly action: Action;
  readonly target: BulkTarget<Row>;
}

/** State of a list page that is not in the address. */
export interface ListState<Row, Action> {
  /** Identifies the query of the list. The selection is cleared when it changes. */
  readonly listKey: string;
  readonly isAtRest: boolean;
  readonly setIsAtRest: (isAtRest: boolean) => void;
  readonly isCompact: boolean;
  readonly toggleCompact: () => void;
  readonly selection: RowSelection;
  readonly setSelection: (selection: RowSelection) => void;
  readonly clearSelection: () => void;
  /** Removes deleted rows from the selection. */
  readonly deselectRemoved: (ids: readonly string[]) => void;
  readonly dialog: OpenDialog<Row, Action> | null;
  readonly openDialog: (dialog: OpenDialog<Row, Action>) => void;
  readonly closeDialog: () => void;
}

/** Holds the state of a list page. `id` prefixes the keys in local storage. */
export function useListState<Row, Action>(id: string, query: object): ListState<Row, Action> {
  const listKey = JSON.stringify(query);
  const [isAtRest, setIsAtRest] = useState(true);
  const [isCompact, setIsCompact] = usePreference(`${id}.compact`, false, asBoolean);
  const [dialog, setDialog] = useState<OpenDialog<Row, Action> | null>(null);
  const [selection, setSelection] = useRowSelection(listKey);
  return {
    listKey,
    isAtRest,
    setIsAtRest,
    isCompact,
    toggleCompact: () => setIsCompact(!isCompact),
    selection,
    setSelection,
    clearSelection: () => setSelection(NOTHING_SELECTED),
    deselectRemoved: (ids) => setSelection((before) => withoutDeleted(before, ids)),
    dialog,
    openDialog: setDialog,
    closeDialog: () => setDialog(null),
  };
}
