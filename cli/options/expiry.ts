import { InvalidArgumentError } from 'commander';
import { parseDuration } from '../../src/core/duration.ts';

const DAY_MS = 86_400_000;

/** Parses a duration such as `30d`, `12h` or `90m` into milliseconds; null if the text is not one. */
export function parseSpan(text: string): number | null {
  const days = /^([0-9]{1,5})d$/.exec(text)?.[1];
  return days === undefined ? parseDuration(text) : Number(days) * DAY_MS;
}

/** Parses the lifetime of a key: milliseconds, Infinity for `never`. Throws a usage error for another text. */
export function lifetime(text: string): number {
  if (text === 'never') return Infinity;
  const span = parseSpan(text);
  if (span === null || span <= 0)
    throw new InvalidArgumentError('must be a time such as 30d or 12h, or never');
  return span;
}

/** Returns the time at which a key with a lifetime expires, as RFC 3339; null for Infinity. */
export const expiryOf = (lifetimeMs: number, now: number): string | null =>
  lifetimeMs === Infinity ? null : new Date(now + lifetimeMs).toISOString();

/**
 * Parses a time in the future: RFC 3339, or a duration such as `2h` from now. A time without a zone is local. Returns
 * RFC 3339. Throws a usage error for another text.
 */
export function futureTime(text: string): string {
  const span = parseSpan(text);
  const time = span === null ? timeIn(text) : Date.now() + span;
  if (time === null) throw new InvalidArgumentError(`must be ${TIME_FORMS}`);
  return new Date(time).toISOString();
}

/** Like `futureTime`, but returns `none` as it is: commander replaces null. */
export const futureTimeOrNone = (text: string): string => (text === 'none' ? text : futureTime(text));

const TIME_FORMS = 'a time such as 2026-11-22T10:00:00Z, or a duration such as 2h or 7d';

function timeIn(text: string): number | null {
  const time = /^\d{4}-\d{2}-\d{2}T/.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(time) ? null : time;
}

/**
 * Parses a time in the past: RFC 3339, or a duration such as `2h` before now. Returns RFC 3339. Throws a usage error for
 * another text.
 */
export function pastTime(text: string): string {
  const span = parseSpan(text);
  if (span !== null) return new Date(Date.now() - span).toISOString();
  if (timeIn(text) === null) throw new InvalidArgumentError(`must be ${TIME_FORMS}`);
  return text;
}
