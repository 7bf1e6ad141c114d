import type { TaskCounts } from './task-counts.ts';

/**
 * Canary tasks: the first, the middle and the last task of a step run before the others, so that a job that fails
 * everywhere wastes few attempts (docs/quarantine.md#canary-tasks). All rules are functions of stored counts.
 */

/** Steps with fewer tasks have no canary tasks. */
const CANARY_STEP_MIN = 5;
const CANARIES = 3;

/** Failures of a step without a success, and the workers that they are on, from which the step fails everywhere. */
const FAILURES_MIN = 6;
const WORKERS_MIN = 3;

/** A step, as far as the rules look at it. Tasks of chunks that change their size have no fixed place. */
export interface CanaryStep {
  readonly taskCount: number;
  readonly taskCounts: Pick<TaskCounts, 'succeeded' | 'failed' | 'canceled'>;
  readonly chunks?: object | null;
}

const hasCanaries = ({ taskCount, chunks }: CanaryStep): boolean =>
  taskCount >= CANARY_STEP_MIN && (chunks ?? null) === null;

const endedOf = ({ taskCounts: { succeeded, failed, canceled } }: CanaryStep): number =>
  succeeded + failed + canceled;

/** Returns the positions of the canary tasks. */
export const canaryIndices = (taskCount: number): readonly number[] => [
  0,
  Math.floor((taskCount - 1) / 2),
  taskCount - 1,
];

/** Reports whether only the canary tasks of the step may start: fewer tasks have ended than there are canary tasks. */
export const isProbing = (step: CanaryStep): boolean => hasCanaries(step) && endedOf(step) < CANARIES;

/**
 * Reports whether the step fails everywhere: none of its tasks has succeeded, and all canary tasks have failed, or
 * enough attempts on enough workers. `failures`: of its tasks since the last reset.
 */
export const failsEverywhere = (step: CanaryStep, failures: number, workers: number): boolean =>
  step.taskCounts.succeeded === 0 &&
  ((failures >= FAILURES_MIN && workers >= WORKERS_MIN) ||
    (hasCanaries(step) && step.taskCounts.failed === CANARIES && endedOf(step) === CANARIES));

/** Returns the reason with which a job is parked whose step fails everywhere. */
export const canaryParkReason = (name: string, failures: number, workers: number): string =>
  `step ${name} fails everywhere: ${failures} failures on ${workers} ${workers === 1 ? 'worker' : 'workers'}, no success`;
