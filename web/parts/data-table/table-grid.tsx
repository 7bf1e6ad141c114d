import type { RefObject } from 'react';
import { classNames } from '../class-names.ts';
import {
  handleRowClick,
  handleRowContextMenu,
  handleRowDoubleClick,
  handleRowKey,
  handleRowLinkClick,
} from './row-events.ts';
import { ALL_SELECTED, NOTHING_SELECTED, isSelected, selectionExtent } from './row-selection.ts';
import { TableHead } from './table-head.tsx';
import { TableRow } from './table-row.tsx';
import { rowNameOf, type TableModel } from './use-table-model.ts';

/** The headers and the rows. */
export function TableGrid<Row>({
  model,
  scroller,
}: {
  model: TableModel<Row>;
  scroller: RefObject<HTMLDivElement | null>;
}) {
  const { props, shown, columns, isCard, isSelectable, total } = model;
  const { label, selection, onSelect } = props;
  const isPrevious = shown.isPrevious === true;
  return (
    <div
      ref={scroller}
      role="grid"
      aria-label={label}
      aria-rowcount={shown.total === null ? -1 : shown.total + 1}
      aria-multiselectable={isSelectable || undefined}
      aria-busy={shown.total === null || isPrevious || undefined}
      className={classNames(
        'data-table__scroller',
        isCard && 'data-table__scroller--cards',
        isPrevious && 'data-table__scroller--previous',
      )}
    >
      <TableHead
        columns={columns}
        sort={props.sort}
        onSort={props.onSort}
        extent={isSelectable && selection !== undefined ? selectionExtent(selection, total) : null}
        onSelectAll={(isAll) => onSelect?.(isAll ? ALL_SELECTED : NOTHING_SELECTED)}
        hasActions={props.actions !== undefined}
      />
      <TableBody model={model} />
    </div>
  );
}

function TableBody<Row>({ model }: { model: TableModel<Row> }) {
  const { orderHold, setIsUnderPointer, drawn } = model;
  return (
    <div
      role="rowgroup"
      className="data-table__body"
      style={{ height: drawn.height }}
      onKeyDown={(event) => handleRowKey(model, event)}
      onClickCapture={(event) => handleRowLinkClick(model, event)}
      onClick={(event) => handleRowClick(model, event)}
      onDoubleClick={(event) => handleRowDoubleClick(model, event)}
      onContextMenu={(event) => handleRowContextMenu(model, event)}
      onMouseDown={(event) => {
        // Shift selects a range of rows, not of text.
        if (event.shiftKey) event.preventDefault();
      }}
      onPointerDown={() => orderHold.hold('press')}
      onPointerMove={(event) => {
        if (event.pointerType === 'mouse') orderHold.aim();
      }}
      onPointerEnter={(event) => setIsUnderPointer(event.pointerType === 'mouse')}
      onPointerLeave={() => {
        setIsUnderPointer(false);
        orderHold.release('hover');
      }}
    >
      <DrawnRows model={model} />
    </div>
  );
}

/** The rows in view. They get plain values, so that scrolling does not render unchanged rows again. */
function DrawnRows<Row>({ model }: { model: TableModel<Row> }) {
  const { props, shown, activeIndex, isSelectable } = model;
  const { selection, href } = props;
  return model.drawn.items.map((item) => {
    const row = shown.row(item.index);
    const isRowSelected =
      row !== undefined && selection !== undefined && isSelected(selection, props.rowId(row));
    return (
      <TableRow
        key={item.index}
        row={row}
        index={item.index}
        top={item.start}
        columns={model.columns.visible}
        isCard={model.isCard}
        isActive={item.index === activeIndex}
        isSelected={isSelectable ? isRowSelected : null}
        isShown={row !== undefined && props.pane?.shownId === props.rowId(row)}
        hasActions={props.actions !== undefined}
        name={row === undefined ? `row ${item.index + 1}` : rowNameOf(props, row)}
        href={row === undefined || href === undefined ? null : href(row)}
        className={row === undefined ? '' : (props.rowClass?.(row) ?? '')}
      />
    );
  });
}
