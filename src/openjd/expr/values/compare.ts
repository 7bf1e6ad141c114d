import { ExprFailure } from '../expr-failure.ts';
import type { Call } from '../functions/call.ts';
import { integersOf, rangeLength } from './range-items.ts';
import type { ListValue, RangeValue, Value } from './value.ts';

/**
 * Reports whether two values are equal (section 1.2.5): numbers by value, a string and a path by text, lists and ranges
 * element by element; values of other kinds are unequal. Charges the compared elements and text.
 */
export function equals(a: Value, b: Value, call: Call): boolean {
  const left = numberOf(a);
  const right = numberOf(b);
  if (left !== null || right !== null) return left !== null && right !== null && sameNumber(left, right);
  const one = charactersOf(a);
  const other = charactersOf(b);
  if (one !== null || other !== null) {
    if (one === null || other === null || one.length !== other.length) return false;
    call.chargeText(one.length);
    return one === other;
  }
  const sequence = sequenceOf(a);
  const compared = sequenceOf(b);
  if (sequence === null || compared === null) return sequence === compared && a === b;
  if (sequence.kind === 'range' && compared.kind === 'range') return sameRuns(sequence, compared, call);
  return equalItems(sequence, compared, call);
}

function equalItems(a: ListValue | RangeValue, b: ListValue | RangeValue, call: Call): boolean {
  if (lengthOf(a, call) !== lengthOf(b, call)) return false;
  const other = itemsIn(b);
  for (const item of itemsIn(a)) {
    call.charge(1);
    const next = other.next();
    if (next.done === true || !equals(item, next.value, call)) return false;
  }
  return true;
}

/** Ranges are in normal form, but equal sets may have different runs, so the integers decide. */
function sameRuns(a: RangeValue, b: RangeValue, call: Call): boolean {
  call.charge(Math.max(a.runs.length, b.runs.length));
  const same =
    a.runs.length === b.runs.length &&
    a.runs.every((run, index) => {
      const other = b.runs[index];
      return run.start === other?.start && run.step === other.step && run.count === other.count;
    });
  return same || equalItems(a, b, call);
}

/**
 * Returns -1 if `a` comes before `b`, 0 if they are equal, 1 if it comes after (section 2.1.4): for numbers, strings
 * and paths, bools, and lists by their first unequal elements. Null if the two have no order.
 */
export function order(a: Value, b: Value, call: Call): -1 | 0 | 1 | null {
  const left = numberOf(a);
  const right = numberOf(b);
  if (left !== null && right !== null) return left < right ? -1 : left > right ? 1 : 0;
  if (typeof a === 'boolean' && typeof b === 'boolean') return a === b ? 0 : a ? 1 : -1;
  const one = charactersOf(a);
  const other = charactersOf(b);
  if (one !== null && other !== null) {
    call.chargeText(Math.min(one.length, other.length));
    return orderOfText(one, other, call);
  }
  const list = sequenceOf(a);
  const compared = sequenceOf(b);
  return list?.kind === 'list' && compared?.kind === 'list' ? orderOfItems(list, compared, call) : null;
}

function orderOfItems(a: ListValue, b: ListValue, call: Call): -1 | 0 | 1 | null {
  for (const [index, item] of a.items.entries()) {
    const other = b.items[index];
    if (other === undefined) return 1;
    call.charge(1);
    if (equals(item, other, call)) continue;
    return order(item, other, call);
  }
  return a.items.length < b.items.length ? -1 : 0;
}

/** Compares code points, not UTF-16 units: a surrogate comes after every unit except U+E000 to U+FFFF. */
function orderOfText(a: string, b: string, call: Call): -1 | 0 | 1 {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index++) {
    const one = a.charCodeAt(index);
    const other = b.charCodeAt(index);
    if (one === other) continue;
    call.chargeSteps(index);
    return ranked(one) < ranked(other) ? -1 : 1;
  }
  call.chargeSteps(length);
  return a.length < b.length ? -1 : 1;
}

const ranked = (unit: number): number => (unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit);

/** A number and a bigint are never identical, and compare by their exact values. */
const sameNumber = (a: number | bigint, b: number | bigint): boolean => a === b || (a <= b && a >= b);

/** Returns the value as a number for exact comparison; null for other values. */
function numberOf(value: Value): number | bigint | null {
  if (typeof value === 'number' || typeof value === 'bigint') return value;
  return typeof value === 'object' && value?.kind === 'float' ? value.value : null;
}

function charactersOf(value: Value): string | null {
  if (typeof value === 'string') return value;
  return typeof value === 'object' && value?.kind === 'path' ? value.text : null;
}

function sequenceOf(value: Value): ListValue | RangeValue | null {
  if (typeof value !== 'object' || value === null) return null;
  return value.kind === 'list' || value.kind === 'range' ? value : null;
}

const lengthOf = (sequence: ListValue | RangeValue, call: Call): number =>
  sequence.kind === 'list' ? sequence.items.length : rangeLength(sequence, call);

/** Yields the items one by one: a range is never expanded for a comparison. */
function* itemsIn(sequence: ListValue | RangeValue): Generator<Value, undefined> {
  if (sequence.kind === 'list') {
    yield* sequence.items;
    return undefined;
  }
  return yield* integersOf(sequence);
}

/** Returns the failure of ordering two values without an order. */
export const noOrder = (operator: string, a: string, b: string): ExprFailure =>
  new ExprFailure(`Cannot use '${operator}' operator with ${a} and ${b}`);
