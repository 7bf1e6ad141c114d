import { startOfDay } from '../../state/local-day.ts';

/** Choices for the end of an API key. */
export const EXPIRIES = [
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In one year' },
  { value: 'date', label: 'On a date' },
  { value: 'never', label: 'Never' },
] as const;

export type Expiry = (typeof EXPIRIES)[number]['value'];

const DAY_MS = 24 * 60 * 60 * 1_000;

/** Reports whether a text is a choice. */
export const isExpiry = (text: string): text is Expiry => EXPIRIES.some(({ value }) => value === text);

/**
 * Returns the end of a key as a timestamp; null if it does not end. `date` (`2026-11-30`) is the last day in local time.
 * Undefined if the date is missing, invalid or past. `now` in milliseconds since the epoch.
 */
export function expiresAt(expiry: Expiry, date: string, now: number): string | null | undefined {
  if (expiry === 'never') return null;
  if (expiry !== 'date') return new Date(now + Number(expiry) * DAY_MS).toISOString();
  const end = startOfDay(date, 1);
  return end !== null && end.getTime() > now ? end.toISOString() : undefined;
}
