import type { Sort } from '../../parts/data-table/column.ts';
import type { RowWindow } from '../../parts/data-table/use-row-window.ts';
import type { SetOptions } from '../../state/use-url-state.ts';
import type { ListState } from './use-list-state.ts';
import type { SelectedRows } from './use-selected-rows.ts';

/** Filters and sort order of a list page, stored in the address. */
export interface ListView {
  readonly sort: string;
  readonly dir: Sort['dir'];
}

/** Model of a list page: its view in the address, its rows, and the selected rows. */
export interface ListPageModel<Row, View extends ListView, Summary, Action> {
  readonly view: View;
  readonly setView: (change: Partial<View>, options?: SetOptions) => void;
  readonly state: ListState<Row, Action>;
  readonly rows: RowWindow<Row>;
  /** Undefined until it is loaded. */
  readonly summary: Summary | undefined;
  readonly selected: SelectedRows<Row>;
  /** Why the user may not change rows; empty if the user may. */
  readonly forbidden: string;
  /** Loads the list again after its rows were changed, and clears the selection. */
  readonly reload: () => void;
}
