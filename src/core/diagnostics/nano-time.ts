import { timestampOf } from '../timestamp.ts';
import { isTimestamp } from '../wire/timestamp-text.ts';

/** Times with nanoseconds (docs/contract/resources.md#diagnostic-record), as nanoseconds since the epoch. */
const NANOS_PER_MS = 1_000_000n;
const MINUTE_MS = 60_000n;
const DAY_MS = 86_400_000n;

/** Returns the time of an RFC 3339 text, or null if it is invalid. */
export function nanosOf(text: string): bigint | null {
  if (!isTimestamp(text)) return null;
  const field = (from: number, to: number): bigint => BigInt(text.slice(from, to));
  const days = daysBefore(field(0, 4), field(5, 7)) + field(8, 10) - 1n;
  const minutes = field(11, 13) * 60n + field(14, 16);
  const fraction = /\.(\d+)/.exec(text)?.[1] ?? '';
  const nanos = BigInt(fraction.padEnd(9, '0'));
  const milliseconds = days * DAY_MS + (minutes - offsetMinutes(text)) * MINUTE_MS + field(17, 19) * 1000n;
  return milliseconds * NANOS_PER_MS + nanos;
}

function offsetMinutes(text: string): bigint {
  const offset = /([+-])(\d\d):(\d\d)$/.exec(text);
  if (offset === null) return 0n;
  const minutes = BigInt(offset[2] ?? '0') * 60n + BigInt(offset[3] ?? '0');
  return offset[1] === '-' ? -minutes : minutes;
}

/** Returns the days from the epoch to the first of a month, in the Gregorian calendar. */
function daysBefore(year: bigint, month: bigint): bigint {
  const shifted = month <= 2n ? year - 1n : year;
  const monthFromMarch = (month + 9n) % 12n;
  // The formula starts at 1 March of the year 0, which is 719468 days before the epoch.
  const era = shifted >= 0n ? shifted / 400n : (shifted - 399n) / 400n;
  const yearOfEra = shifted - era * 400n;
  const dayOfYear = (153n * monthFromMarch + 2n) / 5n;
  const dayOfEra = yearOfEra * 365n + yearOfEra / 4n - yearOfEra / 100n + dayOfYear;
  return era * 146_097n + dayOfEra - 719_468n;
}

/** Formats a time as RFC 3339 in UTC with nine digits after the second. */
export function nanoText(nanos: bigint): string {
  const below = ((nanos % NANOS_PER_MS) + NANOS_PER_MS) % NANOS_PER_MS;
  const milliseconds = timestampOf(Number((nanos - below) / NANOS_PER_MS));
  return milliseconds.replace('Z', `${String(below).padStart(6, '0')}Z`);
}

/** Converts milliseconds to nanoseconds, both since the epoch. */
export const nanosOfMs = (milliseconds: number): bigint => BigInt(Math.floor(milliseconds)) * NANOS_PER_MS;
