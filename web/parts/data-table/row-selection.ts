/** Selected rows: some rows, or all that match the filter, including rows that were never loaded. */
export type RowSelection =
  | { readonly kind: 'some'; readonly ids: ReadonlySet<string> }
  | { readonly kind: 'all'; readonly except: ReadonlySet<string> };

export const NOTHING_SELECTED: RowSelection = { kind: 'some', ids: new Set() };
export const ALL_SELECTED: RowSelection = { kind: 'all', except: new Set() };

export function isSelected(selection: RowSelection, id: string): boolean {
  return selection.kind === 'some' ? selection.ids.has(id) : !selection.except.has(id);
}

/** Returns the number of selected rows in a list of `total` rows. */
export function selectedCount(selection: RowSelection, total: number): number {
  return selection.kind === 'some' ? selection.ids.size : Math.max(0, total - selection.except.size);
}

/** Inverts the selection of one row. */
export function toggled(selection: RowSelection, id: string): RowSelection {
  return isSelected(selection, id) ? deselected(selection, [id]) : selected(selection, [id]);
}

/** Selects exactly these rows. */
export function only(ids: Iterable<string>): RowSelection {
  return { kind: 'some', ids: new Set(ids) };
}

/** Adds rows to the selection. */
export function selected(selection: RowSelection, ids: Iterable<string>): RowSelection {
  return selection.kind === 'some'
    ? { kind: 'some', ids: including(selection.ids, ids) }
    : { kind: 'all', except: without(selection.except, ids) };
}

/** Removes rows from the selection. */
export function deselected(selection: RowSelection, ids: Iterable<string>): RowSelection {
  return selection.kind === 'some'
    ? { kind: 'some', ids: without(selection.ids, ids) }
    : { kind: 'all', except: including(selection.except, ids) };
}

/** Removes deleted rows from the selection. Returns the same object if it names none of them. */
export function withoutDeleted(selection: RowSelection, ids: readonly string[]): RowSelection {
  const named = selection.kind === 'some' ? selection.ids : selection.except;
  if (!ids.some((id) => named.has(id))) return selection;
  return selection.kind === 'some'
    ? { kind: 'some', ids: without(named, ids) }
    : { kind: 'all', except: without(named, ids) };
}

/** Returns the state of the checkbox that selects all rows. */
export function selectionExtent(selection: RowSelection, total: number): 'none' | 'some' | 'all' {
  const count = selectedCount(selection, total);
  if (count === 0) return 'none';
  return count >= total ? 'all' : 'some';
}

function including(before: ReadonlySet<string>, ids: Iterable<string>): ReadonlySet<string> {
  const after = new Set(before);
  for (const id of ids) after.add(id);
  return after;
}

function without(before: ReadonlySet<string>, ids: Iterable<string>): ReadonlySet<string> {
  const after = new Set(before);
  for (const id of ids) after.delete(id);
  return after;
}
