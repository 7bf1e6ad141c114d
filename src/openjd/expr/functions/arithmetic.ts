import { ExprFailure } from '../expr-failure.ts';
import { floatValue, intValue } from '../values/arguments.ts';
import { floatOf, intOf, type FloatValue, type Value } from '../values/value.ts';
import { powerOf } from './power.ts';
import { signature, type FunctionGroup, type Run } from './signature.ts';

export const overflow = (): ExprFailure =>
  new ExprFailure('Integer overflow: result is outside the 64-bit signed range');

/** Returns the int of a result; fails if it does not fit 64 bits. */
export function intResult(value: bigint): number | bigint {
  const int = intOf(value);
  if (int === null) throw overflow();
  return int;
}

/** Returns the float of a result; fails if it is not finite (section 1.3.4). */
export function floatResult(value: number): FloatValue {
  const float = floatOf(value);
  if (float !== null) return float;
  throw new ExprFailure(
    Number.isNaN(value) ? 'Float operation produced NaN' : 'Float operation produced infinity',
  );
}

/** Returns an operation on ints: on numbers if the result is a safe integer, else on bigints. */
const onInts =
  (fast: (a: number, b: number) => number, exact: (a: bigint, b: bigint) => bigint): Run =>
  (_call, a, b) => {
    if (typeof a === 'number' && typeof b === 'number') {
      const result = fast(a, b);
      if (Number.isSafeInteger(result)) return result === 0 ? 0 : result;
    }
    return intResult(exact(BigInt(intValue(a)), BigInt(intValue(b))));
  };

const onFloats =
  (compute: (a: number, b: number) => number): Run =>
  (_call, a, b) =>
    floatResult(compute(floatValue(a).value, floatValue(b).value));

const divided: Run = (_call, a, b) => {
  const divisor = intValue(b);
  if (divisor === 0) throw new ExprFailure('Division by zero');
  return floatResult(Number(intValue(a)) / Number(divisor));
};

/** Rounds toward negative infinity, as Python does (section 2.1.1). */
function floorDivide(a: bigint, b: bigint): bigint {
  const quotient = a / b;
  return a % b !== 0n && a < 0n !== b < 0n ? quotient - 1n : quotient;
}

const floorDivided: Run = (_call, a, b) => {
  if (b === 0) throw new ExprFailure('Division by zero');
  if (typeof a === 'number' && typeof b === 'number') {
    const remainder = floorModulo(a, b);
    const quotient = (a - remainder) / b;
    if (Number.isSafeInteger(a - remainder)) return quotient === 0 ? 0 : quotient;
  }
  return intResult(floorDivide(BigInt(intValue(a)), BigInt(intValue(b))));
};

/** Returns the remainder with the sign of the divisor, as Python computes it. */
function floorModulo(a: number, b: number): number {
  const remainder = a % b;
  return remainder !== 0 && remainder < 0 !== b < 0 ? remainder + b : remainder;
}

/**
 * Python's float floor division: divides what remains after subtracting the remainder, so that rounding never makes the
 * quotient too large.
 */
const floatFloorDivided: Run = (_call, a, b) => {
  const left = floatValue(a).value;
  const right = floatValue(b).value;
  if (right === 0) throw new ExprFailure('Division by zero');
  const remainder = left % right;
  const truncated = (left - remainder) / right;
  const quotient = remainder !== 0 && remainder < 0 !== right < 0 ? truncated - 1 : truncated;
  const floor = Math.floor(quotient);
  const result = quotient - floor > 0.5 ? floor + 1 : floor;
  if (!Number.isFinite(result)) throw new ExprFailure('Float operation produced infinity');
  return intResult(BigInt(result));
};

const modulo: Run = (_call, a, b) => {
  if (b === 0) throw new ExprFailure('Modulo by zero');
  if (typeof a === 'number' && typeof b === 'number') {
    const remainder = floorModulo(a, b);
    return remainder === 0 ? 0 : remainder;
  }
  const left = BigInt(intValue(a));
  const right = BigInt(intValue(b));
  return intResult(left - floorDivide(left, right) * right);
};

const floatModuloChecked: Run = (_call, a, b) => {
  const right = floatValue(b).value;
  if (right === 0) throw new ExprFailure('Modulo by zero');
  return floatResult(floorModulo(floatValue(a).value, right));
};

const power: Run = (_call, a, b) => {
  const base = BigInt(intValue(a));
  const exponent = BigInt(intValue(b));
  if (exponent < 0n) {
    if (base === 0n) throw zeroToNegative();
    return floatResult(powerOf(Number(base), Number(exponent)));
  }
  // Beyond this exponent only powers of 0, 1 and -1 fit 64 bits.
  if (exponent > 64n && base !== 0n && base !== 1n && base !== -1n) throw overflow();
  return intResult(base ** (exponent > 64n ? 64n + (exponent % 2n) : exponent));
};

const floatPower: Run = (_call, a, b) => {
  const base = floatValue(a).value;
  const exponent = floatValue(b).value;
  if (base === 0 && exponent < 0) throw zeroToNegative();
  if (base < 0 && !Number.isInteger(exponent)) {
    throw new ExprFailure(`Cannot compute ${base} ** ${exponent} (would produce complex number)`);
  }
  return floatResult(powerOf(base, exponent));
};

const zeroToNegative = (): ExprFailure => new ExprFailure('Cannot raise zero to a negative power');
const same: Run = (_call, a): Value => a;
/** The same number, without the original text of an uncomputed float. */
const computed: Run = (_call, a): Value => floatResult(floatValue(a).value);

export const ARITHMETIC: FunctionGroup = {
  title: 'Arithmetic operators',
  hostOnly: false,
  signatures: [
    signature(
      '__add__(a: int, b: int) -> int',
      '`a + b`.',
      onInts(
        (a, b) => a + b,
        (a, b) => a + b,
      ),
    ),
    signature(
      '__add__(a: float, b: float) -> float',
      '`a + b`.',
      onFloats((a, b) => a + b),
    ),
    signature(
      '__sub__(a: int, b: int) -> int',
      '`a - b`.',
      onInts(
        (a, b) => a - b,
        (a, b) => a - b,
      ),
    ),
    signature(
      '__sub__(a: float, b: float) -> float',
      '`a - b`.',
      onFloats((a, b) => a - b),
    ),
    signature(
      '__mul__(a: int, b: int) -> int',
      '`a * b`.',
      onInts(
        (a, b) => a * b,
        (a, b) => a * b,
      ),
    ),
    signature(
      '__mul__(a: float, b: float) -> float',
      '`a * b`.',
      onFloats((a, b) => a * b),
    ),
    signature('__truediv__(a: int, b: int) -> float', '`a / b`; an error when `b` is 0.', divided),
    signature(
      '__truediv__(a: float, b: float) -> float',
      '`a / b`; an error when `b` is 0.',
      (call, a, b) => {
        if (floatValue(b).value === 0) throw new ExprFailure('Division by zero');
        return onFloats((x, y) => x / y)(call, a, b, null, null);
      },
    ),
    signature(
      '__floordiv__(a: int, b: int) -> int',
      '`a // b`, rounded toward negative infinity.',
      floorDivided,
    ),
    signature(
      '__floordiv__(a: float, b: float) -> int',
      '`a // b`, rounded toward negative infinity.',
      floatFloorDivided,
    ),
    signature('__mod__(a: int, b: int) -> int', '`a % b`, with the sign of `b`.', modulo),
    signature('__mod__(a: float, b: float) -> float', '`a % b`, with the sign of `b`.', floatModuloChecked),
    signature(
      '__pow__(a: int, b: int) -> float | int',
      '`a ** b`: an int, or a float when `b` is negative.',
      power,
    ),
    signature('__pow__(a: float, b: float) -> float', '`a ** b`.', floatPower),
    signature('__neg__(a: int) -> int', '`-a`.', (_call, a) =>
      typeof a === 'number' ? 0 - a : intResult(-BigInt(intValue(a))),
    ),
    signature('__neg__(a: float) -> float', '`-a`.', (_call, a) => floatResult(-floatValue(a).value)),
    signature('__pos__(a: int) -> int', '`+a`.', same),
    signature('__pos__(a: float) -> float', '`+a`.', computed),
  ],
};
