/** Units of an age in milliseconds, longest first, with the age from which each is used. */
const UNITS = [
  { name: 'y', ms: 31_536_000_000, fromMs: 63_072_000_000 },
  { name: 'd', ms: 86_400_000, fromMs: 172_800_000 },
  { name: 'h', ms: 3_600_000, fromMs: 7_200_000 },
  { name: 'm', ms: 60_000, fromMs: 120_000 },
  { name: 's', ms: 1_000, fromMs: 0 },
] as const;

/**
 * Formats the time from or to a timestamp: `45s`, `12m`, `3h`, `5d`; for a time in the future `in 3h`. Returns a text that
 * is not a timestamp as it is.
 */
export function formatAge(time: string, nowMs: number): string {
  const atMs = /^\d{4}-\d{2}-\d{2}T/.test(time) ? Date.parse(time) : Number.NaN;
  if (Number.isNaN(atMs)) return time;
  const ms = Math.abs(nowMs - atMs);
  const { name, ms: unitMs } = UNITS.find(({ fromMs }) => ms >= fromMs) ?? UNITS[4];
  const span = `${Math.floor(ms / unitMs)}${name}`;
  // Clocks of two machines differ by a few seconds.
  return atMs - nowMs >= 60_000 ? `in ${span}` : span;
}

/** Removes the fractions of a second from a time of the service. */
export const shortTime = (time: string | undefined): string => (time ?? '').replace(/\.[0-9]+Z$/, 'Z');
