/** Durations as text of the configuration: `500ms`, `30s`, `5m`, `168h`. Their values are milliseconds. */
const UNITS_MS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 } as const;

const PATTERN = /^([0-9]{1,12})(ms|s|m|h)$/;

/**
 * Parses a duration such as `30s`, `5m`, `168h` or `500ms` into milliseconds. A bare `0` needs no unit. Returns null if
 * the text is not a duration.
 */
export function parseDuration(text: string): number | null {
  if (text === '0') return 0;
  const match = PATTERN.exec(text);
  if (!match) return null;
  const unit = match[2] as keyof typeof UNITS_MS;
  const ms = Number(match[1]) * UNITS_MS[unit];
  return Number.isSafeInteger(ms) ? ms : null;
}

/** Formats a duration in its largest whole unit: 300000 is `5m`, 1500 is `1500ms`. `ms` is a whole number from 0. */
export function formatDuration(ms: number): string {
  for (const unit of ['h', 'm', 's'] as const) {
    if (ms >= UNITS_MS[unit] && ms % UNITS_MS[unit] === 0) return `${ms / UNITS_MS[unit]}${unit}`;
  }
  return `${ms}ms`;
}
