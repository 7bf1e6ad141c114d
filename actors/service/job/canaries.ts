import {
  canaryIndices,
  canaryParkReason,
  failsEverywhere,
  isProbing,
} from '../../../src/core/lifecycle/canaries.ts';
import type { JobState } from './state.ts';
import type { StepState } from './step-state.ts';

/** Reports whether the job tries its canary tasks first: if it, its queue or its farm says so. */
export const triesCanaries = ({
  record: { retry },
  inherited,
}: Pick<JobState, 'record' | 'inherited'>): boolean =>
  retry.canaryTasks === true || inherited.canaryTasks === true;

/** Returns the positions of the tasks of a step that may start while others may not; null if all may. */
export const probesOf = (state: JobState, { record }: StepState): readonly number[] | null =>
  triesCanaries(state) && isProbing(record) ? canaryIndices(record.taskCount) : null;

/** Reports whether the rule about canary tasks keeps a task from starting. */
export function isBehindCanaries(state: JobState, step: StepState, index: number): boolean {
  const probes = probesOf(state, step);
  return probes !== null && !probes.includes(index);
}

/**
 * Returns the reason to park a job after a failure of a step, or null. Call it after the task has moved. A resume and a
 * manual retry begin a new count of failures.
 */
export function canaryParkOf(state: JobState, step: StepState): string | null {
  if (!triesCanaries(state)) return null;
  const ofWorkers = [...(state.failures.get(step.record.order)?.values() ?? [])];
  const ofStep = ofWorkers.reduce((sum, { failures }) => sum + failures, 0);
  const failures = Math.min(ofStep, state.record.failedAttempts);
  if (!failsEverywhere(step.record, failures, ofWorkers.length)) return null;
  return canaryParkReason(step.record.name, failures, ofWorkers.length);
}
