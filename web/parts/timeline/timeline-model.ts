/** What was done when, by whom: bars in rows, the rows of one worker together. Times are in milliseconds since the epoch. */

export interface TimelineItem {
  readonly id: string;
  readonly name: string;
  /** A status of a task. */
  readonly status: string;
  /** Who did it. */
  readonly lane: string;
  readonly from: number;
  /** Null while it goes on. */
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
  /** The bars of each row, from early to late; they do not overlap. */
  readonly rows: readonly (readonly TimelineItem[])[];
  readonly from: number;
  readonly to: number;
}

const byName = new Intl.Collator('en', { numeric: true });

/** What goes on ends now, as far as one can see; what ended before it began (clocks differ) took no time. */
export const endOf = ({ from, to }: TimelineItem, now: number): number => Math.max(from, to ?? now);

/** Puts the items in lanes, and those of a lane that were done at the same time in rows below each other. */
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

/** As few rows as will do: an item, in the order of beginning, goes to the first row that is free again. */
function packedRows(items: readonly TimelineItem[], now: number): TimelineItem[][] {
  const rows: { list: TimelineItem[]; free: number }[] = [];
  for (const item of items) {
    let row = rows.find(({ free }) => free <= item.from);
    if (row === undefined) {
      row = { list: [], free: 0 };
      rows.push(row);
    }
    row.list.push(item);
    // What goes on keeps its row, whatever the clocks say.
    row.free = item.to === null ? Infinity : endOf(item, now);
  }
  return rows.map(({ list }) => list);
}

/** The first item of a row that ends after `time`; the length of the row when there is none. */
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

/** The item of a row at a time, or the nearest one within `reach` milliseconds: short bars are narrower than a pointer. */
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

/** Where an arrow key leads from a place: along the row, or to what is nearest in time in the row above or below. */
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
  /** The durations of its items together. */
  readonly busyMs: number;
  readonly from: number;
  readonly to: number;
}

/** What a lane comes to, for those who do not see the chart. */
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
