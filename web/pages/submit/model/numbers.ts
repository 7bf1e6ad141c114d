/** Numbers as they are typed: text all the way, because the farm counts in 64 bits and a browser's numbers do not reach that far. */

const INTEGER = /^[-+]?[0-9]+$/;
const DECIMAL = /^[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?$/;
const MIN_INT64 = -(2n ** 63n);
const MAX_INT64 = 2n ** 63n - 1n;
/** Significant digits of the largest 64-bit integer. */
const DIGITS_MAX = 19;
const DECIMAL_LENGTH_MAX = 400;

/** The 64-bit integer that the text writes; null when it is none, `range` when it does not fit. */
export function integerIn(text: string): bigint | null | 'range' {
  if (!INTEGER.test(text)) return null;
  const digits = text.replace(/^[-+]?0*/, '');
  if (digits.length > DIGITS_MAX) return 'range';
  const value = text.startsWith('-') ? -BigInt(digits) : BigInt(digits);
  return value < MIN_INT64 || value > MAX_INT64 ? 'range' : value;
}

/** The finite number that the text writes, or null. */
export function decimalIn(text: string): number | null {
  if (text.length > DECIMAL_LENGTH_MAX || !DECIMAL.test(text)) return null;
  const value = Number(text);
  return Number.isFinite(value) ? value : null;
}

/** A number without exponent: its digits as an integer, and how many of them stand behind the point. */
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

/** How a spin box counts. */
export interface Stepping {
  readonly step: string;
  readonly minValue: string | null;
  readonly maxValue: string | null;
  /** Digits behind the point at least; null for as many as it takes. */
  readonly decimals: number | null;
}

/**
 * The text one step above (`direction` 1) or below (-1), exact in decimals and within the limits. Begins at the limit, or at 0, where the
 * text is no number yet; null where there is nothing to step to.
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

/** Without the zeros behind the point that only the comparison has added. */
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
