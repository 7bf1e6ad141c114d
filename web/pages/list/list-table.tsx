import { Rows4 } from 'lucide-react';
import type { ReactNode } from 'react';
import { IconButton } from '../../parts/button.tsx';
import { BulkBar, type BulkAction } from '../../parts/data-table/bulk-bar.tsx';
import { DataTable, type DataTableProps } from '../../parts/data-table/data-table.tsx';
import { ALL_SELECTED } from '../../parts/data-table/row-selection.ts';
import type { ListState } from './use-list-state.ts';
import type { SelectedRows } from './use-selected-rows.ts';
import './list-table.css';

/** A row of a list page. */
export interface ListRow {
  readonly id: string;
  readonly name: string;
}

/** Properties of the data table that differ from list to list. */
type TableProps<Row> = Pick<
  DataTableProps<Row>,
  | 'id'
  | 'label'
  | 'columns'
  | 'rows'
  | 'sort'
  | 'onSort'
  | 'href'
  | 'actions'
  | 'onKey'
  | 'rowClass'
  | 'empty'
>;

interface ListTableProps<Row extends ListRow, Action extends string> {
  readonly table: TableProps<Row>;
  readonly state: ListState<Row, Action>;
  readonly selected: SelectedRows<Row>;
  readonly bulkActions: readonly BulkAction<Action>[];
  /** Why the user may not change rows; empty if the user may. */
  readonly forbidden: string;
  /** Why an action fits none of the rows; empty if it fits one. */
  readonly disabledReasonForAll: (action: Action, rows: readonly Row[]) => string;
  /** Applies an action to the selected rows. */
  readonly onAction: (action: Action) => void;
  /** The action of the Delete key. */
  readonly deleteAction: Action;
  /** Formats the number of rows: "3 jobs". */
  readonly formatCount: (count: number) => string;
  /** Tools next to the number of rows, shown while no row is selected. */
  readonly tools: ReactNode;
  /** Hides the switch for compact rows while rows are selected. */
  readonly hidesCompactForSelection?: boolean;
  /** The list scrolls to its top when it changes. */
  readonly listKey?: string;
}

/** The table of a list page, with selection, bulk actions and compact rows. */
export function ListTable<Row extends ListRow, Action extends string>(props: ListTableProps<Row, Action>) {
  const { table, state, selected, forbidden, onAction, deleteAction, listKey = state.listKey } = props;
  return (
    <DataTable
      {...table}
      rowId={rowId}
      rowName={rowName}
      isFilling
      isCompact={state.isCompact}
      listKey={listKey}
      selection={state.selection}
      onSelect={state.setSelection}
      onDelete={() => {
        if (selected.count > 0 && forbidden === '') onAction(deleteAction);
      }}
      onAtRest={state.setIsAtRest}
      toolbar={<ListToolbar {...props} />}
    />
  );
}

function ListToolbar<Row extends ListRow, Action extends string>(props: ListTableProps<Row, Action>) {
  const { table, state, selected, bulkActions, forbidden, disabledReasonForAll } = props;
  const { onAction, formatCount, tools, hidesCompactForSelection = false } = props;
  const { label, rows } = table;
  const hasSelection = selected.count > 0;
  return (
    <div className="list-tools">
      {hasSelection ? (
        <BulkBar
          label={`Selected ${label.toLowerCase()}`}
          target={selected.target()}
          total={selected.total}
          actions={bulkActions}
          forbidden={forbidden}
          disabledReasonForAll={disabledReasonForAll}
          onAction={onAction}
          onSelectAll={() => state.setSelection(ALL_SELECTED)}
          onClear={state.clearSelection}
        />
      ) : (
        <>
          <span className="list-tools__count" role="status">
            {rows.total === null ? '' : formatCount(rows.total)}
          </span>
          {tools}
        </>
      )}
      {!(hasSelection && hidesCompactForSelection) && (
        <IconButton
          size="small"
          label="Compact rows"
          icon={<Rows4 aria-hidden="true" />}
          isPressed={state.isCompact}
          onPress={state.toggleCompact}
        />
      )}
    </div>
  );
}

const rowId = ({ id }: ListRow): string => id;
const rowName = ({ name }: ListRow): string => name;
