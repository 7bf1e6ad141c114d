import {
  columnOrderingFeature,
  columnResizingFeature,
  columnSizingFeature,
  columnVisibilityFeature,
  tableFeatures,
  useTable,
  type ColumnDef,
  type ColumnSizingState,
  type Header,
  type Updater,
} from '@tanstack/react-table';
import { useMemo } from 'react';
import { usePreference } from '../../state/use-preference.ts';
import { COLUMN_SIZE, MIN_COLUMN_SIZE, type Column } from './column.ts';
import {
  DEFAULT_PREFERENCES,
  columnOrder,
  columnTracks,
  columnVisibility,
  readColumnPreferences,
  resized,
  type ColumnPreferences,
} from './column-preferences.ts';

const features = tableFeatures({
  columnVisibilityFeature,
  columnOrderingFeature,
  columnSizingFeature,
  columnResizingFeature,
});
/** The rows are managed elsewhere: this table only arranges columns. */
type NoRow = Record<string, never>;
const NO_ROWS: NoRow[] = [];

/** Header of a column, with its resize handler. */
export type TableHeader = Header<typeof features, NoRow>;

export interface TableColumns<Row> {
  readonly preferences: ColumnPreferences;
  readonly setPreferences: (preferences: ColumnPreferences | null) => void;
  /** Visible columns in display order. */
  readonly visible: readonly Column<Row>[];
  /** All columns in display order. */
  readonly ordered: readonly Column<Row>[];
  readonly headers: ReadonlyMap<string, TableHeader>;
  readonly resizing: string | null;
  /** `grid-template-columns` of the visible columns. */
  readonly tracks: string;
  /** Sum of the minimum widths in pixels. */
  readonly width: number;
}

/** Returns the columns as the user has arranged them. Stores the arrangement under the id of the table. */
export function useTableColumns<Row>(id: string, columns: readonly Column<Row>[]): TableColumns<Row> {
  const [preferences, setPreferences] = usePreference(
    `table.${id}`,
    DEFAULT_PREFERENCES,
    readColumnPreferences,
  );
  const definitions = useMemo(
    () =>
      columns.map((column): ColumnDef<typeof features, NoRow> => ({
        id: column.id,
        header: column.header,
        size: column.size ?? COLUMN_SIZE,
        minSize: column.minSize ?? MIN_COLUMN_SIZE,
        enableHiding: column.isFixed !== true,
      })),
    [columns],
  );
  const order = useMemo(() => columnOrder(columns, preferences), [columns, preferences]);
  const visibility = useMemo(() => columnVisibility(columns, preferences), [columns, preferences]);
  const sizing = useMemo((): ColumnSizingState => ({ ...preferences.sizes }), [preferences]);
  const table = useTable({
    features,
    columns: definitions,
    data: NO_ROWS,
    columnResizeMode: 'onChange',
    state: { columnOrder: order, columnVisibility: visibility, columnSizing: sizing },
    onColumnSizingChange: (updater: Updater<ColumnSizingState>) => {
      const after = typeof updater === 'function' ? updater(sizing) : updater;
      let changed = preferences;
      for (const column of columns) {
        const size = after[column.id];
        if (size !== undefined && size !== preferences.sizes[column.id])
          changed = resized(changed, column, size);
      }
      if (changed !== preferences) setPreferences(changed);
    },
  });
  const byId = useMemo(() => new Map(columns.map((column) => [column.id, column])), [columns]);
  const visibleIds = table.getVisibleLeafColumns().map((column) => column.id);
  const visibleNames = visibleIds.join('\n');
  const visible = useMemo(() => {
    return visibleNames.split('\n').flatMap((columnId) => byId.get(columnId) ?? []);
  }, [visibleNames, byId]);
  const ordered = useMemo(() => order.flatMap((columnId) => byId.get(columnId) ?? []), [order, byId]);
  const headers = new Map(table.getFlatHeaders().map((header) => [header.column.id, header]));
  const resizing = table.state.columnResizing.isResizingColumn;
  const { tracks, width } = useMemo(() => columnTracks(visible, preferences), [visible, preferences]);
  return {
    preferences,
    setPreferences,
    visible,
    ordered,
    headers,
    resizing: resizing === false ? null : resizing,
    tracks,
    width,
  };
}
