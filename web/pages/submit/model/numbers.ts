/** Typed numbers as text, because integers have 64 bits and numbers of JavaScript are not exact beyond 53 bits. */

const INTEGER = /^[-+]?[0-9]+$/;
const DECIMAL = /^[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?$/;
const MIN_INT64 = -(2n ** 63n);
const MAX_INT64 = 2n ** 63n - 1n;
/** Significant digits of the largest 64-bit integer. */
const MAX_DIGITS = 19;
const MAX_DECIMAL_LENGTH = 400;

/** Parses a 64-bit integer; null for an invalid text, `range` for an integer that does not fit. */
export function integerIn(text: string): bigint | null | 'range' {
  if (!INTEGER.test(text)) return null;
  const digits = text.replace(/^[-+]?0*/, '');
  if (digits.length > MAX_DIGITS) return 'range';
  const value = text.startsWith('-') ? -BigInt(digits) : BigInt(digits);
  return value < MIN_INT64 || value > MAX_INT64 ? 'range' : value;
}

/** Parses a finite decimal number; null for an invalid text. */
export function decimalIn(text: string): number | null {
  if (text.length > MAX_DECIMAL_LENGTH || !DECIMAL.test(text)) return null;
  const value = Number(text);
  return Number.isFinite(value) ? value : null;
}

/** A decimal number: its digits as an integer, and the number of digits after the point. */
interface Scaled {
  readonly digits: bigint;
  readonly places: number;
}

const PLAIN = /^([-+]?)([0-9]*)\.?([0-9]*)$/;

function scaled(text: string): Scaled | null {
  const match = PLAIN.exec(text);
  const whole = match?.[2] ?? '';
  const part = match?.[3] ?? '';
  if (match === null || whole + part === '') return null;
  const digits = BigInt(whole + part);
  return { digits: match[1] === '-' ? -digits : digits, places: part.length };
}

function plain({ digits, places }: Scaled): string {
  if (places === 0) return `${digits}`;
  const text = `${digits < 0n ? -digits : digits}`.padStart(places + 1, '0');
  return `${digits < 0n ? '-' : ''}${text.slice(0, -places)}.${text.slice(-places)}`;
}

const withPlaces = ({ digits, places }: Scaled, wanted: number): Scaled => ({
  digits: digits * 10n ** BigInt(wanted - places),
  places: wanted,
});

/** The step and the limits of a spin box. */
export interface Stepping {
  readonly step: string;
  readonly minValue: string | null;
  readonly maxValue: string | null;
  /** Minimum number of digits after the point; null for as many as needed. */
  readonly decimals: number | null;
}

/**
 * Returns the number one step above (`direction` 1) or below (-1), exact and within the limits. An empty text starts at
 * a limit or at 0. Returns null for an invalid number.
 */
export function stepped(
  text: string,
  { step, minValue, maxValue, decimals }: Stepping,
  direction: 1 | -1,
): string | null {
  const by = scaled(step);
  const low = minValue === null ? null : scaled(minValue);
  const high = maxValue === null ? null : scaled(maxValue);
  if (text === '') return shownWith(decimals, low ?? high ?? { digits: 0n, places: 0 });
  const from = scaled(text);
  if (from === null || by === null) return null;
  const places = Math.max(from.places, by.places, low?.places ?? 0, high?.places ?? 0);
  const at = (value: Scaled): bigint => withPlaces(value, places).digits;
  let digits = at(from) + BigInt(direction) * at(by);
  if (low !== null && digits < at(low)) digits = at(low);
  if (high !== null && digits > at(high)) digits = at(high);
  return shownWith(decimals, shortened({ digits, places }, Math.max(from.places, by.places)));
}

/** Removes trailing zeros after the point, down to `keep` digits. */
function shortened(value: Scaled, keep: number): Scaled {
  let { digits, places } = value;
  while (places > keep && digits % 10n === 0n) {
    digits /= 10n;
    places -= 1;
  }
  return { digits, places };
}

const shownWith = (decimals: number | null, value: Scaled): string =>
  plain(decimals !== null && value.places < decimals ? withPlaces(value, decimals) : value);
