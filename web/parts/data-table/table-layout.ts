import type { CSSProperties } from 'react';
import type { Column } from './column.ts';
import type { TableColumns } from './use-table-columns.ts';

const ROW_HEIGHT = 37;
const COMPACT_ROW_HEIGHT = 29;
/** All cards of a table have the same height, computed from its columns. Measured heights would make a long list jump. */
const CARD = { title: 48, line: 28, metaLine: 24, metaEach: 3, edge: 12 };
const SELECT_WIDTH = 36;
const ACTIONS_WIDTH = 40;

/** Returns the height of each row or card in pixels. */
export function rowHeightOf<Row>(
  columns: readonly Column<Row>[],
  { isCard, isCompact }: { isCard: boolean; isCompact: boolean },
): number {
  if (isCard) return cardHeight(columns);
  return isCompact ? COMPACT_ROW_HEIGHT : ROW_HEIGHT;
}

function cardHeight<Row>(columns: readonly Column<Row>[]): number {
  const placed = (place: Column<Row>['card']): number =>
    columns.filter((column) => (column.card ?? 'meta') === place).length;
  const lines = Math.max(placed('line'), placed('plain') > 0 ? 1 : 0);
  const metaLines = Math.ceil(placed('meta') / CARD.metaEach);
  return CARD.title + lines * CARD.line + metaLines * CARD.metaLine + CARD.edge;
}

/** Returns the custom properties of data-table.css for a table. */
export function gridStyle<Row>(
  columns: TableColumns<Row>,
  { rowHeight, isSelectable, hasActions }: { rowHeight: number; isSelectable: boolean; hasActions: boolean },
): CSSProperties {
  const leading = isSelectable ? [`${SELECT_WIDTH}px`] : [];
  const trailing = hasActions ? [`${ACTIONS_WIDTH}px`] : [];
  const hasFiller = columns.tracks.endsWith('minmax(0, 1fr)');
  const tracks = [...leading, columns.tracks, ...(hasFiller ? [] : ['0px']), ...trailing].join(' ');
  return {
    '--data-table-tracks': tracks,
    '--data-table-width': `${columns.width + SELECT_WIDTH + ACTIONS_WIDTH}px`,
    '--data-table-row-height': `${rowHeight}px`,
  } as CSSProperties;
}
