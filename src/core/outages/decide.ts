import { parseAttemptId, taskIdOf, type AttemptId } from '../ids.ts';
import { countOf, findOutage, isOf, type FoundOutage } from './detect.ts';
import {
  isSamePlace,
  keepsBack,
  lastingOutages,
  placeOf,
  type Outage,
  type OutageMark,
  type OutagePlace,
  type OutageProbe,
  type OutageSetting,
  type OutagesRecord,
  type RecentEnd,
} from './outage.ts';

/*
 * Outages that follow from the ends of attempts and from the time (docs/outages.md). Each function is a pure function of the stored
 * record, the setting and the time, and returns the same record if nothing has changed.
 */

const RECENT_FAILURES_MAX = 64;
const RECENT_SUCCESSES_MAX = 64;
const KEYS_MAX = 5;
const PROBED_MAX = 10;
const HOLD_MS_MAX = 1_800_000;
/** How long ended outages are kept for failures of attempts that had started before. */
const ENDED_KEPT_MS = 3_600_000;
const ENDED_MAX = 10;
/** A probe has passed if it has run this many times longer than attempts that failed, and at least for this time. */
const PROBE_RUN_FACTOR = 2;
const PROBE_RUN_MS_MIN = 60_000;
const SECOND_MS = 1000;

/** Decision about a failed attempt. */
export interface FailureDecision {
  readonly record: OutagesRecord;
  /** Set if the failure belongs to an outage, and does not count. */
  readonly mark: OutageMark | null;
  /** Earlier failures that turn out to belong to it. They do not count any more. */
  readonly excused: readonly RecentEnd[];
}

/** Decides about the failure of an attempt. */
export function withFailure(
  before: OutagesRecord,
  end: RecentEnd,
  setting: OutageSetting,
  now: number,
): FailureDecision {
  const known = before.outages.find((outage) => belongsTo(end, outage, now));
  if (known !== undefined) {
    const next = afterFailure(known, end, setting, now);
    return { record: replaced(before, known, next), mark: markOf(next), excused: [] };
  }
  const record = withoutVerdict(before, end.attemptId);
  const recent = pruned([...record.recent, end], setting, now);
  const found = findOutage(recent, setting);
  if (found === null) return { record: { ...record, recent }, mark: null, excused: [] };
  const outage = newOutage(record, found, end, setting, now);
  const others = record.outages.filter((each) => !isSamePlace(each, outage) || each.endedAt !== undefined);
  return {
    record: {
      ...record,
      recent: recent.filter((each) => !found.failures.includes(each)),
      outages: [...others, outage],
    },
    mark: markOf(outage),
    excused: excusable(found.failures, recent, end),
  };
}

/** Records the success of an attempt: a probe ends its outage, and others may speak against one. */
export function withSuccess(
  before: OutagesRecord,
  end: RecentEnd,
  setting: OutageSetting,
  now: number,
): OutagesRecord {
  const probed = before.outages.find(({ probe }) => probe?.attemptId === end.attemptId);
  const record = probed === undefined ? before : replaced(before, probed, ended(probed, now));
  const first = record.recent.find(({ key }) => key !== null);
  if (first === undefined || end.startedAt < first.at) return record;
  return { ...record, recent: pruned([...record.recent, end], setting, now) };
}

/** Records that an attempt has ended without a verdict: canceled, taken back or lost. Another probe is tried. */
export function withoutVerdict(before: OutagesRecord, attemptId: AttemptId): OutagesRecord {
  const outage = before.outages.find(({ probe }) => probe?.attemptId === attemptId);
  if (outage?.probe === undefined || outage.probe === null) return before;
  const probed = [...new Set([...outage.probed, outage.probe.jobId])].slice(-PROBED_MAX);
  return replaced(before, outage, { ...outage, probe: null, probed });
}

/** Records that a task is tried. */
export function withProbe(
  before: OutagesRecord,
  place: OutagePlace,
  { attemptId, jobId }: Pick<OutageProbe, 'attemptId' | 'jobId'>,
  now: number,
): OutagesRecord {
  const outage = lastingOutages(before, now).find((each) => isSamePlace(each, place));
  if (outage === undefined) return before;
  const passesAt = now + Math.max(PROBE_RUN_MS_MIN, PROBE_RUN_FACTOR * outage.longestMs);
  return replaced(before, outage, { ...outage, probe: { attemptId, jobId, passesAt } });
}

/** Ends the outage of a place at the request of a user. Returns the same record if there is no such outage. */
export function withEnded(before: OutagesRecord, place: OutagePlace, now: number): OutagesRecord {
  const outage = before.outages.find((each) => each.endedAt === undefined && isSamePlace(each, place));
  return outage === undefined ? before : replaced(before, outage, ended(outage, now));
}

/** Returns the record at `now`: probes that have run long enough have passed, and what is old is forgotten. */
export function atTime(before: OutagesRecord, now: number): OutagesRecord {
  let record = before;
  for (const outage of before.outages) {
    const { endedAt, probe, since } = outage;
    if (endedAt !== undefined) continue;
    if (since > now || (probe !== null && probe.passesAt <= now))
      record = replaced(record, outage, ended(outage, now));
  }
  const kept = record.outages.filter(
    ({ endedAt }) => endedAt === undefined || (now - endedAt < ENDED_KEPT_MS && endedAt <= now),
  );
  return kept.length === record.outages.length ? record : { ...record, outages: kept };
}

/** Returns when something happens next by itself, in milliseconds since the epoch; null for never. */
export function nextDue(record: OutagesRecord, now: number): number | null {
  const times = lastingOutages(record, now).flatMap(({ until, probe }) =>
    probe !== null ? [probe.passesAt] : now < until ? [until] : [],
  );
  return times.length === 0 ? null : Math.min(...times);
}

/** Returns how many tasks of the place may start: none during the hold and while a probe runs, then one. */
export const roomIn = (outage: Outage, now: number): 0 | 1 => (keepsBack(outage, now) ? 0 : 1);

function belongsTo(end: RecentEnd, outage: Outage, now: number): boolean {
  if (end.key === null || !outage.keys.includes(end.key) || !isOf(end, outage)) return false;
  return outage.endedAt === undefined ? outage.since <= now : end.startedAt < outage.endedAt;
}

function afterFailure(outage: Outage, end: RecentEnd, setting: OutageSetting, now: number): Outage {
  const longestMs = Math.max(outage.longestMs, end.at - end.startedAt);
  const counted = { ...outage, failures: outage.failures + 1, longestMs };
  if (outage.probe?.attemptId !== end.attemptId) return counted;
  const times = outage.times + 1;
  return {
    ...counted,
    since: now,
    until: now + holdMs(times, setting),
    times,
    probe: null,
    probed: [...new Set([...outage.probed, end.jobId])].slice(-PROBED_MAX),
  };
}

/** An outage of a place that has ended a short time ago continues: its hold doubles too. */
function newOutage(
  { outages }: OutagesRecord,
  { place, failures }: FoundOutage,
  end: RecentEnd,
  setting: OutageSetting,
  now: number,
): Outage {
  const before = outages.filter((each) => isSamePlace(each, place)).at(-1);
  const isSoon =
    before !== undefined &&
    (before.endedAt === undefined || now - before.endedAt < Math.max(before.until - before.since, 0));
  const times = isSoon ? before.times + 1 : 1;
  const earlier = before !== undefined && before.endedAt === undefined ? before.keys : [];
  return {
    ...place,
    firstAt: Math.min(...failures.map(({ at }) => at)),
    since: now,
    until: now + holdMs(times, setting),
    times,
    keys: [...new Set([...earlier, end.key ?? ''])].slice(-KEYS_MAX),
    message: end.message,
    failures: failures.length,
    jobs: countOf(failures, 'jobId'),
    workers: countOf(failures, 'workerId'),
    longestMs: Math.max(...failures.map(({ at, startedAt }) => at - startedAt)),
    probe: null,
    probed: [],
    policyVersion: setting.version,
  };
}

const holdMs = (times: number, { holdSeconds }: OutageSetting): number => {
  const base = holdSeconds * SECOND_MS;
  return Math.min(base * 2 ** Math.min(times - 1, 30), Math.max(base, HOLD_MS_MAX));
};

/**
 * Returns the earlier failures that do not count any more. One after which its task has failed for another reason still
 * counts: the failures that count are always the last ones of the task.
 */
function excusable(
  failures: readonly RecentEnd[],
  recent: readonly RecentEnd[],
  end: RecentEnd,
): readonly RecentEnd[] {
  const others = recent.filter((each) => each.key !== null && !failures.includes(each));
  return failures.filter(
    (each) => each !== end && !others.some((other) => isLaterOf(other.attemptId, each.attemptId)),
  );
}

function isLaterOf(later: AttemptId, earlier: AttemptId): boolean {
  const [a, b] = [parseAttemptId(later), parseAttemptId(earlier)];
  return a !== null && b !== null && taskIdOf(a) === taskIdOf(b) && a.attemptNumber > b.attemptNumber;
}

function pruned(ends: readonly RecentEnd[], { windowSeconds }: OutageSetting, now: number): RecentEnd[] {
  const recent = ends.filter(({ at }) => now - at < windowSeconds * SECOND_MS && at <= now);
  const failures = recent.filter(({ key }) => key !== null).slice(-RECENT_FAILURES_MAX);
  const successes = recent.filter(({ key }) => key === null).slice(-RECENT_SUCCESSES_MAX);
  return recent.filter((each) => (each.key === null ? successes : failures).includes(each));
}

const ended = (outage: Outage, now: number): Outage => ({ ...outage, probe: null, endedAt: now });

function replaced(before: OutagesRecord, outage: Outage, next: Outage): OutagesRecord {
  const outages = before.outages.map((each) => (each === outage ? next : each));
  const ends = outages.filter(({ endedAt }) => endedAt !== undefined).slice(-ENDED_MAX);
  return { ...before, outages: outages.filter((each) => each.endedAt === undefined || ends.includes(each)) };
}

const markOf = (outage: Outage): OutageMark => ({
  ...placeOf(outage),
  message: outage.message,
  policyVersion: outage.policyVersion,
});
