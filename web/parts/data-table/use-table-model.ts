import { useEffect, useEffectEvent, useMemo, useRef, useState, type RefObject } from 'react';
import { useLocation } from 'wouter';
import type { ActionItem, MenuAnchor } from '../menu.tsx';
import type { RowSource } from './column.ts';
import type { DataTableProps } from './data-table-props.ts';
import { withFrozenOrder } from './frozen-rows.ts';
import { NOTHING_SELECTED } from './row-selection.ts';
import { rowHeightOf } from './table-layout.ts';
import { useActiveRow, useRowFocus } from './use-active-row.ts';
import { useDrawnRows, type RowRange } from './use-drawn-rows.ts';
import { useMedia } from './use-media.ts';
import { useOrderHold, type OrderHold } from './use-order-hold.ts';
import { useRowPane, type RowPaneModel } from './use-row-pane.ts';
import { useRowPicking, type RowPicking } from './use-row-picking.ts';
import { useTableColumns, type TableColumns } from './use-table-columns.ts';

/** Rows drawn as placeholders until the length of the list is known. */
const SKELETON_ROWS = 12;
/** Browsers limit the height of an element, in pixels; a note reports the rows beyond it. */
const HEIGHT_MAX = 16_000_000;
const CARDS = '(max-width: 640px)';

export interface OpenMenu {
  readonly at: MenuAnchor;
  readonly items: readonly ActionItem[];
  readonly name: string;
}

/** State of a table, shared by its parts and its event handlers. */
export interface TableModel<Row> {
  readonly props: DataTableProps<Row>;
  readonly columns: TableColumns<Row>;
  readonly isCard: boolean;
  /** Rows in the order in which they are drawn. */
  readonly shown: RowSource<Row>;
  /** Rows of the list; `countMax` of them can be drawn. */
  readonly total: number;
  readonly countMax: number;
  readonly rowHeight: number;
  readonly activeIndex: number;
  readonly drawn: ReturnType<typeof useDrawnRows<Row>>;
  readonly orderHold: OrderHold<Row>;
  readonly isSelectable: boolean;
  readonly picking: RowPicking;
  readonly pane: RowPaneModel;
  readonly menu: OpenMenu | null;
  readonly setIsUnderPointer: (isUnderPointer: boolean) => void;
  readonly activate: (index: number) => void;
  readonly focusActive: () => void;
  readonly open: (row: Row) => void;
  readonly openMenu: (index: number, at: MenuAnchor) => void;
  readonly closeMenu: () => void;
}

/** Creates the state of a table. `scroller` is the element that scrolls the rows. */
export function useTableModel<Row>(
  props: DataTableProps<Row>,
  scroller: RefObject<HTMLDivElement | null>,
): TableModel<Row> {
  const { rows, rowId, isCompact = false, listKey = '' } = props;
  const [, navigate] = useLocation();
  const columns = useTableColumns(props.id, props.columns);
  const isCard = useMedia(CARDS);
  const [isUnderPointer, setIsUnderPointer] = useState(false);
  const range = useRef<RowRange>({ first: 0, last: 0 });
  const orderHold = useOrderHold(rows, range);
  const { frozen } = orderHold;
  const shown = useMemo(() => withFrozenOrder(rows, frozen, rowId), [rows, frozen, rowId]);
  const rowHeight = rowHeightOf(columns.visible, { isCard, isCompact });
  const countMax = Math.floor(HEIGHT_MAX / rowHeight);
  const total = shown.total ?? SKELETON_ROWS;
  const count = Math.min(total, countMax);
  const { index: activeIndex, activate } = useActiveRow(shown, rowId, {
    count,
    listKey,
    shownId: props.pane?.shownId ?? null,
  });
  const drawn = useDrawnRows(scroller, { rows, count, rowHeight, activeIndex, isCard, range });
  useEffect(() => {
    scroller.current?.scrollTo({ top: 0, behavior: 'instant' });
  }, [scroller, listKey]);
  useAtRest(drawn.first === 0 && !isUnderPointer && frozen === null, props.onAtRest);
  const focusActive = useRowFocus(scroller, activeIndex);
  const picking = useRowPicking({
    rows: shown,
    rowId,
    selection: props.selection ?? NOTHING_SELECTED,
    onSelect: props.onSelect ?? ignore,
  });
  return {
    props,
    columns,
    isCard,
    shown,
    total,
    countMax,
    rowHeight,
    activeIndex,
    drawn,
    orderHold,
    isSelectable: props.selection !== undefined && props.onSelect !== undefined,
    picking,
    pane: useRowPane(props, shown, { activeIndex, focusActive }),
    ...useRowMenu(props, shown, orderHold),
    setIsUnderPointer,
    activate,
    focusActive,
    open: (row) => {
      if (props.onOpen !== undefined) props.onOpen(row);
      else if (props.href !== undefined) navigate(props.href(row));
    },
  };
}

/** Returns the display name of a row. */
export const rowNameOf = <Row>({ rowName, rowId }: DataTableProps<Row>, row: Row): string =>
  rowName?.(row) ?? rowId(row);

/** Opens and closes the menu of a row; the rows keep their order while it is open. */
function useRowMenu<Row>(
  props: DataTableProps<Row>,
  shown: RowSource<Row>,
  { hold, release }: OrderHold<Row>,
): Pick<TableModel<Row>, 'menu' | 'openMenu' | 'closeMenu'> {
  const [menu, setMenu] = useState<OpenMenu | null>(null);
  return {
    menu,
    openMenu: (index, at) => {
      const row = shown.row(index);
      if (row === undefined || props.actions === undefined) return;
      hold('menu');
      setMenu({ at, items: props.actions(row), name: rowNameOf(props, row) });
    },
    closeMenu: () => {
      setMenu(null);
      release('menu');
    },
  };
}

/** Reports changes of `isAtRest`. */
function useAtRest(isAtRest: boolean, onAtRest: ((isAtRest: boolean) => void) | undefined): void {
  const notify = useEffectEvent((value: boolean) => onAtRest?.(value));
  useEffect(() => notify(isAtRest), [isAtRest]);
}

const ignore = (): void => undefined;
