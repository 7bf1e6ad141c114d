import type { JobId, WorkerId } from '../ids.ts';
import type { StepFailuresRecord, WorkerFailuresRecord } from '../records/step-failures.ts';

/** Maximum number of steps kept per worker: those with the most recent failures. */
export const WORKER_FAILURE_STEPS_MAX = 50;

export const NO_WORKER_FAILURES: WorkerFailuresRecord = { version: 1, total: 0, steps: [] };

/** A worker on which tasks of this many different jobs fail within an hour is probably the cause. */
const FAILING_JOBS_MIN = 3;
const FAILING_TIME_MS = 3_600_000;

/**
 * Returns the number of different jobs with a failure on a worker in the last hour, or null if it is below the number
 * from which the worker is flagged (docs/scheduling.md#workers-that-fail-tasks). `now` is milliseconds since the epoch.
 */
export function failingJobsOf(steps: WorkerFailuresRecord['steps'], now: number): number | null {
  const recent = steps.filter(({ lastAt }) => lastAt > now - FAILING_TIME_MS);
  const { size } = new Set(recent.map(({ jobId }) => jobId));
  return size < FAILING_JOBS_MIN ? null : size;
}

/** Counts a genuine failure of a step on a worker. `now` is milliseconds since the epoch. */
export const countStepFailure = (
  before: StepFailuresRecord | undefined,
  workerId: WorkerId,
  now: number,
): StepFailuresRecord => ({
  version: 1,
  workerId,
  failures: (before?.failures ?? 0) + 1,
  lastAt: now,
});

/**
 * Counts a genuine failure on a worker. Moves the step to the end of the list, and drops the first step if the list is
 * full.
 */
export function countWorkerFailure(
  before: WorkerFailuresRecord,
  jobId: JobId,
  stepOrder: number,
  now: number,
): WorkerFailuresRecord {
  const isStep = (step: WorkerFailuresRecord['steps'][number]): boolean =>
    step.jobId === jobId && step.stepOrder === stepOrder;
  const failures = (before.steps.find(isStep)?.failures ?? 0) + 1;
  const others = before.steps.filter((step) => !isStep(step));
  const steps = [...others, { jobId, stepOrder, failures, lastAt: now }];
  return { version: 1, total: before.total + 1, steps: steps.slice(-WORKER_FAILURE_STEPS_MAX) };
}
