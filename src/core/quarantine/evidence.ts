import type { JobId } from '../ids.ts';
import type {
  OtherAttempts,
  Quarantine,
  StepEvidence,
  StreakFailure,
  WorkerEvidenceRecord,
} from '../records/worker-evidence.ts';
import { isConvictedInStep, oddsInStep, quarantineInStep } from './verdict.ts';

/** Maximum number of steps kept per worker: those with the most recent failures. */
export const EVIDENCE_STEPS_MAX = 50;
/** Maximum number of failures in a row that are kept. */
export const STREAK_MAX = 10;
/** Evidence that is older is forgotten, except quarantines. */
const EVIDENCE_MS = 24 * 3_600_000;

export const NO_EVIDENCE: WorkerEvidenceRecord = { version: 1, steps: [], streak: [], quarantine: null };

/** Returns the evidence without quarantine as a whole and without anything from which one could follow again. */
export const isEmpty = ({ steps, streak, quarantine }: WorkerEvidenceRecord): boolean =>
  steps.length === 0 && streak.length === 0 && quarantine === null;

/** A task, as far as the evidence names it. */
export interface JudgedTask {
  readonly jobId: JobId;
  readonly stepOrder: number;
  readonly index: number;
}

/**
 * Later fate of a task that has failed on a worker. `open`: not known yet. `elsewhere`: it has succeeded on another worker.
 * `everywhere`: it has also failed on another worker. `unknown`: it has ended without either.
 */
export type Verdict = 'open' | 'elsewhere' | 'everywhere' | 'unknown';

/** Records the first failure of a task on the worker. */
export function withFailure(
  before: WorkerEvidenceRecord,
  task: JudgedTask,
  verdict: Extract<Verdict, 'open' | 'everywhere'>,
  others: OtherAttempts,
  now: number,
): WorkerEvidenceRecord {
  const step = stepIn(before, task);
  const isOpen = verdict === 'open';
  const next: StepEvidence = {
    ...(step ?? { jobId: task.jobId, stepOrder: task.stepOrder, elsewhere: 0, successes: 0 }),
    open: (step?.open ?? 0) + (isOpen ? 1 : 0),
    everywhere: (step?.everywhere ?? 0) + (isOpen ? 0 : 1),
    elsewhere: step?.elsewhere ?? 0,
    successes: step?.successes ?? 0,
    others: othersOf(others, step),
    lastAt: now,
  };
  const { jobId, stepOrder, index } = task;
  const streak = isOpen ? [...before.streak, { jobId, stepOrder, index, isElsewhere: false }] : before.streak;
  const kept = before.steps.filter(
    (each) =>
      !isOf(each, task) && (each.quarantine !== undefined || Math.abs(now - each.lastAt) < EVIDENCE_MS),
  );
  return {
    ...before,
    steps: [...kept, next].slice(-EVIDENCE_STEPS_MAX),
    streak: streak.slice(-STREAK_MAX),
  };
}

/**
 * Records what has become of a task that had failed on the worker: with `open`, it has failed on another one too, which
 * changes the attempts of others. May put the worker in quarantine for the step.
 */
export function withVerdict(
  before: WorkerEvidenceRecord,
  task: JudgedTask,
  verdict: Verdict,
  others: OtherAttempts,
  now: number,
  policyVersion: number,
): WorkerEvidenceRecord {
  const step = stepIn(before, task);
  // The failure was forgiven after successes, or is too old.
  if (step === undefined || step.open === 0) return before;
  const judged: StepEvidence = {
    ...step,
    open: step.open - (verdict === 'open' ? 0 : 1),
    elsewhere: step.elsewhere + (verdict === 'elsewhere' ? 1 : 0),
    everywhere: step.everywhere + (verdict === 'everywhere' ? 1 : 0),
    others: othersOf(others, step),
  };
  const isNew = judged.quarantine === undefined && isConvictedInStep(judged);
  const next = isNew ? { ...judged, quarantine: quarantineInStep(judged, now, policyVersion) } : judged;
  return {
    ...before,
    steps: before.steps.map((each) => (each === step ? next : each)),
    streak: before.streak.flatMap((each) => judgedStreak(each, task, verdict)),
  };
}

function judgedStreak(each: StreakFailure, task: JudgedTask, verdict: Verdict): readonly StreakFailure[] {
  if (verdict === 'open' || !isOf(each, task) || each.index !== task.index) return [each];
  return verdict === 'elsewhere' ? [{ ...each, isElsewhere: true }] : [];
}

/** Records successes on the worker. They end its failures in a row, and outweigh failures in their steps. */
export function withSuccesses(
  before: WorkerEvidenceRecord,
  tasks: readonly Pick<JudgedTask, 'jobId' | 'stepOrder'>[],
): WorkerEvidenceRecord {
  if (tasks.length === 0 || isEmpty(before)) return before;
  let { steps } = before;
  for (const task of tasks) steps = steps.map((each) => (isOf(each, task) ? withSuccess(each) : each));
  return steps === before.steps && before.streak.length === 0 ? before : { ...before, steps, streak: [] };
}

function withSuccess(step: StepEvidence): StepEvidence {
  if (step.open + step.elsewhere === 0) return step;
  const next = { ...step, successes: step.successes + 1 };
  const isForgiven = step.quarantine === undefined && oddsInStep(next, 'known and open') <= 0;
  return isForgiven ? { ...next, open: 0, elsewhere: 0, successes: 0 } : next;
}

/** Puts the worker in quarantine as a whole. */
export const withQuarantine = (
  before: WorkerEvidenceRecord,
  quarantine: Quarantine,
): WorkerEvidenceRecord => ({ ...before, quarantine });

const isOf = (
  { jobId, stepOrder }: Pick<JudgedTask, 'jobId' | 'stepOrder'>,
  task: Pick<JudgedTask, 'jobId' | 'stepOrder'>,
): boolean => jobId === task.jobId && stepOrder === task.stepOrder;

const stepIn = ({ steps }: WorkerEvidenceRecord, task: JudgedTask): StepEvidence | undefined =>
  steps.find((each) => isOf(each, task));

/** The attempts of the step that have succeeded include those on the worker itself. */
const othersOf = ({ failed, succeeded }: OtherAttempts, step: StepEvidence | undefined): OtherAttempts => ({
  failed,
  succeeded: Math.max(0, succeeded - (step?.successes ?? 0)),
});
