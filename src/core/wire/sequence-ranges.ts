/**
 * Which sequence numbers were seen, as ranges: `[from, to, from, to, …]`, both ends included, rising, with a gap before each next range.
 * A publisher that numbers without gaps costs one range however much it sends; a message that is missing costs one more.
 */
export type SequenceRanges = readonly number[];

/** More gaps than this are not told apart: the oldest is closed as if its messages had been seen. */
export const MAX_SEQUENCE_RANGES = 256;

export const NOTHING_SEEN: SequenceRanges = [];

/** Whether the number is in one of the ranges. */
export function hasSequence(ranges: SequenceRanges, sequence: number): boolean {
  const at = lastRangeFrom(ranges, sequence);
  return at >= 0 && sequence <= (ranges[at + 1] ?? -1);
}

/** Whether every number up to the highest one was seen. */
export const isGapless = (ranges: SequenceRanges): boolean =>
  ranges.length === 0 || (ranges.length === 2 && ranges[0] === 1);

/** The ranges with the number in them. */
export function addSequence(ranges: SequenceRanges, sequence: number): SequenceRanges {
  const at = lastRangeFrom(ranges, sequence);
  const before = at >= 0 ? (ranges[at + 1] ?? -1) : -1;
  if (at >= 0 && sequence <= before) return ranges;
  const touchesBefore = at >= 0 && before === sequence - 1;
  const next = at + 2;
  const touchesNext = next < ranges.length && ranges[next] === sequence + 1;
  const head = ranges.slice(0, touchesBefore ? at + 1 : next);
  const tail = ranges.slice(touchesNext ? next + 1 : next);
  const middle = [...(touchesBefore ? [] : [sequence]), ...(touchesNext ? [] : [sequence])];
  return capped([...head, ...middle, ...tail]);
}

/** Index of the last range that begins at or before the number, or -2 when there is none: its successor is then index 0. */
function lastRangeFrom(ranges: SequenceRanges, sequence: number): number {
  for (let at = ranges.length - 2; at >= 0; at -= 2) {
    if ((ranges[at] ?? 0) <= sequence) return at;
  }
  return -2;
}

function capped(ranges: SequenceRanges): SequenceRanges {
  if (ranges.length <= 2 * MAX_SEQUENCE_RANGES) return ranges;
  return [ranges[0] ?? 0, ...ranges.slice(3)];
}
