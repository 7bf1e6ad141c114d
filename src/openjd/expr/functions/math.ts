import { ExprFailure } from '../expr-failure.ts';
import { countOf, floatValue, intValue, listValue, rangeValue } from '../values/arguments.ts';
import { lastOf } from '../../primitives/integer-set.ts';
import { intOf, type FloatValue, type Value } from '../values/value.ts';
import { floatResult, intResult, overflow } from './arithmetic.ts';
import type { Call } from './call.ts';
import { roundFloat, roundInt, roundToInt } from './rounding.ts';
import { alwaysFails, signature, type FunctionGroup, type Run, type Signature } from './signature.ts';

type Extreme = 'min' | 'max';

const isBetter = (extreme: Extreme, a: number | bigint, b: number | bigint): boolean =>
  extreme === 'min' ? a < b : a > b;

const extremeOfInts =
  (extreme: Extreme, count: number): Run =>
  (_call, a, b, c) =>
    bestInt(extreme, [a, b, c].slice(0, count));

const extremeOfFloats =
  (extreme: Extreme, count: number): Run =>
  (_call, a, b, c) =>
    bestFloat(extreme, [a, b, c].slice(0, count));

function bestInt(extreme: Extreme, values: readonly Value[]): Value {
  let best: number | bigint | null = null;
  for (const value of values) {
    const int = intValue(value);
    if (best === null || isBetter(extreme, int, best)) best = int;
  }
  return best ?? empty(extreme);
}

function bestFloat(extreme: Extreme, values: readonly Value[]): Value {
  let best: FloatValue | null = null;
  for (const value of values) {
    const float = floatValue(value);
    if (best === null || isBetter(extreme, float.value, best.value)) best = float;
  }
  return best ?? empty(extreme);
}

const emptyList = (extreme: Extreme): ExprFailure =>
  new ExprFailure(`${extreme}() requires a non-empty list`);

function empty(extreme: Extreme): never {
  throw emptyList(extreme);
}

/**
 * The smallest and the largest integer of a range are ends of its runs, which are in increasing order but may be
 * interleaved.
 */
function extremeOfRange(extreme: Extreme, call: Call, value: Value): Value {
  const { runs } = rangeValue(value);
  call.charge(runs.length);
  const ends = runs.map((run) => (extreme === 'min' ? run.start : lastOf(run)));
  return intResult(ends.reduce((best, end) => (isBetter(extreme, end, best) ? end : best)));
}

const overItems =
  (work: (items: readonly Value[]) => Value): Run =>
  (call, list) => {
    const { items } = listValue(list);
    call.chargeEach(items.length);
    return work(items);
  };

function extremes(extreme: Extreme, word: string): Signature[] {
  return [
    signature(`${extreme}(a: int, b: int) -> int`, `The ${word} of two values.`, extremeOfInts(extreme, 2)),
    signature(
      `${extreme}(a: float, b: float) -> float`,
      `The ${word} of two values.`,
      extremeOfFloats(extreme, 2),
    ),
    signature(
      `${extreme}(a: int, b: int, c: int) -> int`,
      `The ${word} of three values.`,
      extremeOfInts(extreme, 3),
    ),
    signature(
      `${extreme}(a: float, b: float, c: float) -> float`,
      `The ${word} of three values.`,
      extremeOfFloats(extreme, 3),
    ),
    signature(
      `${extreme}(values: list[int]) -> int`,
      `The ${word} of a list; an error when it is empty.`,
      overItems((items) => bestInt(extreme, items)),
    ),
    signature(
      `${extreme}(values: list[float]) -> float`,
      `The ${word} of a list; an error when it is empty.`,
      overItems((items) => bestFloat(extreme, items)),
    ),
    signature(
      `${extreme}(values: list[nulltype]) -> noreturn`,
      'An error: the list is empty.',
      ...alwaysFails(() => emptyList(extreme)),
    ),
    signature(`${extreme}(r: range_expr) -> int`, `The ${word} integer of a range.`, (call, r) =>
      extremeOfRange(extreme, call, r),
    ),
  ];
}

/** Uses bigints only if the sum exceeds the safe integers. */
function sumOfInts(items: readonly Value[]): Value {
  let sum = 0;
  for (const [index, item] of items.entries()) {
    if (typeof item !== 'number' || !Number.isSafeInteger(sum + item)) {
      return intResult(
        items.slice(index).reduce<bigint>((total, rest) => total + BigInt(intValue(rest)), BigInt(sum)),
      );
    }
    sum += item;
  }
  return sum;
}

function sumOfRange(call: Call, value: Value): Value {
  const { runs } = rangeValue(value);
  call.charge(runs.length);
  return intResult(runs.reduce((sum, run) => sum + (run.count * (run.start + lastOf(run))) / 2n, 0n));
}

const whole =
  (round: (value: number) => number): Run =>
  (_call, x) => {
    const rounded = intOf(BigInt(round(floatValue(x).value)));
    if (rounded === null) throw overflow();
    return rounded;
  };

export const MATH: FunctionGroup = {
  title: 'Math functions',
  hostOnly: false,
  signatures: [
    signature('abs(x: int) -> int', 'The absolute value.', (_call, x) => {
      const value = intValue(x);
      return value < 0 ? intResult(-BigInt(value)) : value;
    }),
    signature('abs(x: float) -> float', 'The absolute value.', (_call, x) =>
      floatResult(Math.abs(floatValue(x).value)),
    ),
    ...extremes('min', 'smallest'),
    ...extremes('max', 'largest'),
    signature('sum(values: list[nulltype]) -> int', 'The sum of an empty list: 0.', () => 0),
    signature('sum(values: list[int]) -> int', 'The sum of the elements.', overItems(sumOfInts)),
    signature(
      'sum(values: list[float]) -> float',
      'The sum of the elements.',
      overItems((items) => floatResult(items.reduce<number>((sum, item) => sum + floatValue(item).value, 0))),
    ),
    signature('sum(r: range_expr) -> int', 'The sum of all integers of a range.', sumOfRange),
    signature('floor(x: int) -> int', 'The int itself.', (_call, x) => x),
    signature('floor(x: float) -> int', 'The largest int that is not greater.', whole(Math.floor)),
    signature('ceil(x: int) -> int', 'The int itself.', (_call, x) => x),
    signature('ceil(x: float) -> int', 'The smallest int that is not less.', whole(Math.ceil)),
    signature('round(x: int) -> int', 'The int itself.', (_call, x) => x),
    signature('round(x: float) -> int', 'The nearest int; halves go to the even one.', (_call, x) =>
      roundToInt(floatValue(x).value),
    ),
    signature(
      'round(x: float, ndigits: int) -> float | int',
      'Rounded to decimals, all of which are shown; halves go to the even digit.',
      (call, x, n) => roundFloat(floatValue(x).value, countOf(n), call),
    ),
    signature(
      'round(x: int, ndigits: int) -> int',
      'Rounded to tens, hundreds, … by a negative `ndigits`.',
      (_call, x, n) => roundInt(BigInt(intValue(x)), intValue(n)),
    ),
  ],
};
