/** Time in a UUID of version 7 (RFC 9562): its first 48 bits are milliseconds since the epoch. */

const TIME_DIGITS = 12;
const FIRST_PART = 8;

/** Returns the time of a UUIDv7 in milliseconds since the epoch. */
export const timeOfUuid7 = (id: string): number =>
  Number.parseInt(id.slice(0, FIRST_PART) + id.slice(FIRST_PART + 1, TIME_DIGITS + 1), 16);

/**
 * Returns a text below every UUIDv7 of a time (milliseconds since the epoch), and above every earlier one. Times before
 * the epoch or beyond 48 bits become the nearest one.
 */
export function startOfUuid7(time: number): string {
  const milliseconds = Math.min(Math.max(Math.ceil(time), 0), 2 ** 48 - 1);
  const digits = milliseconds.toString(16).padStart(TIME_DIGITS, '0');
  return `${digits.slice(0, FIRST_PART)}-${digits.slice(FIRST_PART)}`;
}
