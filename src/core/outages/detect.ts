import type { OutagePlace, OutageSetting, RecentEnd } from './outage.ts';

/** More successes than this for each failure speak against an outage of a place. */
const SUCCESSES_PER_FAILURE_MAX = 0.25;

/** Failures with one message that make an outage. */
export interface FoundOutage {
  readonly place: OutagePlace;
  readonly failures: readonly RecentEnd[];
}

/**
 * Returns the outage that attempts which have ended lately make, the last of which has failed; null if they make none. Its
 * place is a usage pool that all failures with the message share, otherwise the compute location of the last one, if the
 * failures there are enough. Attempts with the same pool, or in the same location, that have started after the first
 * failure and have succeeded refute a place.
 */
export function findOutage(
  recent: readonly RecentEnd[],
  { jobs, workers }: Pick<OutageSetting, 'jobs' | 'workers'>,
): FoundOutage | null {
  const last = recent.at(-1);
  if (last === undefined || last.key === null || last.key === '') return null;
  const alike = recent.filter(({ key }) => key === last.key);
  for (const place of placesOf(last)) {
    const ofAll = alike.every((each) => isOf(each, place));
    if (place.kind === 'usage pool' && !ofAll) continue;
    const failures = alike.filter((each) => isOf(each, place));
    if (countOf(failures, 'jobId') < jobs || countOf(failures, 'workerId') < workers) continue;
    if (!isRefuted(recent, failures, place)) return { place, failures };
  }
  return null;
}

/** Returns the places of an attempt: its usage pools by name, then its location. */
const placesOf = ({ pools, location }: Pick<RecentEnd, 'pools' | 'location'>): readonly OutagePlace[] => [
  ...[...pools].sort().map((name) => ({ kind: 'usage pool', name }) as const),
  { kind: 'compute location', name: location },
];

/** Reports whether an attempt uses the pool, or was in the location. */
export const isOf = (
  { pools, location }: Pick<RecentEnd, 'pools' | 'location'>,
  { kind, name }: OutagePlace,
): boolean => (kind === 'usage pool' ? pools.includes(name) : location === name);

export const countOf = (ends: readonly RecentEnd[], by: 'jobId' | 'workerId'): number =>
  new Set(ends.map((each) => each[by])).size;

function isRefuted(
  recent: readonly RecentEnd[],
  failures: readonly RecentEnd[],
  place: OutagePlace,
): boolean {
  const firstAt = Math.min(...failures.map(({ at }) => at));
  const successes = recent.filter(
    (each) => each.key === null && each.startedAt >= firstAt && isOf(each, place),
  ).length;
  return successes > failures.length * SUCCESSES_PER_FAILURE_MAX;
}
