/** Items of a timeline: bars in rows, grouped in lanes, one per worker. Times are in milliseconds since the epoch. */

export interface TimelineItem {
  readonly id: string;
  readonly name: string;
  /** A status of a task. */
  readonly status: string;
  /** Id of the lane. */
  readonly lane: string;
  readonly from: number;
  /** Null while the item is in progress. */
  readonly to: number | null;
}

export interface TimelineLane {
  readonly id: string;
  readonly label: string;
  readonly firstRow: number;
  readonly rows: number;
  readonly items: readonly TimelineItem[];
}

export interface TimelineModel {
  readonly lanes: readonly TimelineLane[];
  /** Bars of each row in order of time; they do not overlap. */
  readonly rows: readonly (readonly TimelineItem[])[];
  readonly from: number;
  readonly to: number;
}

const byName = new Intl.Collator('en', { numeric: true });

/** Returns the end of an item, or now while it is in progress. If clocks differ, the end is never before the start. */
export const endOf = ({ from, to }: TimelineItem, now: number): number => Math.max(from, to ?? now);

/** Groups the items in lanes, with overlapping items of a lane in separate rows. */
export function timelineOf(
  items: readonly TimelineItem[],
  labelOf: (lane: string) => string,
  now: number,
): TimelineModel {
  const byLane = new Map<string, TimelineItem[]>();
  for (const item of [...items].sort((a, b) => a.from - b.from)) {
    const lane = byLane.get(item.lane);
    if (lane === undefined) byLane.set(item.lane, [item]);
    else lane.push(item);
  }
  const named = [...byLane].map(([id, list]) => ({ id, label: labelOf(id), items: list }));
  named.sort((a, b) => byName.compare(a.label, b.label));
  const rows: (readonly TimelineItem[])[] = [];
  const lanes = named.map((lane): TimelineLane => {
    const packed = packedRows(lane.items, now);
    rows.push(...packed);
    return { ...lane, firstRow: rows.length - packed.length, rows: packed.length };
  });
  const from = items.reduce((first, item) => Math.min(first, item.from), Infinity);
  const to = items.reduce((last, item) => Math.max(last, endOf(item, now)), -Infinity);
  return { lanes, rows, from: items.length === 0 ? now : from, to: items.length === 0 ? now : to };
}

/** Distributes items to as few rows as possible: each goes to the first free row, in order of start. */
function packedRows(items: readonly TimelineItem[], now: number): TimelineItem[][] {
  const rows: { list: TimelineItem[]; free: number }[] = [];
  for (const item of items) {
    let row = rows.find(({ free }) => free <= item.from);
    if (row === undefined) {
      row = { list: [], free: 0 };
      rows.push(row);
    }
    row.list.push(item);
    // An item in progress keeps its row, whatever the clocks say.
    row.free = item.to === null ? Infinity : endOf(item, now);
  }
  return rows.map(({ list }) => list);
}

/** Returns the index of the first item in a row that ends after `time`; the length of the row if there is none. */
export function firstAfter(row: readonly TimelineItem[], time: number, now: number): number {
  let low = 0;
  let high = row.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const item = row[middle];
    if (item !== undefined && endOf(item, now) <= time) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Returns the item of a row at a time, or the nearest one within `reach` milliseconds, because short bars are
 * narrower than a pointer.
 */
export function itemAt(
  row: readonly TimelineItem[],
  time: number,
  reach: number,
  now: number,
): TimelineItem | null {
  const index = firstAfter(row, time, now);
  const distances = [row[index - 1], row[index]].flatMap((item) =>
    item === undefined ? [] : [{ item, by: Math.max(item.from - time, time - endOf(item, now), 0) }],
  );
  distances.sort((a, b) => a.by - b.by);
  const nearest = distances[0];
  return nearest === undefined || nearest.by > reach ? null : nearest.item;
}

export interface TimelinePlace {
  readonly row: number;
  readonly index: number;
}

/** Returns the position after an arrow key: along the row, or the nearest in time in the row above or below. */
export function moveCursor(
  { rows }: TimelineModel,
  { row, index }: TimelinePlace,
  key: string,
  now: number,
): TimelinePlace | null {
  const length = rows[row]?.length ?? 0;
  if (key === 'ArrowLeft') return index > 0 ? { row, index: index - 1 } : null;
  if (key === 'ArrowRight') return index + 1 < length ? { row, index: index + 1 } : null;
  if (key === 'Home') return { row, index: 0 };
  if (key === 'End') return { row, index: Math.max(0, length - 1) };
  const step = key === 'ArrowDown' ? 1 : key === 'ArrowUp' ? -1 : 0;
  const next = rows[row + step];
  const current = rows[row]?.[index];
  if (step === 0 || next === undefined || current === undefined) return null;
  const item = itemAt(next, current.from, Infinity, now);
  return item === null ? null : { row: row + step, index: next.indexOf(item) };
}

export interface LaneSummary {
  readonly id: string;
  readonly label: string;
  readonly count: number;
  readonly failed: number;
  /** Sum of the durations of its items. */
  readonly busyMs: number;
  readonly from: number;
  readonly to: number;
}

/** Summarizes a lane for the table. */
export function summaryOf({ id, label, items }: TimelineLane, now: number): LaneSummary {
  return {
    id,
    label,
    count: items.length,
    failed: items.filter(({ status }) => status === 'failed').length,
    busyMs: items.reduce((sum, item) => sum + endOf(item, now) - item.from, 0),
    from: items.reduce((first, item) => Math.min(first, item.from), Infinity),
    to: items.reduce((last, item) => Math.max(last, endOf(item, now)), -Infinity),
  };
}
