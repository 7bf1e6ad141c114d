/** Times and durations as text. */

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Formats a duration in milliseconds: `45 s`, `3 m 20 s`, `5 h 02 m`, `3 d 4 h`. Negative durations count as 0. */
export function durationText(ms: number): string {
  const all = Math.max(0, ms);
  if (all < 10 * SECOND && all % SECOND !== 0) return `${(all / SECOND).toFixed(1)} s`;
  if (all < MINUTE) return `${Math.floor(all / SECOND)} s`;
  if (all < HOUR) return `${Math.floor(all / MINUTE)} m ${pad((all % MINUTE) / SECOND)} s`;
  if (all < DAY) return `${Math.floor(all / HOUR)} h ${pad((all % HOUR) / MINUTE)} m`;
  return `${Math.floor(all / DAY)} d ${Math.floor((all % DAY) / HOUR)} h`;
}

const pad = (value: number): string => String(Math.floor(value)).padStart(2, '0');

/** Formats a time relative to `now`: `just now`, `4 m ago`, `3 d ago`; `in 20 s` for a time in the future. */
export function agoText(at: number, now: number): string {
  const ms = now - at;
  if (ms < -SECOND) return `in ${coarse(-ms)}`;
  return ms < 5 * SECOND ? 'just now' : `${coarse(ms)} ago`;
}

function coarse(ms: number): string {
  if (ms < MINUTE) return `${Math.floor(ms / SECOND)} s`;
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} m`;
  if (ms < DAY) return `${Math.floor(ms / HOUR)} h`;
  return `${Math.floor(ms / DAY)} d`;
}
