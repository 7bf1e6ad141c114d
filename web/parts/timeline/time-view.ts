/** Visible part of a timeline, in milliseconds since the epoch. */
export interface TimeView {
  readonly from: number;
  readonly to: number;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Minimum time span of a view. */
const SPAN_MIN = SECOND;

const STEPS = [
  ...[1, 2, 5, 10, 15, 30].map((count) => count * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * MINUTE),
  ...[1, 2, 3, 6, 12].map((count) => count * HOUR),
  ...[1, 2, 7, 14, 28].map((count) => count * DAY),
];

/** Returns the view of the whole timeline, never empty. */
export const wholeView = (from: number, to: number): TimeView => ({
  from,
  to: Math.max(to, from + SPAN_MIN),
});

/** Clamps the view to the timeline; null for the whole timeline, so that the view grows with it. */
export function within(view: TimeView, whole: TimeView): TimeView | null {
  const span = Math.max(SPAN_MIN, view.to - view.from);
  if (span >= whole.to - whole.from) return null;
  const from = Math.min(Math.max(view.from, whole.from), whole.to - span);
  return { from, to: from + span };
}

/** Zooms in by `factor`, or out if it is below 1; the time `at` keeps its place. */
export function zoomed(view: TimeView, whole: TimeView, factor: number, at: number): TimeView | null {
  const span = Math.max(SPAN_MIN, (view.to - view.from) / factor);
  const share = (at - view.from) / (view.to - view.from);
  const from = at - span * share;
  return within({ from, to: from + span }, whole);
}

/** Moves the view forward by `ms`. */
export const panned = (view: TimeView, whole: TimeView, ms: number): TimeView | null =>
  within({ from: view.from + ms, to: view.to + ms }, whole);

/** Moves the view as little as possible to show a time span. */
export function showing(view: TimeView, whole: TimeView, from: number, to: number): TimeView | null {
  const span = view.to - view.from;
  if (from < view.from) return within({ from, to: from + span }, whole);
  if (to > view.to && from > view.from) {
    const by = Math.min(to - view.to, from - view.from);
    return panned(view, whole, by);
  }
  return within(view, whole);
}

export interface Ticks {
  readonly step: number;
  readonly times: readonly number[];
}

/** Returns round times, at most `room` of them in view. `offset` is the offset of local time to UTC. */
export function ticksOf({ from, to }: TimeView, room: number, offset: number): Ticks {
  const wanted = (to - from) / Math.max(1, room);
  const months = STEPS.at(-1) ?? DAY;
  const step = STEPS.find((each) => each >= wanted) ?? Math.ceil(wanted / months) * months;
  const times: number[] = [];
  for (let time = Math.ceil((from + offset) / step) * step - offset; time <= to; time += step)
    times.push(time);
  return { step, times };
}

/** Returns the format for ticks with this step. */
export const tickForm = (step: number): 'day' | 'minute' | 'second' =>
  step >= DAY ? 'day' : step >= MINUTE ? 'minute' : 'second';
