/** Maximum bits of an exactly computed power of a mantissa; beyond them the engine's own power is accurate enough. */
const MAX_EXACT_BITS = 4_096;
/** Bits kept before rounding to a float: more than its 53, so that the dropped bits decide no tie. */
const KEPT_BITS = 128;

/**
 * Computes `base ** exponent` of floats. With a whole exponent, or 0.5, the result is the float nearest to the exact
 * power, as in the C library: the `**` of an engine can be off by one in the last digit (`10.0 ** -23`). The result is
 * infinite or NaN if the power is.
 */
export function powerOf(base: number, exponent: number): number {
  if (exponent === 0.5 && base >= 0) return Math.sqrt(base);
  if (!Number.isInteger(exponent) || exponent === 0 || base === 0) return base ** exponent;
  const { mantissa, twos } = decomposed(Math.abs(base));
  const times = Math.abs(exponent);
  if (times * Math.ceil(Math.log2(mantissa + 1)) > MAX_EXACT_BITS) return base ** exponent;
  const power = BigInt(mantissa) ** BigInt(times);
  const magnitude = exponent > 0 ? rounded(power, 1n, twos * times) : rounded(1n, power, -twos * times);
  return base < 0 && exponent % 2 !== 0 ? -magnitude : magnitude;
}

/** Returns a positive finite number as an odd whole number times a power of two. */
function decomposed(value: number): { readonly mantissa: number; readonly twos: number } {
  let mantissa = value;
  let twos = 0;
  for (; !Number.isInteger(mantissa); twos--) mantissa *= 2;
  for (; mantissa % 2 === 0; twos++) mantissa /= 2;
  return { mantissa, twos };
}

/** Returns the float nearest to `numerator / denominator * 2 ** twos`. */
function rounded(numerator: bigint, denominator: bigint, twos: number): number {
  const shift = KEPT_BITS + bitsOf(denominator) - bitsOf(numerator);
  const scaled = shift >= 0 ? numerator << BigInt(shift) : numerator >> BigInt(-shift);
  const isCut = shift < 0 && scaled << BigInt(-shift) !== numerator;
  const quotient = scaled / denominator;
  const isExact = !isCut && quotient * denominator === scaled;
  // A sticky last bit for the dropped bits keeps the rounding to the nearest float exact.
  return scaledBy(Number(isExact ? quotient << 1n : (quotient << 1n) | 1n), twos - shift - 1);
}

/** In several factors, because a power of two may be out of range even if the product is not. */
function scaledBy(value: number, twos: number): number {
  const half = Math.trunc(twos / 2);
  return value * 2 ** half * 2 ** (twos - half);
}

/** Four per hexadecimal digit: accurate enough for the size of a shift. */
const bitsOf = (value: bigint): number => 4 * value.toString(16).length;
