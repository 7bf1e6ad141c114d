import type { FloatValue, ListValue, PathValue, RangeValue, Value } from './value.ts';

/**
 * Typed access to the arguments of a library function. A call selects the signature by the types of its arguments, so a
 * mismatch is a bug of the library and not a failure of the expression.
 */

export function textOf(value: Value): string {
  if (typeof value === 'string') return value;
  throw mismatch('string');
}

/** Returns an int of any size. */
export function intValue(value: Value): number | bigint {
  if (typeof value === 'number' || typeof value === 'bigint') return value;
  throw mismatch('int');
}

export function floatValue(value: Value): FloatValue {
  if (isObject(value) && value.kind === 'float') return value;
  throw mismatch('float');
}

export function boolValue(value: Value): boolean {
  if (typeof value === 'boolean') return value;
  throw mismatch('bool');
}

export function pathValue(value: Value): PathValue {
  if (isObject(value) && value.kind === 'path') return value;
  throw mismatch('path');
}

export function rangeValue(value: Value): RangeValue {
  if (isObject(value) && value.kind === 'range') return value;
  throw mismatch('range_expr');
}

export function listValue(value: Value): ListValue {
  if (isObject(value) && value.kind === 'list') return value;
  throw mismatch('list');
}

/**
 * Returns the int as a number for a count, a width or an index. Unsafe ints become the nearest double, which is far
 * beyond any length.
 */
export const countOf = (value: Value): number => Number(intValue(value));

const isObject = (value: Value): value is Exclude<Value, null | boolean | number | bigint | string> =>
  typeof value === 'object' && value !== null;

const mismatch = (wanted: string): Error => new Error(`an argument that is no ${wanted}`);
