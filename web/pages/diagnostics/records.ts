import type { DiagnosticEvent } from '../../../client/events/subjects.ts';
import type { DiagnosticLevel, DiagnosticRecord } from '../../../client/resources.ts';

/** What the page keeps: the service keeps no more of a component either, unless it was told to. */
export const RECORDS_MAX = 5_000;

/** From the least to the gravest. */
export const LEVELS: readonly DiagnosticLevel[] = ['DEBUG', 'INFO', 'WARN', 'ERROR'];

export interface RecordFilter {
  /** The least level. */
  readonly level: DiagnosticLevel;
  /** Empty: all. */
  readonly component: string;
  /** An id of a task; empty: all. */
  readonly task: string;
  /** Words that the message, the component or an attribute has. */
  readonly search: string;
}

/** An event as REST would tell the record. */
export const recordOf = ({ component, level, msg, attrs, at }: DiagnosticEvent): DiagnosticRecord => ({
  ts: at,
  component,
  level,
  msg,
  ...(attrs !== undefined && { attrs }),
});

/** No two records of a component have the same time (docs/diagnostics.md). */
export const keyOf = ({ ts, component }: Pick<DiagnosticRecord, 'ts' | 'component'>): string =>
  `${component} ${ts}`;

/** Known and new records together, each once, by their time; the oldest go when there are too many. */
export function joined(
  known: readonly DiagnosticRecord[],
  more: readonly DiagnosticRecord[],
): readonly DiagnosticRecord[] {
  const keys = new Set(known.map(keyOf));
  const fresh = more.filter((record) => !keys.has(keyOf(record)));
  if (fresh.length === 0) return known;
  return [...known, ...fresh].sort((one, other) => compareTimes(one.ts, other.ts)).slice(-RECORDS_MAX);
}

/** RFC 3339 in UTC with up to nine digits: by the second first, because fractions may be cut at zeros. */
function compareTimes(one: string, other: string): number {
  const [oneSecond = '', oneFraction = ''] = one.replace('Z', '').split('.');
  const [otherSecond = '', otherFraction = ''] = other.replace('Z', '').split('.');
  const left = oneSecond + oneFraction.padEnd(9, '0');
  const right = otherSecond + otherFraction.padEnd(9, '0');
  return left < right ? -1 : left > right ? 1 : 0;
}

/** The records that a filter lets through, in their order. */
export function matching(
  records: readonly DiagnosticRecord[],
  filter: RecordFilter,
): readonly DiagnosticRecord[] {
  const least = LEVELS.indexOf(filter.level);
  const words = filter.search
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  return records.filter(({ level, component, msg, attrs = {} }) => {
    if (LEVELS.indexOf(level) < least) return false;
    if (filter.component !== '' && component !== filter.component) return false;
    if (filter.task !== '' && attrs['task_id'] !== filter.task) return false;
    const text = [msg, component, ...Object.entries(attrs).flat()].join(' ').toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/** The page of what an attribute names; null when it has none. */
export function hrefOf(name: string, value: string): string | null {
  if (name === 'task_id') return `/tasks/${encodeURIComponent(value)}`;
  if (name === 'job_id') return `/jobs/${encodeURIComponent(value)}`;
  return name === 'worker_id' ? `/workers/${encodeURIComponent(value)}` : null;
}
