import { floatOf, intOf, type FloatValue, type Value } from '../values/value.ts';
import { floatResult, intResult, overflow } from './arithmetic.ts';
import type { Call } from './call.ts';

/** Beyond this many digits before the point every 64-bit integer rounds to 0. */
const MAX_INT_DIGITS = 20n;

/** Returns the nearest whole number; halves are rounded to even. */
function halfEven(value: number): number {
  const floor = Math.floor(value);
  const rest = value - floor;
  if (rest < 0.5) return floor;
  if (rest > 0.5) return floor + 1;
  return floor % 2 === 0 ? floor : floor + 1;
}

/** `round(x)` (section 2.2.2). Fails when the result does not fit 64 bits. */
export function roundToInt(value: number): number | bigint {
  const rounded = intOf(BigInt(halfEven(value)));
  if (rounded === null) throw overflow();
  return rounded;
}

/** Computes `round(x, ndigits)` of a float: a float, shown with exactly `digits` decimals if that is positive. */
export function roundFloat(value: number, digits: number, call: Call): FloatValue {
  const scale = 10 ** Math.abs(digits);
  const scaled = digits < 0 ? value / scale : value * scale;
  const rounded = halfEven(scaled);
  const result = digits < 0 ? rounded * scale : rounded / scale;
  if (digits <= 0) return floatResult(Number.isFinite(scale) ? result : 0);
  // A number too large to be scaled has no digits after the point.
  const float = floatOf(result) ?? floatResult(value);
  call.reserveString(digits);
  call.chargeText(digits);
  return { ...float, text: fixedText(float.value, digits) };
}

/** Computes `round(x, ndigits)` of an int: to tens, hundreds, … if `digits` is negative. */
export function roundInt(value: bigint, digits: number | bigint): Value {
  const places = -BigInt(digits);
  if (places <= 0n) return intResult(value);
  if (places > MAX_INT_DIGITS) return 0;
  const unit = 10n ** places;
  const floor = value >= 0n || value % unit === 0n ? value / unit : value / unit - 1n;
  const doubled = 2n * (value - floor * unit);
  const up = doubled > unit || (doubled === unit && floor % 2n !== 0n);
  return intResult((up ? floor + 1n : floor) * unit);
}

/**
 * Returns the shortest decimal text that reads back as the number, without an exponent, padded with zeros to
 * `decimals`.
 */
function fixedText(value: number, decimals: number): string {
  const [mantissa = '0', power = '0'] = Math.abs(value).toExponential().split('e');
  const digits = mantissa.replace('.', '');
  const point = Number(power) + 1;
  const padded = point <= 0 ? '0'.repeat(1 - point) + digits : digits.padEnd(point, '0');
  const split = Math.max(point, 1);
  const sign = value < 0 ? '-' : '';
  return `${sign}${padded.slice(0, split)}.${padded.slice(split, split + decimals).padEnd(decimals, '0')}`;
}
