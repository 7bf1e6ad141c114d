import { Columns2, Maximize2, Minimize2 } from 'lucide-react';
import { useRef, useState } from 'react';
import { classNames } from '../class-names.ts';
import { Button, IconButton } from '../button.tsx';
import { Menu } from '../menu.tsx';
import { QueryProblem } from '../query-problem.tsx';
import { ColumnChooser } from './column-chooser.tsx';
import type { DataTableProps } from './data-table-props.ts';
import { SortSelect } from './sort-select.tsx';
import { SplitRows } from './split-rows.tsx';
import { TableGrid } from './table-grid.tsx';
import { gridStyle } from './table-layout.ts';
import { useEscape, useTableKeys } from './use-table-keys.ts';
import { useTableModel, type TableModel } from './use-table-model.ts';
import './data-table.css';

/**
 * A table of any length that draws only the rows in view. Supports pointer and keyboard, and draws rows as cards on narrow
 * screens.
 */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const scroller = useRef<HTMLDivElement>(null);
  const model = useTableModel(props, scroller);
  useTableKeys(model);
  const [isFull, setIsFull] = useState(false);
  const { isOpen, close } = model.pane;
  useEscape(isOpen ? close : isFull ? () => setIsFull(false) : null);
  const { rows, label, empty } = props;
  const { shown, columns, rowHeight, isSelectable } = model;
  const isEmpty = shown.total === 0 && shown.isPrevious !== true && rows.error === null;
  const isFailed = rows.error !== null && shown.total === null;
  return (
    <div
      className={classNames(
        'data-table',
        props.isFilling === true && 'data-table--filling',
        isFull && 'data-table--full',
        props.isCompact === true && 'data-table--compact',
      )}
      style={gridStyle(columns, { rowHeight, isSelectable, hasActions: props.actions !== undefined })}
    >
      <Toolbar model={model} isFull={isFull} onFull={setIsFull} />
      {rows.error !== null && (
        <QueryProblem error={rows.error} what={`the ${label.toLowerCase()}`} onRetry={() => rows.retry?.()} />
      )}
      <SplitRows model={model}>
        {isEmpty && <div className="data-table__empty">{empty ?? <p className="muted">No entries.</p>}</div>}
        {!isEmpty && !isFailed && <TableGrid model={model} scroller={scroller} />}
      </SplitRows>
      <Footer model={model} />
    </div>
  );
}

/** The caller's controls, and the choice of columns or, with cards, of the sort order. */
function Toolbar<Row>({
  model,
  isFull,
  onFull,
}: {
  model: TableModel<Row>;
  isFull: boolean;
  onFull: (isFull: boolean) => void;
}) {
  const { props, columns, pane, isCard } = model;
  const { toolbar, sort, onSort } = props;
  return (
    <div className="data-table__toolbar">
      <div className="data-table__tools">{toolbar}</div>
      {props.pane !== undefined && (
        <Button
          size="small"
          icon={<Columns2 aria-hidden="true" />}
          isPressed={pane.isSplit}
          onPress={() => pane.toggle()}
        >
          Split view
        </Button>
      )}
      {isCard && onSort !== undefined ? (
        <SortSelect columns={props.columns} sort={sort} onSort={onSort} />
      ) : (
        !isCard && (
          <>
            <ColumnChooser columns={columns} />
            <IconButton
              label="Full-screen table"
              size="small"
              isPressed={isFull}
              icon={isFull ? <Minimize2 aria-hidden="true" /> : <Maximize2 aria-hidden="true" />}
              onPress={() => onFull(!isFull)}
            />
          </>
        )
      )}
    </div>
  );
}

/** The note about rows that cannot be drawn, and the open menu of a row. */
function Footer<Row>({ model }: { model: TableModel<Row> }) {
  const { menu, total, countMax, closeMenu } = model;
  return (
    <>
      {total > countMax && (
        <p className="data-table__note">
          Showing the first {countMax.toLocaleString('en')} of {total.toLocaleString('en')}. Filter the list
          to see others.
        </p>
      )}
      {menu !== null && (
        <Menu items={menu.items} at={menu.at} label={`Actions for ${menu.name}`} onClose={closeMenu} />
      )}
    </>
  );
}
