import type { Call } from './call.ts';
import { equals } from '../values/compare.ts';
import { textOfRuns } from '../../primitives/integer-set.ts';
import type { Value } from '../values/value.ts';

/**
 * Returns the values without repetitions, keeping the first of equal ones. Values of one list have one type, so equal
 * keys mean equal values.
 */
export function distinct(values: readonly Value[], call: Call): Value[] {
  const seen = new Map<string, Value[]>();
  return values.filter((value) => {
    const key = keyOf(value, call);
    const alike = seen.get(key);
    if (alike === undefined) {
      seen.set(key, [value]);
      return true;
    }
    if (alike.some((other) => equals(other, value, call))) return false;
    alike.push(value);
    return true;
  });
}

/** Returns a key that is equal for equal values. */
function keyOf(value: Value, call: Call): string {
  if (typeof value !== 'object' || value === null) {
    const key = String(value);
    call.chargeText(key.length);
    return key;
  }
  switch (value.kind) {
    case 'float':
      return String(value.value);
    case 'path':
      call.chargeText(value.text.length);
      return value.text;
    case 'range':
      return textOfRuns(value.runs);
    case 'list':
      call.charge(value.items.length);
      return JSON.stringify(value.items.map((item) => keyOf(item, call)));
    case 'unresolved':
      return value.type.text;
  }
}
