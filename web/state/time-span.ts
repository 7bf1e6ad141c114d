import { choiceField } from './use-url-state.ts';

const HOUR_MS = 3_600_000;

/** Lengths of timelines that end now. */
export const TIME_SPANS = {
  '1h': { label: '1 hour', ms: HOUR_MS },
  '6h': { label: '6 hours', ms: 6 * HOUR_MS },
  '24h': { label: '24 hours', ms: 24 * HOUR_MS },
  '7d': { label: '7 days', ms: 7 * 24 * HOUR_MS },
} as const;

export type TimeSpan = keyof typeof TIME_SPANS;
export const TIME_SPAN_NAMES = ['1h', '6h', '24h', '7d'] as const satisfies readonly TimeSpan[];

/** The length in the address of the page. */
export const timeSpanField = choiceField<TimeSpan>(TIME_SPAN_NAMES, '1h');

/** Returns the start of a timeline as a timestamp. `now`: milliseconds since the epoch. */
export const startOfSpan = (span: TimeSpan, now: number): string =>
  new Date(now - TIME_SPANS[span].ms).toISOString();
