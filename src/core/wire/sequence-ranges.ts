/**
 * A set of sequence numbers as ranges: `[from, to, from, to, …]`, both ends included, ascending, with a gap before each
 * next range. A publisher that numbers without gaps needs one range, however much it sends. Each gap adds one.
 */
export type SequenceRanges = readonly number[];

/** Maximum number of ranges. Beyond it the oldest gap is closed as if its messages had arrived. */
export const MAX_SEQUENCE_RANGES = 256;

export const NOTHING_SEEN: SequenceRanges = [];

/** Reports whether the number is in one of the ranges. */
export function hasSequence(ranges: SequenceRanges, sequence: number): boolean {
  const at = lastRangeFrom(ranges, sequence);
  return at >= 0 && sequence <= (ranges[at + 1] ?? -1);
}

/** Reports whether the set contains every number up to the highest one. */
export const isGapless = (ranges: SequenceRanges): boolean =>
  ranges.length === 0 || (ranges.length === 2 && ranges[0] === 1);

/** Returns the ranges with the number added. */
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

/**
 * Returns the index of the last range that begins at or before the number, or -2 if there is none: the range after it
 * is then at index 0.
 */
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
