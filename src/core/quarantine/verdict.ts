import type { JobId } from '../ids.ts';
import type {
  Doubt,
  OtherAttempts,
  Quarantine,
  StepEvidence,
  WorkerDoubts,
  WorkerEvidenceRecord,
} from '../records/worker-evidence.ts';

/**
 * Compares two explanations of the failures of a worker: it is bad and fails most tasks, or it is like the others
 * (docs/quarantine.md#statistics). Pure: the same evidence gives the same verdict, also after a restart.
 */

/** Share of tasks that a bad worker fails. */
const BAD_SHARE = 0.9;
/** Failures and attempts that a step is assumed to have had before its first one: a share of one in a hundred. */
const PRIOR_FAILED = 0.1;
const PRIOR_ATTEMPTS = 10;

/** Failures in one step, and the odds that they are the worker's fault, from which it is suspected. */
const SUSPECT_FAILURES_MIN = 2;
const SUSPECTED_IN_STEP = Math.log(100);
/**
 * Failures that are known to be the worker's, from which it is in quarantine for a step. Two happen by chance: with one
 * chance failure in 200 attempts, they did so in 2 of 20 license outages with about 1,700 tasks each.
 */
const CONVICTED_FAILURES_MIN = 3;
/** The odds of a quarantine must exceed this times the number of attempts of the step: each could begin a chance run. */
const FALSE_ALARMS_INVERSE = 20;
const STEP_ATTEMPTS_MIN = 50;

/** The same for the worker as a whole, in which failures of at least two jobs count. */
const STREAK_FAILURES_MIN = 3;
const STREAK_JOBS_MIN = 2;
const SUSPECTED_AS_WHOLE = Math.log(1_000);
const QUARANTINED_AS_WHOLE = Math.log(100_000);

/** How long a suspicion lasts after the last failure, if nothing confirms or refutes it. */
export const SUSPICION_MS = 600_000;

/** Returns the share of attempts that fail on other workers. */
export const shareOfOthers = ({ failed, succeeded }: OtherAttempts): number =>
  (failed + PRIOR_FAILED) / (failed + succeeded + PRIOR_ATTEMPTS);

/** Returns by how much one failure raises the logarithm of the odds that the worker is bad. */
const weightOfFailure = (others: OtherAttempts): number => Math.log(BAD_SHARE / shareOfOthers(others));

const weightOfSuccess = (others: OtherAttempts): number =>
  Math.log((1 - BAD_SHARE) / (1 - shareOfOthers(others)));

/** Which failures count: those that are known to be the worker's, or also those that are still open. */
export type Counted = 'known' | 'known and open';

const failuresIn = (step: StepEvidence, counted: Counted): number =>
  step.elsewhere + (counted === 'known' ? 0 : step.open);

/** Returns the logarithm of the odds that the failures in a step are the worker's fault. */
export const oddsInStep = (step: StepEvidence, counted: Counted): number =>
  failuresIn(step, counted) * weightOfFailure(step.others) + step.successes * weightOfSuccess(step.others);

/** Returns the logarithm of the odds from which a worker is in quarantine for a step. */
const stepThreshold = ({ others, elsewhere, successes }: StepEvidence): number => {
  const attempts = others.failed + others.succeeded + elsewhere + successes;
  return Math.log(FALSE_ALARMS_INVERSE * Math.max(STEP_ATTEMPTS_MIN, attempts));
};

/** Reports whether the evidence is enough for a quarantine in the step. */
export const isConvictedInStep = (step: StepEvidence): boolean =>
  step.elsewhere >= CONVICTED_FAILURES_MIN && oddsInStep(step, 'known') >= stepThreshold(step);

const isSuspectedInStep = (step: StepEvidence, now: number): boolean =>
  failuresIn(step, 'known and open') >= SUSPECT_FAILURES_MIN &&
  oddsInStep(step, 'known and open') >= SUSPECTED_IN_STEP &&
  isRecent(step.lastAt, now);

/** A time in the future is one from before the clock was set back. */
const isRecent = (at: number, now: number): boolean => at > now - SUSPICION_MS && at <= now;

/** Failures in a row on one worker. */
export interface Streak {
  readonly failures: number;
  readonly jobs: number;
  readonly odds: number;
}

/** Returns the failures since the last success of the worker that count. */
function streakOf({ streak, steps }: WorkerEvidenceRecord, counted: Counted): Streak {
  const jobs = new Set<JobId>();
  let failures = 0;
  let odds = 0;
  for (const { jobId, stepOrder, isElsewhere } of streak) {
    if (counted === 'known' && !isElsewhere) continue;
    const step = steps.find((each) => each.jobId === jobId && each.stepOrder === stepOrder);
    failures++;
    jobs.add(jobId);
    odds += weightOfFailure(step?.others ?? { failed: 0, succeeded: 0 });
  }
  return { failures, jobs: jobs.size, odds };
}

const isStreak = ({ failures, jobs, odds }: Streak, threshold: number): boolean =>
  failures >= STREAK_FAILURES_MIN && jobs >= STREAK_JOBS_MIN && odds >= threshold;

/** Reports whether the evidence is enough for a quarantine of the worker as a whole. */
export const isConvictedAsWhole = (evidence: WorkerEvidenceRecord): boolean =>
  isStreak(streakOf(evidence, 'known'), QUARANTINED_AS_WHOLE);

const isSuspectedAsWhole = (evidence: WorkerEvidenceRecord, now: number): boolean =>
  isStreak(streakOf(evidence, 'known and open'), SUSPECTED_AS_WHOLE) &&
  isRecent(Math.max(...evidence.steps.map(({ lastAt }) => lastAt)), now);

/** Returns what the evidence keeps the worker from at `now`. */
export function doubtsOf(evidence: WorkerEvidenceRecord, now: number): WorkerDoubts {
  const steps = evidence.steps.flatMap((step) => {
    const doubt = doubtInStep(step, now);
    return doubt === null ? [] : [{ jobId: step.jobId, stepOrder: step.stepOrder, ...doubt }];
  });
  return { whole: doubtAsWhole(evidence, now), steps };
}

function doubtInStep(step: StepEvidence, now: number): Doubt | null {
  const { quarantine, lastAt } = step;
  if (quarantine !== undefined)
    return { kind: 'quarantined', since: quarantine.since, reason: quarantine.reason };
  if (!isSuspectedInStep(step, now)) return null;
  return { kind: 'suspected', since: lastAt, reason: suspicionText(failuresIn(step, 'known and open'), 1) };
}

function doubtAsWhole(evidence: WorkerEvidenceRecord, now: number): Doubt | null {
  const { quarantine, steps } = evidence;
  if (quarantine !== null) return { kind: 'quarantined', since: quarantine.since, reason: quarantine.reason };
  if (!isSuspectedAsWhole(evidence, now)) return null;
  const { failures, jobs } = streakOf(evidence, 'known and open');
  const since = Math.max(...steps.map(({ lastAt }) => lastAt));
  return { kind: 'suspected', since, reason: suspicionText(failures, jobs) };
}

const suspicionText = (failures: number, jobs: number): string =>
  `${failures} tasks${jobs === 1 ? '' : ` of ${jobs} jobs`} have failed on it, and it is not known yet if they succeed elsewhere`;

/** Returns the quarantine of a worker for a step. */
export const quarantineInStep = (step: StepEvidence, now: number, policyVersion: number): Quarantine => ({
  since: now,
  reason:
    `${step.elsewhere} tasks of the step failed on it and succeeded elsewhere` +
    `${step.successes === 0 ? '' : `, and ${step.successes} succeeded on it`}; ${othersText(step.others)}`,
  policyVersion,
});

function othersText({ failed, succeeded }: OtherAttempts): string {
  return `of ${failed + succeeded} attempts on other workers ${failed} failed`;
}

/** Returns the quarantine of a worker as a whole. */
export function quarantineAsWhole(
  evidence: WorkerEvidenceRecord,
  now: number,
  policyVersion: number,
): Quarantine {
  const { failures, jobs } = streakOf(evidence, 'known');
  const reason = `its last ${failures} tasks, of ${jobs} jobs, failed on it and succeeded elsewhere`;
  return { since: now, reason, policyVersion };
}

/** Returns when the first suspicion ends if nothing else happens, in milliseconds since the epoch; null without one. */
export function nextSuspicionEnd(evidence: WorkerEvidenceRecord, now: number): number | null {
  const recent = evidence.steps.map(({ lastAt }) => lastAt).filter((at) => isRecent(at, now));
  return recent.length === 0 ? null : Math.min(...recent) + SUSPICION_MS;
}

/** Reports whether two workers' doubts are the same. */
export const isSameDoubts = (a: WorkerDoubts, b: WorkerDoubts): boolean =>
  JSON.stringify(a) === JSON.stringify(b);
