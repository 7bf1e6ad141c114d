import { ArrowDown, ArrowUp } from 'lucide-react';
import { useState, type DragEvent, type KeyboardEvent, type MouseEvent, type TouchEvent } from 'react';
import { flushSync } from 'react-dom';
import { classNames } from '../class-names.ts';
import { MIN_COLUMN_SIZE, type Column, type Sort } from './column.ts';
import { moved, movedBefore, resized, unsized } from './column-preferences.ts';
import type { TableColumns } from './use-table-columns.ts';

/** How far an arrow key widens a column, in pixels. */
const RESIZE_STEP = 16;
const DRAG_TYPE = 'application/x-callsheet-column';

interface TableHeadProps<Row> {
  readonly columns: TableColumns<Row>;
  readonly sort: Sort | undefined;
  readonly onSort: ((sort: Sort) => void) | undefined;
  /** Null: rows of this table are not selected. */
  readonly extent: 'none' | 'some' | 'all' | null;
  readonly onSelectAll: (isSelected: boolean) => void;
  readonly hasActions: boolean;
}

/** The headers: pressed they sort, dragged they change places, their edges change widths; with alt, arrow keys do the same. */
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

function HeadCell<Row>({
  column,
  columns,
  sort,
  onSort,
}: {
  column: Column<Row>;
  columns: TableColumns<Row>;
  sort: Sort | undefined;
  onSort: ((sort: Sort) => void) | undefined;
}) {
  const [isTarget, setIsTarget] = useState(false);
  const { ordered, preferences, setPreferences } = columns;
  const { id, sortKey } = column;
  const isSortable = sortKey !== undefined && onSort !== undefined;
  const dir = sortKey !== undefined && sort?.key === sortKey ? sort.dir : null;
  const press = (): void => {
    if (isSortable) onSort({ key: sortKey, dir: dir === 'asc' ? 'desc' : 'asc' });
  };
  const pressKey = (event: KeyboardEvent<HTMLElement>): void => {
    if (!event.altKey || (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight')) return;
    event.preventDefault();
    const direction = event.key === 'ArrowRight' ? 1 : -1;
    if (event.shiftKey) setPreferences(moved(ordered, preferences, id, direction));
    else setPreferences(resized(preferences, column, widthOf(event.currentTarget) + direction * RESIZE_STEP));
  };
  const startResize = (event: MouseEvent<HTMLElement> | TouchEvent<HTMLElement>): void => {
    event.stopPropagation();
    // Else the browser drags the header that comes to lie under the place of the press.
    if (event.type === 'mousedown') event.preventDefault();
    // A column that grows begins at the width that it has, not at that which it was given.
    flushSync(() => setPreferences(resized(preferences, column, widthOf(event.currentTarget))));
    columns.headers.get(id)?.getResizeHandler()(event.nativeEvent);
  };
  const drop = (event: DragEvent): void => {
    setIsTarget(false);
    const dragged = event.dataTransfer.getData(DRAG_TYPE);
    if (dragged === '') return;
    event.preventDefault();
    setPreferences(movedBefore(ordered, preferences, dragged, id));
  };
  const label = (
    <>
      <span className="data-table__head-text">{column.header}</span>
      {dir === 'asc' && <ArrowUp aria-hidden="true" />}
      {dir === 'desc' && <ArrowDown aria-hidden="true" />}
    </>
  );
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
      <button
        type="button"
        className={classNames('data-table__head-button', isSortable && 'data-table__head-button--sorts')}
        draggable={columns.resizing === null}
        title={isSortable ? `Sort by ${column.header.toLowerCase()}` : undefined}
        aria-keyshortcuts="Alt+ArrowLeft Alt+ArrowRight Alt+Shift+ArrowLeft Alt+Shift+ArrowRight"
        onClick={press}
        onKeyDown={pressKey}
        onDragStart={(event) => {
          event.dataTransfer.setData(DRAG_TYPE, id);
          event.dataTransfer.effectAllowed = 'move';
        }}
      >
        {label}
      </button>
      <div
        className={classNames('data-table__handle', columns.resizing === id && 'data-table__handle--active')}
        aria-hidden="true"
        onMouseDown={startResize}
        onTouchStart={startResize}
        onDoubleClick={() => setPreferences(unsized(preferences, id))}
      />
    </div>
  );
}

/** The width of the header that an element is in, in pixels. */
function widthOf(element: HTMLElement): number {
  return element.closest('[role=columnheader]')?.getBoundingClientRect().width ?? MIN_COLUMN_SIZE;
}
