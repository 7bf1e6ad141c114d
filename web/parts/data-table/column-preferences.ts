import { COLUMN_SIZE, MIN_COLUMN_SIZE } from './column.ts';

/** Changes of a user to the columns of a table. Columns that are not named keep their defaults. */
export interface ColumnPreferences {
  readonly order: readonly string[];
  readonly isVisible: Readonly<Record<string, boolean>>;
  /** In pixels. */
  readonly sizes: Readonly<Record<string, number>>;
}

export const DEFAULT_PREFERENCES: ColumnPreferences = { order: [], isVisible: {}, sizes: {} };

/** Properties of a column that decide its position and visibility. */
export interface ColumnShape {
  readonly id: string;
  readonly size?: number;
  readonly minSize?: number;
  readonly grow?: boolean;
  readonly hiddenAtFirst?: boolean;
  readonly isFixed?: boolean;
}

const SIZE_MAX = 2000;

/** Parses stored preferences, also of older versions; null if the value is invalid. */
export function readColumnPreferences(kept: unknown): ColumnPreferences | null {
  if (typeof kept !== 'object' || kept === null) return null;
  const { order, isVisible, sizes } = kept as Readonly<Record<string, unknown>>;
  if (!Array.isArray(order) || !isRecord(isVisible) || !isRecord(sizes)) return null;
  return {
    order: order.filter((id) => typeof id === 'string'),
    isVisible: Object.fromEntries(
      Object.entries(isVisible).filter((entry): entry is [string, boolean] => typeof entry[1] === 'boolean'),
    ),
    sizes: Object.fromEntries(
      Object.entries(sizes).filter(
        (entry): entry is [string, number] =>
          typeof entry[1] === 'number' && entry[1] > 0 && entry[1] <= SIZE_MAX,
      ),
    ),
  };
}

/**
 * Returns the ids of all columns in display order. A column that a newer version added follows its predecessor in
 * `columns`.
 */
export function columnOrder(columns: readonly ColumnShape[], preferences: ColumnPreferences): string[] {
  const known = new Set(columns.map((column) => column.id));
  const order = [...new Set(preferences.order)].filter((id) => known.has(id));
  columns.forEach((column, index) => {
    if (order.includes(column.id)) return;
    const before = columns[index - 1];
    order.splice(before === undefined ? 0 : order.indexOf(before.id) + 1, 0, column.id);
  });
  return order;
}

/** Returns the visibility of each column. */
export function columnVisibility(
  columns: readonly ColumnShape[],
  preferences: ColumnPreferences,
): Record<string, boolean> {
  return Object.fromEntries(
    columns.map((column) => [
      column.id,
      column.isFixed === true || (preferences.isVisible[column.id] ?? column.hiddenAtFirst !== true),
    ]),
  );
}

/** Moves a column one position forward (1) or back (-1) among all columns. No change at the ends. */
export function moved(
  columns: readonly ColumnShape[],
  preferences: ColumnPreferences,
  id: string,
  by: number,
): ColumnPreferences {
  const order = columnOrder(columns, preferences);
  const from = order.indexOf(id);
  const to = from + by;
  if (from < 0 || to < 0 || to >= order.length) return preferences;
  order.splice(from, 1);
  order.splice(to, 0, id);
  return { ...preferences, order };
}

/** Moves a column before another one, or to the end. */
export function movedBefore(
  columns: readonly ColumnShape[],
  preferences: ColumnPreferences,
  id: string,
  before: string | null,
): ColumnPreferences {
  if (id === before) return preferences;
  const order = columnOrder(columns, preferences).filter((other) => other !== id);
  const place = before === null ? order.length : order.indexOf(before);
  order.splice(place < 0 ? order.length : place, 0, id);
  return { ...preferences, order };
}

export function shown(preferences: ColumnPreferences, id: string, isVisible: boolean): ColumnPreferences {
  return { ...preferences, isVisible: { ...preferences.isVisible, [id]: isVisible } };
}

/** Sets the width of a column in pixels, within its limits. */
export function resized(
  preferences: ColumnPreferences,
  column: ColumnShape,
  size: number,
): ColumnPreferences {
  const bounded = Math.round(Math.min(SIZE_MAX, Math.max(column.minSize ?? MIN_COLUMN_SIZE, size)));
  return { ...preferences, sizes: { ...preferences.sizes, [column.id]: bounded } };
}

/** Restores the default width of a column. */
export function unsized(preferences: ColumnPreferences, id: string): ColumnPreferences {
  const { [id]: _gone, ...sizes } = preferences.sizes;
  return { ...preferences, sizes };
}

/** Returns the widths as `grid-template-columns`, and the sum of the minimum widths in pixels. */
export function columnTracks(
  visible: readonly ColumnShape[],
  preferences: ColumnPreferences,
): { readonly tracks: string; readonly width: number } {
  let width = 0;
  let isFilled = false;
  const tracks = visible.map((column) => {
    const chosen = preferences.sizes[column.id];
    const size = chosen ?? column.size ?? COLUMN_SIZE;
    width += size;
    if (chosen !== undefined || column.grow !== true) return `${size}px`;
    isFilled = true;
    return `minmax(${size}px, 1fr)`;
  });
  // If every width is fixed, an empty track takes the remaining space.
  if (!isFilled) tracks.push('minmax(0, 1fr)');
  return { tracks: tracks.join(' '), width };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
