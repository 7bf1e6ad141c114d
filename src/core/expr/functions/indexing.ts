import { ExprFailure } from '../expr-failure.ts';
import { countOf, intValue } from '../values/arguments.ts';
import type { Value } from '../values/value.ts';

/** The offset of an index that counts from the end when it is negative; null when it is out of bounds. */
export function indexOf(index: Value, length: number): number | null {
  const given = countOf(index);
  const at = given < 0 ? given + length : given;
  return at < 0 || at >= length ? null : at;
}

export const outOfBounds = (index: Value, kind: string, length: number): ExprFailure =>
  new ExprFailure(`Index ${intValue(index)} out of bounds for ${kind} of length ${length}`);

/** A bound of a slice; null where it is absent. */
export const boundOf = (bound: Value): number | null => (bound === null ? null : countOf(bound));

/** The step of a slice, 1 where it is absent; fails for 0. */
export function stepOf(step: Value): number {
  const by = boundOf(step) ?? 1;
  if (by === 0) throw new ExprFailure('Slice step cannot be zero');
  return by;
}
