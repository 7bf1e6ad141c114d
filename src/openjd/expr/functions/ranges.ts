import { parseRange } from '../../primitives/range-expression.ts';
import {
  lastOf,
  normalRuns,
  runsOfValues,
  sizeOfRuns,
  type Run as IntegerRun,
} from '../../primitives/integer-set.ts';
import { ExprFailure } from '../expr-failure.ts';
import { MAX_RANGE_PARTS } from '../expr-limits.ts';
import { INT, listType } from '../type-system/expr-type.ts';
import { intValue, listValue, rangeValue, textOf } from '../values/arguments.ts';
import { intOf, listBytes, listOfType, type RangeValue, type Value } from '../values/value.ts';
import { intResult } from './arithmetic.ts';
import type { Call } from './call.ts';
import { chargeCharacters, chargeRuns } from './charges.ts';
import { alwaysFails, signature, type FunctionGroup, type Run } from './signature.ts';

const LIST_OF_INT = listType(INT);

const contains: Run = (call, r, item) => {
  const { runs } = rangeValue(r);
  chargeRuns(call, runs);
  call.charge(runs.length);
  const at = integerOf(item);
  return (
    at !== null &&
    runs.some((run) => at >= run.start && at <= lastOf(run) && (at - run.start) % run.step === 0n)
  );
};

/** Returns the integer that a value equals, or null. */
function integerOf(value: Value): bigint | null {
  if (typeof value === 'number' || typeof value === 'bigint') return BigInt(value);
  if (typeof value !== 'object' || value?.kind !== 'float' || !Number.isInteger(value.value)) return null;
  return BigInt(value.value);
}

const element: Run = (call, r, index) => {
  const { runs } = rangeValue(r);
  chargeRuns(call, runs);
  const length = sizeOfRuns(runs);
  const given = BigInt(intValue(index));
  let offset = given < 0n ? given + length : given;
  for (const run of runs) {
    if (offset >= 0n && offset < run.count) return intResult(run.start + offset * run.step);
    offset -= run.count;
  }
  throw new ExprFailure(`Index ${given} out of bounds for range_expr of length ${length}`);
};

const sliced: Run = (call, r, start, stop, step) => {
  const range = rangeValue(r);
  chargeRuns(call, range.runs);
  const by = step === null ? 1n : BigInt(intValue(step));
  if (by === 0n) throw new ExprFailure('Slice step cannot be zero');
  const length = sizeOfRuns(range.runs);
  const from = bound(start, by > 0n ? 0n : length - 1n, by, length);
  const to = bound(stop, by > 0n ? length : -1n, by, length);
  const distance = by > 0n ? to - from : from - to;
  const stride = by > 0n ? by : -by;
  const count = distance <= 0n ? 0n : (distance + stride - 1n) / stride;
  if (count === 0n) return listOfType(LIST_OF_INT, []);
  if (by > 0n) return { kind: 'range', runs: picked(range.runs, from, by, count, call) };
  return descending(range, from, stride, count, call);
};

/** Returns an index of a slice within the range, or `absent` if there is none. */
function bound(value: Value, absent: bigint, step: bigint, length: bigint): bigint {
  if (value === null) return absent;
  const given = BigInt(intValue(value));
  const at = given < 0n ? given + length : given;
  const [lowest, highest] = step > 0n ? [0n, length] : [-1n, length - 1n];
  return at < lowest ? lowest : at > highest ? highest : at;
}

/** Returns `count` integers from the index `from`, in steps of `step` indices, computed per run and not per integer. */
function picked(
  runs: readonly IntegerRun[],
  from: bigint,
  step: bigint,
  count: bigint,
  call: Call,
): readonly IntegerRun[] {
  call.charge(runs.length);
  const result: IntegerRun[] = [];
  let next = from;
  let left = count;
  let base = 0n;
  for (const run of runs) {
    const end = base + run.count;
    if (next < end && left > 0n) {
      const within = (end - next + step - 1n) / step;
      const taken = within < left ? within : left;
      result.push({ start: run.start + (next - base) * run.step, step: run.step * step, count: taken });
      next += taken * step;
      left -= taken;
    }
    base = end;
  }
  return normalRuns(result);
}

/** A range_expr is always ascending: a slice with a negative step is a list. */
function descending(range: RangeValue, from: bigint, stride: bigint, count: bigint, call: Call): Value {
  call.chargeEach(Number(count));
  call.reserve(listBytes(Number(count)));
  // The lowest selected index; the integers are collected upward from there, then reversed.
  const lowest = from - (count - 1n) * stride;
  const items: Value[] = [];
  for (const run of picked(range.runs, lowest, stride, count, call)) {
    for (let index = 0n; index < run.count; index++) items.push(intOf(run.start + index * run.step));
  }
  return listOfType(LIST_OF_INT, items.toReversed());
}

function parsed(call: Call, s: Value): Value {
  const text = textOf(s);
  chargeCharacters(call, text, READING_STEPS);
  if (text.trim() === '') throw new ExprFailure('Empty expression');
  const range = parseRange(text, MAX_RANGE_PARTS);
  if (!range.ok) throw new ExprFailure(range.detail);
  return { kind: 'range', runs: range.runs };
}

function ofIntegers(call: Call, l: Value): Value {
  const { items } = listValue(l);
  if (items.length === 0) throw noIntegers();
  call.charge(items.length);
  call.chargeSteps(items.length * JOINING_STEPS);
  return { kind: 'range', runs: runsOfValues(items.map((item) => BigInt(intValue(item)))) };
}

/** Steps per character of a range's text, and per integer that is added to a range. */
const READING_STEPS = 30;
const JOINING_STEPS = 60;

const noIntegers = (): ExprFailure => new ExprFailure('range_expr() requires at least one value');

export const RANGES: FunctionGroup = {
  title: 'Range expressions',
  hostOnly: false,
  signatures: [
    signature('range_expr(r: range_expr) -> range_expr', 'The range itself.', (_call, r) => r),
    signature(
      'range_expr(s: string) -> range_expr',
      'The range that a text writes: `1-10`, `1,3,5-9:2`.',
      parsed,
    ),
    signature('range_expr(l: list[int]) -> range_expr', 'The range of the integers of a list.', ofIntegers),
    signature(
      'range_expr(l: list[nulltype]) -> noreturn',
      'An error: a range has one integer at least.',
      ...alwaysFails(noIntegers),
    ),
    signature('len(r: range_expr) -> int', 'The number of integers.', (call, r) => {
      const { runs } = rangeValue(r);
      call.chargeSteps(runs.length);
      return intResult(sizeOfRuns(runs));
    }),
    signature('__contains__(r: range_expr, item: T) -> bool', '`item in r`.', contains),
    signature(
      '__not_contains__(r: range_expr, item: T) -> bool',
      '`item not in r`.',
      (call, r, item) => contains(call, r, item, null, null) !== true,
    ),
    signature(
      '__getitem__(r: range_expr, index: int) -> int',
      '`r[index]`: an integer of the range.',
      element,
    ),
    signature(
      '__getitem__(r: range_expr, start: int?, stop: int?, step: int?) -> range_expr | list[int]',
      '`r[start:stop:step]`: a range, or a list when the step is negative or nothing is left.',
      sliced,
    ),
  ],
};
