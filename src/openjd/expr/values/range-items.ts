import { sizeOfRuns } from '../../primitives/integer-set.ts';
import type { Call } from '../functions/call.ts';
import { intOf, listBytes, type RangeValue, type Value } from './value.ts';

/**
 * Returns the number of integers in a range, charging a step per run. An unsafe integer is beyond the length of any
 * list.
 */
export function rangeLength(range: RangeValue, call: Call): number {
  call.chargeSteps(range.runs.length);
  return Number(sizeOfRuns(range.runs));
}

/**
 * Returns the integers of a range as items of a list, ascending. They are charged and reserved before they are created.
 */
export function rangeItems(range: RangeValue, call: Call): readonly Value[] {
  const length = rangeLength(range, call);
  call.chargeEach(length);
  call.reserve(listBytes(length));
  return [...integersOf(range)];
}

/** Yields the integers of a range in ascending order, without charge. */
export function* integersOf(range: RangeValue): Generator<Value, undefined> {
  for (const run of range.runs) {
    let at = run.start;
    for (let index = 0n; index < run.count; index++) {
      yield intOf(at);
      at += run.step;
    }
  }
  return undefined;
}
