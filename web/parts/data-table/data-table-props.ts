import type { ReactNode } from 'react';
import type { ActionItem } from '../menu.tsx';
import type { Column, RowSource, Sort } from './column.ts';
import type { RowSelection } from './row-selection.ts';

/** A pane next to the rows that shows one of them. */
export interface RowPane {
  /** Accessible name of the pane: "Selected task". */
  readonly label: string;
  /** Id of the shown row; null while the pane is closed. */
  readonly shownId: string | null;
  /** Shows a row in the pane, or closes the pane with null. */
  readonly onShow: (id: string | null) => void;
  /** Content of the pane for the shown row. */
  readonly content: ReactNode;
}

export interface DataTableProps<Row> {
  /** Key under which the browser stores the column preferences. */
  readonly id: string;
  /** Plural name of the rows: "Jobs". */
  readonly label: string;
  /** Must stay the same array until a column changes. */
  readonly columns: readonly Column<Row>[];
  readonly rows: RowSource<Row>;
  readonly rowId: (row: Row) => string;
  /** Display name of a row; defaults to its id. */
  readonly rowName?: (row: Row) => string;
  readonly sort?: Sort;
  readonly onSort?: (sort: Sort) => void;
  /** Rows are selectable if this and `onSelect` are set. */
  readonly selection?: RowSelection;
  readonly onSelect?: (selection: RowSelection) => void;
  /** Page of a row; the first cell links to it. */
  readonly href?: (row: Row) => string;
  /** Opens a row; defaults to navigating to `href`. */
  readonly onOpen?: (row: Row) => void;
  /** Offers the split view, in which a click shows a row in a pane. */
  readonly pane?: RowPane;
  /** Actions of a row, shown in the menu of its button and as its context menu. */
  readonly actions?: (row: Row) => readonly ActionItem[];
  /** Handles the Delete key for the selected rows. */
  readonly onDelete?: () => void;
  /** Handles any other key for the selected rows; returns whether the key had an effect. */
  readonly onKey?: (key: string) => boolean;
  readonly rowClass?: (row: Row) => string;
  /** Shown when there are no rows. */
  readonly empty?: ReactNode;
  readonly isCompact?: boolean;
  /**
   * Fills the remaining height of the parent, which must be a flex column of fixed height. Otherwise the table is as
   * high as its rows, limited to most of the window.
   */
  readonly isFilling?: boolean;
  /** Identifies the list; a new value scrolls to the top. */
  readonly listKey?: string;
  /** Shown above the table, before the column chooser. */
  readonly toolbar?: ReactNode;
  /** Called with true when rows may be inserted or removed without disturbing the user, else with false. */
  readonly onAtRest?: (isAtRest: boolean) => void;
}
