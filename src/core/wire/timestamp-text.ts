const PATTERN =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])[Tt](?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/** Every month has at least this many days. */
const DAYS_MIN = 28;
const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const;

const isLeapYear = (year: number): boolean => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);

/**
 * Reports whether the text is an RFC 3339 time that exists in the calendar. Leap seconds are rejected: no clock of the
 * system produces one, and JavaScript cannot represent one.
 */
export function isTimestamp(text: string): boolean {
  if (!PATTERN.test(text)) return false;
  const day = twoDigits(text, 8);
  if (day <= DAYS_MIN) return true;
  const month = twoDigits(text, 5);
  const days = month === 2 && isLeapYear(Number(text.slice(0, 4))) ? 29 : (DAYS[month - 1] ?? 0);
  return day <= days;
}

const ZERO = 0x30;
const twoDigits = (text: string, at: number): number =>
  (text.charCodeAt(at) - ZERO) * 10 + text.charCodeAt(at + 1) - ZERO;
