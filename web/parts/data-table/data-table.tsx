import { useVirtualizer, defaultRangeExtractor, type Range } from '@tanstack/react-virtual';
import {
  useEffect,
  useEffectEvent,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  type CSSProperties,
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
} from 'react';
import { useLocation } from 'wouter';
import { classNames } from '../class-names.ts';
import { Menu, type ActionItem, type MenuAnchor } from '../menu.tsx';
import { QueryProblem } from '../query-problem.tsx';
import type { Column, RowSource, Sort } from './column.ts';
import { ColumnChooser } from './column-chooser.tsx';
import { frozenRows, withFrozenOrder } from './frozen-rows.ts';
import { rowKeyAction } from './row-keys.ts';
import {
  ALL_SELECTED,
  NOTHING_SELECTED,
  isSelected,
  selectionExtent,
  type RowSelection,
} from './row-selection.ts';
import { SortSelect } from './sort-select.tsx';
import { TableHead } from './table-head.tsx';
import { TableRow } from './table-row.tsx';
import { useMedia } from './use-media.ts';
import { useOrderHold } from './use-order-hold.ts';
import { useRowPicking } from './use-row-picking.ts';
import { useTableColumns } from './use-table-columns.ts';
import './data-table.css';

export interface DataTableProps<Row> {
  /** Under which the browser remembers the columns. */
  readonly id: string;
  /** What the rows are, in the plural: "Jobs". */
  readonly label: string;
  /** The same array as long as nothing about it changes. */
  readonly columns: readonly Column<Row>[];
  readonly rows: RowSource<Row>;
  readonly rowId: (row: Row) => string;
  /** What a row is called; its id when there is none. */
  readonly rowName?: (row: Row) => string;
  readonly sort?: Sort;
  readonly onSort?: (sort: Sort) => void;
  /** With it rows can be selected. */
  readonly selection?: RowSelection;
  readonly onSelect?: (selection: RowSelection) => void;
  /** The page of a row: its first cell is a link to it. */
  readonly href?: (row: Row) => string;
  /** What opening a row does; without it, it goes to `href`. */
  readonly onOpen?: (row: Row) => void;
  /** What can be done with a row: a menu behind a button, and in place of the context menu. */
  readonly actions?: (row: Row) => readonly ActionItem[];
  /** What the Delete key does with the selected rows. */
  readonly onDelete?: () => void;
  /** What another key does with the selected rows; it answers whether it does anything. */
  readonly onKey?: (key: string) => boolean;
  readonly rowClass?: (row: Row) => string;
  /** Shown when there are no rows. */
  readonly empty?: ReactNode;
  readonly isCompact?: boolean;
  /** Takes the height that its parent, a column of a known height, leaves; else it is as high as its rows, up to most of the window. */
  readonly isFilling?: boolean;
  /** When it changes, another list is shown: from its top. */
  readonly listKey?: string;
  /** Above the table, before the choice of columns. */
  readonly toolbar?: ReactNode;
  /** Hears whether rows may come and go without taking one from under somebody's eyes or pointer. */
  readonly onAtRest?: (isAtRest: boolean) => void;
}

const ROW_HEIGHT = 37;
const COMPACT_ROW_HEIGHT = 29;
/** All cards of a table are as high as their columns ask for: measuring each as it comes makes a long list jump. */
const CARD = { title: 48, line: 28, metaLine: 24, metaEach: 3, edge: 12 };
const HEAD_HEIGHT = 34;
/** Rows that stand for a list whose length is not known yet. */
const SKELETON_ROWS = 12;
const OVERSCAN = 6;
const SELECT_WIDTH = 36;
const ACTIONS_WIDTH = 40;
/** Browsers draw no element higher than this, in pixels; what would lie below is told. */
const HEIGHT_MAX = 16_000_000;
const CARDS = '(max-width: 640px)';

interface Active {
  readonly index: number;
  /** Null before a row was pressed or moved to. */
  readonly id: string | null;
}

interface OpenMenu {
  readonly at: MenuAnchor;
  readonly items: readonly ActionItem[];
  readonly name: string;
}

/** A table of any length, of which the rows that are looked at are drawn: by pointer, by keyboard, and as cards where it is narrow. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { id, label, rows, rowId, sort, onSort, selection, onSelect, href, actions, empty, onAtRest } = props;
  const { isCompact = false, isFilling = false, toolbar, listKey = '' } = props;
  const [, navigate] = useLocation();
  const scroller = useRef<HTMLDivElement>(null);
  const columns = useTableColumns(id, props.columns);
  const isCard = useMedia(CARDS);
  const [active, setActive] = useState<Active>({ index: 0, id: null });
  const [menu, setMenu] = useState<OpenMenu | null>(null);
  const [isUnderPointer, setIsUnderPointer] = useState(false);
  /** Raised when the active row is to get the focus. */
  const [focusWanted, setFocusWanted] = useState(0);

  const { frozen, hold, release, aim } = useOrderHold<Row>(() => {
    const drawn = virtualizer.range;
    return frozenRows(rows, drawn?.startIndex ?? 0, drawn?.endIndex ?? 0);
  });
  const shown = useMemo(() => withFrozenOrder(rows, frozen, rowId), [rows, frozen, rowId]);

  const rowHeight = isCard ? cardHeight(columns.visible) : isCompact ? COMPACT_ROW_HEIGHT : ROW_HEIGHT;
  const countMax = Math.floor(HEIGHT_MAX / rowHeight);
  const total = shown.total ?? SKELETON_ROWS;
  const count = Math.min(total, countMax);
  const activeIndex = placeOf(shown, active, rowId, count);

  // Its functions change with what is scrolled to: this component is drawn anew each time, and gives rows plain values.
  const virtualizer = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: OVERSCAN,
    scrollPaddingEnd: isCard ? 0 : HEAD_HEIGHT,
    // The row with the focus stays, or the focus would be lost with it.
    rangeExtractor: (range: Range) => {
      const indexes = defaultRangeExtractor(range);
      if (activeIndex < count && !indexes.includes(activeIndex)) indexes.push(activeIndex);
      return indexes.sort((one, other) => one - other);
    },
  });
  const items = virtualizer.getVirtualItems();
  const first = virtualizer.range?.startIndex ?? 0;
  const last = virtualizer.range?.endIndex ?? 0;

  useEffect(() => virtualizer.measure(), [virtualizer, rowHeight]);
  useEffect(() => {
    rows.need(Math.max(0, first - OVERSCAN), last + OVERSCAN);
  }, [rows, first, last]);

  const [shownKey, setShownKey] = useState(listKey);
  if (shownKey !== listKey) {
    setShownKey(listKey);
    setActive({ index: 0, id: null });
  }
  useEffect(() => {
    if (scroller.current !== null) scroller.current.scrollTop = 0;
  }, [listKey]);

  const isAtRest = first === 0 && !isUnderPointer && frozen === null;
  const tellRest = useEffectEvent((value: boolean) => onAtRest?.(value));
  useEffect(() => tellRest(isAtRest), [isAtRest]);

  const rowElement = (index: number): HTMLElement | null =>
    scroller.current?.querySelector<HTMLElement>(`[data-index="${index}"]`) ?? null;
  useLayoutEffect(() => {
    if (focusWanted > 0) rowElement(activeIndex)?.focus({ preventScroll: true });
    // Only when it is asked for: the effect below follows a row that moves.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [focusWanted]);
  useLayoutEffect(() => {
    const focused = document.activeElement;
    if (!(focused instanceof HTMLElement) || focused.dataset['index'] === undefined) return;
    if (scroller.current?.contains(focused) === true) rowElement(activeIndex)?.focus({ preventScroll: true });
  }, [activeIndex]);

  const isSelecting = selection !== undefined && onSelect !== undefined;
  const picking = useRowPicking({
    rows: shown,
    rowId,
    selection: selection ?? NOTHING_SELECTED,
    onSelect: onSelect ?? ignore,
  });

  const open = (row: Row): void => {
    if (props.onOpen !== undefined) props.onOpen(row);
    else if (href !== undefined) navigate(href(row));
  };
  const activate = (index: number): void => {
    const row = shown.row(index);
    setActive({ index, id: row === undefined ? null : rowId(row) });
  };
  const nameOf = (row: Row): string => props.rowName?.(row) ?? rowId(row);
  const openMenu = (index: number, at: MenuAnchor): void => {
    const row = shown.row(index);
    if (row === undefined || actions === undefined) return;
    hold('menu');
    setMenu({ at, items: actions(row), name: nameOf(row) });
  };

  const pressKey = (event: KeyboardEvent<HTMLElement>): void => {
    if (!(event.target instanceof HTMLElement)) return;
    // After a press on the box of a row the keys are for the rows too; the space bar is its own.
    const isBox = event.target.dataset['select'] !== undefined;
    if (event.target.dataset['index'] === undefined && (!isBox || event.key === ' ')) return;
    const page = Math.max(1, last - first);
    const action = rowKeyAction(event, { active: activeIndex, total: count, page });
    if (action === null) {
      const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey && !event.repeat;
      if (isPlain && props.onKey?.(event.key) === true) event.preventDefault();
      return;
    }
    const row = shown.row(activeIndex);
    if (action.kind === 'select-none' && (!isSelecting || selectionExtent(selection, total) === 'none'))
      return;
    event.preventDefault();
    switch (action.kind) {
      case 'move':
        if (isSelecting && action.isRange) picking.range(activeIndex, action.to);
        else picking.anchor(action.to);
        activate(action.to);
        virtualizer.scrollToIndex(action.to);
        setFocusWanted((before) => before + 1);
        break;
      case 'open':
        if (row !== undefined) open(row);
        break;
      case 'toggle':
        if (isSelecting) picking.toggle(activeIndex);
        break;
      case 'select-all':
        if (isSelecting) onSelect(ALL_SELECTED);
        break;
      case 'select-none':
        onSelect?.(NOTHING_SELECTED);
        break;
      case 'delete':
        props.onDelete?.();
        break;
      case 'menu': {
        const rect = event.target.getBoundingClientRect();
        openMenu(activeIndex, { x: rect.left + 24, y: rect.bottom });
        break;
      }
    }
  };

  const press = (event: MouseEvent<HTMLElement>): void => {
    const place = placeInTable(event);
    if (place === null) return;
    const { index, target } = place;
    const row = shown.row(index);
    const button = target.closest<HTMLElement>('[data-actions]');
    if (button !== null) {
      const rect = button.getBoundingClientRect();
      activate(index);
      openMenu(index, { x: rect.left, y: rect.bottom + 2 });
      return;
    }
    if (target.closest('[data-select]') !== null) {
      activate(index);
      if (event.shiftKey) picking.range(activeIndex, index);
      else picking.toggle(index);
      return;
    }
    // Links and controls in cells do their own, and what was marked is about to be copied.
    if (target.closest('a, button, input, select, summary') !== null || hasMarkedText()) return;
    activate(index);
    if (isSelecting && event.shiftKey) picking.range(activeIndex, index);
    else if (isSelecting && (event.ctrlKey || event.metaKey)) picking.toggle(index);
    else if (isSelecting && isCard && selectionExtent(selection, total) !== 'none') picking.toggle(index);
    else if (isSelecting && !isCard) picking.only(index);
    else if (row !== undefined) open(row);
  };
  const pressTwice = (event: MouseEvent<HTMLElement>): void => {
    const place = placeInTable(event);
    if (place === null || !isSelecting || isCard || place.target.closest('a, button, input, select') !== null)
      return;
    const row = shown.row(place.index);
    if (row === undefined) return;
    getSelection()?.removeAllRanges();
    open(row);
  };

  const extent = isSelecting ? selectionExtent(selection, total) : null;
  const leading = isSelecting ? [`${SELECT_WIDTH}px`] : [];
  const trailing = actions === undefined ? [] : [`${ACTIONS_WIDTH}px`];
  const hasFiller = columns.tracks.endsWith('minmax(0, 1fr)');
  const tracks = [...leading, columns.tracks, ...(hasFiller ? [] : ['0px']), ...trailing].join(' ');
  const style = {
    '--data-table-tracks': tracks,
    '--data-table-width': `${columns.width + SELECT_WIDTH + ACTIONS_WIDTH}px`,
    '--data-table-row-height': `${rowHeight}px`,
  } as CSSProperties;
  const isEmpty = shown.total === 0 && shown.isPrevious !== true && rows.error === null;
  const isFailed = rows.error !== null && shown.total === null;

  return (
    <div
      className={classNames(
        'data-table',
        isFilling && 'data-table--filling',
        isCompact && 'data-table--compact',
      )}
      style={style}
    >
      <div className="data-table__toolbar">
        <div className="data-table__tools">{toolbar}</div>
        {isCard && onSort !== undefined ? (
          <SortSelect columns={props.columns} sort={sort} onSort={onSort} />
        ) : (
          !isCard && <ColumnChooser columns={columns} />
        )}
      </div>
      {rows.error !== null && (
        <QueryProblem error={rows.error} what={`the ${label.toLowerCase()}`} onRetry={() => rows.retry?.()} />
      )}
      {isEmpty && (
        <div className="data-table__empty">{empty ?? <p className="muted">There is nothing here.</p>}</div>
      )}
      {!isEmpty && !isFailed && (
        <div
          ref={scroller}
          role="grid"
          aria-label={label}
          aria-rowcount={shown.total === null ? -1 : shown.total + 1}
          aria-multiselectable={isSelecting || undefined}
          aria-busy={shown.total === null || shown.isPrevious === true || undefined}
          className={classNames(
            'data-table__scroller',
            isCard && 'data-table__scroller--cards',
            shown.isPrevious === true && 'data-table__scroller--previous',
          )}
        >
          <TableHead
            columns={columns}
            sort={sort}
            onSort={onSort}
            extent={extent}
            onSelectAll={(isAll) => onSelect?.(isAll ? ALL_SELECTED : NOTHING_SELECTED)}
            hasActions={actions !== undefined}
          />
          <div
            role="rowgroup"
            className="data-table__body"
            style={{ height: virtualizer.getTotalSize() }}
            onKeyDown={pressKey}
            onClick={press}
            onDoubleClick={pressTwice}
            onContextMenu={(event) => {
              const place = placeInTable(event);
              // With shift the browser's own menu comes.
              if (place === null || actions === undefined || event.shiftKey) return;
              event.preventDefault();
              activate(place.index);
              openMenu(place.index, { x: event.clientX, y: event.clientY });
            }}
            onMouseDown={(event) => {
              // A range of rows is meant, not a range of text.
              if (event.shiftKey) event.preventDefault();
            }}
            onPointerDown={() => hold('press')}
            onPointerMove={(event) => {
              if (event.pointerType === 'mouse') aim();
            }}
            onPointerEnter={(event) => setIsUnderPointer(event.pointerType === 'mouse')}
            onPointerLeave={() => {
              setIsUnderPointer(false);
              release('hover');
            }}
          >
            {items.map((item) => {
              const row = shown.row(item.index);
              return (
                <TableRow
                  key={item.index}
                  row={row}
                  index={item.index}
                  top={item.start}
                  columns={columns.visible}
                  isCard={isCard}
                  isActive={item.index === activeIndex}
                  isSelected={isSelecting ? row !== undefined && isSelected(selection, rowId(row)) : null}
                  hasActions={actions !== undefined}
                  name={row === undefined ? `row ${item.index + 1}` : nameOf(row)}
                  href={row === undefined || href === undefined ? null : href(row)}
                  className={row === undefined ? '' : (props.rowClass?.(row) ?? '')}
                />
              );
            })}
          </div>
        </div>
      )}
      {total > countMax && (
        <p className="data-table__note">
          The first {countMax.toLocaleString('en')} of {total.toLocaleString('en')} are listed: filter to see
          others.
        </p>
      )}
      {menu !== null && (
        <Menu
          items={menu.items}
          at={menu.at}
          label={`Actions for ${menu.name}`}
          onClose={() => {
            setMenu(null);
            release('menu');
          }}
        />
      )}
    </div>
  );
}

const ignore = (): void => undefined;

function cardHeight<Row>(columns: readonly Column<Row>[]): number {
  const placed = (place: Column<Row>['card']): number =>
    columns.filter((column) => (column.card ?? 'meta') === place).length;
  const lines = Math.max(placed('line'), placed('plain') > 0 ? 1 : 0);
  const metaLines = Math.ceil(placed('meta') / CARD.metaEach);
  return CARD.title + lines * CARD.line + metaLines * CARD.metaLine + CARD.edge;
}

/** How far a row may move and keep the focus, in rows. */
const FOLLOWED = 200;

/** Where the active row is now: it may have moved since it became active. */
function placeOf<Row>(
  rows: RowSource<Row>,
  { index, id }: Active,
  rowId: (row: Row) => string,
  count: number,
): number {
  const clamped = Math.min(index, Math.max(0, count - 1));
  if (id === null) return clamped;
  for (let distance = 0; distance <= FOLLOWED; distance += 1) {
    for (const place of [clamped - distance, clamped + distance]) {
      const row = place < 0 ? undefined : rows.row(place);
      if (row !== undefined && rowId(row) === id) return place;
    }
  }
  return clamped;
}

function placeInTable(event: MouseEvent<HTMLElement>): { index: number; target: HTMLElement } | null {
  const target = event.target instanceof Element ? event.target : null;
  const row = target?.closest<HTMLElement>('[data-index]') ?? null;
  if (target === null || row === null) return null;
  const element = target.closest<HTMLElement>('*:not(svg, svg *)') ?? row;
  return { index: Number(row.dataset['index']), target: element };
}

function hasMarkedText(): boolean {
  const marked = getSelection();
  return marked !== null && !marked.isCollapsed && marked.toString() !== '';
}
