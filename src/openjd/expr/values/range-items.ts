import { sizeOfRuns } from '../../primitives/integer-set.ts';
import type { Call } from '../functions/call.ts';
import { intOf, listBytes, type RangeValue, type Value } from './value.ts';

/** Number of integers of a range; beyond any list where it is no safe integer. Counts a step for each run. */
export function rangeLength(range: RangeValue, call: Call): number {
  call.chargeSteps(range.runs.length);
  return Number(sizeOfRuns(range.runs));
}

/** The integers of a range as a list's items, in increasing order. Charged and reserved before they are made. */
export function rangeItems(range: RangeValue, call: Call): readonly Value[] {
  const length = rangeLength(range, call);
  call.chargeEach(length);
  call.reserve(listBytes(length));
  return [...integersOf(range)];
}

/** The integers of a range one by one, in increasing order; nothing is charged. */
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
