import type { DiagnosticEvent } from '../../../client/events/subjects.ts';
import type { DiagnosticLevel, DiagnosticRecord } from '../../../client/resources.ts';

/** Records that the page keeps. The server keeps no more of a component by default. */
export const RECORDS_MAX = 5_000;

/** From the lowest to the highest level. */
export const LEVELS: readonly DiagnosticLevel[] = ['DEBUG', 'INFO', 'WARN', 'ERROR'];

export interface RecordFilter {
  /** The lowest level to show. */
  readonly level: DiagnosticLevel;
  /** Empty for all components. */
  readonly component: string;
  /** Id of a task; empty for all tasks. */
  readonly task: string;
  /** Words that must all be in the message, the component or an attribute. */
  readonly search: string;
}

/** Converts an event to the record of the REST API. */
export const recordOf = ({ component, level, msg, attrs, at }: DiagnosticEvent): DiagnosticRecord => ({
  ts: at,
  component,
  level,
  msg,
  ...(attrs !== undefined && { attrs }),
});

/** Returns a unique key: no two records of a component have the same time (docs/diagnostics.md). */
export const keyOf = ({ ts, component }: Pick<DiagnosticRecord, 'ts' | 'component'>): string =>
  `${component} ${ts}`;

/** Merges records, sorted by time and without duplicates. Drops the oldest records above the limit. */
export function mergeRecords(
  known: readonly DiagnosticRecord[],
  more: readonly DiagnosticRecord[],
): readonly DiagnosticRecord[] {
  const keys = new Set(known.map(keyOf));
  const fresh = more.filter((record) => !keys.has(keyOf(record)));
  if (fresh.length === 0) return known;
  return [...known, ...fresh].sort((one, other) => compareTimes(one.ts, other.ts)).slice(-RECORDS_MAX);
}

/** Compares times in RFC 3339, UTC. Pads the fraction to nine digits, because trailing zeros may be missing. */
function compareTimes(one: string, other: string): number {
  const [oneSecond = '', oneFraction = ''] = one.replace('Z', '').split('.');
  const [otherSecond = '', otherFraction = ''] = other.replace('Z', '').split('.');
  const left = oneSecond + oneFraction.padEnd(9, '0');
  const right = otherSecond + otherFraction.padEnd(9, '0');
  return left < right ? -1 : left > right ? 1 : 0;
}

/** Returns the records that match a filter, in their order. */
export function filterRecords(
  records: readonly DiagnosticRecord[],
  filter: RecordFilter,
): readonly DiagnosticRecord[] {
  const lowest = LEVELS.indexOf(filter.level);
  const words = filter.search
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  return records.filter(({ level, component, msg, attrs = {} }) => {
    if (LEVELS.indexOf(level) < lowest) return false;
    if (filter.component !== '' && component !== filter.component) return false;
    if (filter.task !== '' && attrs['task_id'] !== filter.task) return false;
    const text = [msg, component, ...Object.entries(attrs).flat()].join(' ').toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/** Returns the page of the resource that an attribute names; null if there is none. */
export function hrefOf(name: string, value: string): string | null {
  if (name === 'task_id') return `/tasks/${encodeURIComponent(value)}`;
  if (name === 'job_id') return `/jobs/${encodeURIComponent(value)}`;
  return name === 'worker_id' ? `/workers/${encodeURIComponent(value)}` : null;
}
