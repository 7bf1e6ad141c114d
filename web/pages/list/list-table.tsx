import { Rows4 } from 'lucide-react';
import type { ReactNode } from 'react';
import { IconButton } from '../../parts/button.tsx';
import { BulkBar, type BulkAction } from '../../parts/data-table/bulk-bar.tsx';
import type { DataTableProps } from '../../parts/data-table/data-table-props.ts';
import { DataTable } from '../../parts/data-table/data-table.tsx';
import { ALL_SELECTED } from '../../parts/data-table/row-selection.ts';
import type { ListPageModel, ListView } from './list-page-model.ts';
import './list-table.css';

/** A row of a list page. */
export interface ListRow {
  readonly id: string;
  readonly name: string;
}

/** Properties of the data table that differ from list to list. */
type TableProps<Row> = Pick<
  DataTableProps<Row>,
  'id' | 'label' | 'columns' | 'onSort' | 'href' | 'actions' | 'onKey' | 'rowClass' | 'empty'
>;

interface ListTableProps<Row extends ListRow, Action extends string> {
  readonly table: TableProps<Row>;
  readonly model: Omit<ListPageModel<Row, ListView, unknown, Action>, 'setView'>;
  readonly bulkActions: readonly BulkAction<Action>[];
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
  const { table, model, onAction, deleteAction, listKey = model.state.listKey } = props;
  const { view, rows, state, selected, forbidden } = model;
  return (
    <DataTable
      {...table}
      rows={rows}
      sort={{ key: view.sort, dir: view.dir }}
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
  const { table, model, bulkActions, disabledReasonForAll, onAction } = props;
  const { formatCount, tools, hidesCompactForSelection = false } = props;
  const { rows, state, selected, forbidden } = model;
  const hasSelection = selected.count > 0;
  return (
    <div className="list-tools">
      {hasSelection ? (
        <BulkBar
          label={`Selected ${table.label.toLowerCase()}`}
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
