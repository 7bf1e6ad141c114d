import { ExprFailure } from '../expr-failure.ts';
import { countOf, intValue } from '../values/arguments.ts';
import type { Value } from '../values/value.ts';

/** Returns the offset of an index, which counts from the end if it is negative; null if it is out of bounds. */
export function indexOf(index: Value, length: number): number | null {
  const given = countOf(index);
  const at = given < 0 ? given + length : given;
  return at < 0 || at >= length ? null : at;
}

export const outOfBounds = (index: Value, kind: string, length: number): ExprFailure =>
  new ExprFailure(`Index ${intValue(index)} out of bounds for ${kind} of length ${length}`);

/** Elements of a slice: `count` of them from `start`, in steps of `step`. */
export interface SliceBounds {
  readonly start: number;
  readonly step: number;
  readonly count: number;
}

/**
 * Computes `[start:stop:step]` by Python's rules (section 1.3.8): absent parts are null, bounds are clamped. Fails for
 * a step of 0.
 */
export function sliceBounds(start: Value, stop: Value, step: Value, length: number): SliceBounds {
  const by = step === null ? 1 : countOf(step);
  if (by === 0) throw new ExprFailure('Slice step cannot be zero');
  const lowest = by > 0 ? 0 : -1;
  const highest = by > 0 ? length : length - 1;
  const clamp = (bound: Value, absent: number): number => {
    if (bound === null) return absent;
    const given = countOf(bound);
    return Math.min(Math.max(given < 0 ? given + length : given, lowest), highest);
  };
  const from = clamp(start, by > 0 ? 0 : length - 1);
  const to = clamp(stop, by > 0 ? length : -1);
  const count = Math.max(0, Math.ceil((to - from) / by));
  return { start: from, step: by, count };
}
