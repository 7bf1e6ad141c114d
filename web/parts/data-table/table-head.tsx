import { ArrowDown, ArrowUp } from 'lucide-react';
import { useState, type DragEvent, type KeyboardEvent, type MouseEvent, type TouchEvent } from 'react';
import { flushSync } from 'react-dom';
import { classNames } from '../class-names.ts';
import { MIN_COLUMN_SIZE, type Column, type Sort } from './column.ts';
import { moved, movedBefore, resized, unsized } from './column-preferences.ts';
import type { TableColumns } from './use-table-columns.ts';

/** Pixels by which an arrow key resizes a column. */
const RESIZE_STEP = 16;
const DRAG_TYPE = 'application/x-callsheet-column';

interface TableHeadProps<Row> {
  readonly columns: TableColumns<Row>;
  readonly sort: Sort | undefined;
  readonly onSort: ((sort: Sort) => void) | undefined;
  /** Null if the rows of this table are not selectable. */
  readonly extent: 'none' | 'some' | 'all' | null;
  readonly onSelectAll: (isSelected: boolean) => void;
  readonly hasActions: boolean;
}

/** The header row, with the checkbox that selects all rows. */
export function TableHead<Row>({
  columns,
  sort,
  onSort,
  extent,
  onSelectAll,
  hasActions,
}: TableHeadProps<Row>) {
  return (
    <div role="rowgroup" className="data-table__head">
      <div role="row" aria-rowindex={1} className="data-table__row data-table__row--head">
        {extent !== null && (
          <div role="columnheader" className="data-table__select">
            <input
              type="checkbox"
              aria-label="Select all"
              data-select-all=""
              checked={extent === 'all'}
              ref={(box) => {
                if (box !== null) box.indeterminate = extent === 'some';
              }}
              onChange={(event) => onSelectAll(event.target.checked)}
            />
          </div>
        )}
        {columns.visible.map((column) => (
          <HeadCell key={column.id} column={column} columns={columns} sort={sort} onSort={onSort} />
        ))}
        <div role="presentation" />
        {hasActions && (
          <div role="columnheader" className="data-table__actions">
            <span className="visually-hidden">Actions</span>
          </div>
        )}
      </div>
    </div>
  );
}

interface HeadCellProps<Row> {
  readonly column: Column<Row>;
  readonly columns: TableColumns<Row>;
  readonly sort: Sort | undefined;
  readonly onSort: ((sort: Sort) => void) | undefined;
}

/** One header. It is the drop target for a dragged header. */
function HeadCell<Row>(props: HeadCellProps<Row>) {
  const { column, columns, sort } = props;
  const { id, sortKey } = column;
  const { ordered, preferences, setPreferences } = columns;
  const [isTarget, setIsTarget] = useState(false);
  const dir = sortKey !== undefined && sort?.key === sortKey ? sort.dir : null;
  const drop = (event: DragEvent): void => {
    setIsTarget(false);
    const dragged = event.dataTransfer.getData(DRAG_TYPE);
    if (dragged === '') return;
    event.preventDefault();
    setPreferences(movedBefore(ordered, preferences, dragged, id));
  };
  return (
    <div
      role="columnheader"
      aria-sort={dir === null ? undefined : dir === 'asc' ? 'ascending' : 'descending'}
      className={classNames(
        'data-table__head-cell',
        column.align === 'end' && 'data-table__head-cell--end',
        isTarget && 'data-table__head-cell--target',
      )}
      onDragOver={(event) => {
        if (!event.dataTransfer.types.includes(DRAG_TYPE)) return;
        event.preventDefault();
        setIsTarget(true);
      }}
      onDragLeave={() => setIsTarget(false)}
      onDrop={drop}
    >
      <HeadButton {...props} dir={dir} />
      <ResizeHandle column={column} columns={columns} />
    </div>
  );
}

/** Sorts by the column on a click; Alt and the arrow keys resize or move it; dragging moves it. */
function HeadButton<Row>({ column, columns, onSort, dir }: HeadCellProps<Row> & { dir: Sort['dir'] | null }) {
  const { id, sortKey, header } = column;
  const { ordered, preferences, setPreferences } = columns;
  const isSortable = sortKey !== undefined && onSort !== undefined;
  const pressKey = (event: KeyboardEvent<HTMLElement>): void => {
    if (!event.altKey || (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight')) return;
    event.preventDefault();
    const direction = event.key === 'ArrowRight' ? 1 : -1;
    if (event.shiftKey) setPreferences(moved(ordered, preferences, id, direction));
    else setPreferences(resized(preferences, column, widthOf(event.currentTarget) + direction * RESIZE_STEP));
  };
  return (
    <button
      type="button"
      className={classNames('data-table__head-button', isSortable && 'data-table__head-button--sorts')}
      draggable={columns.resizing === null}
      title={isSortable ? `Sort by ${header.toLowerCase()}` : undefined}
      aria-keyshortcuts="Alt+ArrowLeft Alt+ArrowRight Alt+Shift+ArrowLeft Alt+Shift+ArrowRight"
      onClick={() => {
        if (isSortable) onSort({ key: sortKey, dir: dir === 'asc' ? 'desc' : 'asc' });
      }}
      onKeyDown={pressKey}
      onDragStart={(event) => {
        event.dataTransfer.setData(DRAG_TYPE, id);
        event.dataTransfer.effectAllowed = 'move';
      }}
    >
      <span className="data-table__head-text">{header}</span>
      {dir === 'asc' && <ArrowUp aria-hidden="true" />}
      {dir === 'desc' && <ArrowDown aria-hidden="true" />}
    </button>
  );
}

/** The edge of a header: dragging it resizes the column, a double click restores the default width. */
function ResizeHandle<Row>({ column, columns }: Pick<HeadCellProps<Row>, 'column' | 'columns'>) {
  const { preferences, setPreferences } = columns;
  const startResize = (event: MouseEvent<HTMLElement> | TouchEvent<HTMLElement>): void => {
    event.stopPropagation();
    // Otherwise the browser starts to drag the header that moves under the pointer.
    if (event.type === 'mousedown') event.preventDefault();
    // A column that grows starts from its current width, not from its configured one.
    flushSync(() => setPreferences(resized(preferences, column, widthOf(event.currentTarget))));
    columns.headers.get(column.id)?.getResizeHandler()(event.nativeEvent);
  };
  return (
    <div
      className={classNames(
        'data-table__handle',
        columns.resizing === column.id && 'data-table__handle--active',
      )}
      aria-hidden="true"
      onMouseDown={startResize}
      onTouchStart={startResize}
      onDoubleClick={() => setPreferences(unsized(preferences, column.id))}
    />
  );
}

/** Returns the width in pixels of the header that contains an element. */
function widthOf(element: HTMLElement): number {
  return element.closest('[role=columnheader]')?.getBoundingClientRect().width ?? MIN_COLUMN_SIZE;
}
