import type { WorkerId } from '../../../src/core/ids.ts';
import { countStepFailure } from '../../../src/core/lifecycle/failure-tallies.ts';
import { put } from '../../../src/core/records/change-set.ts';
import type { StepFailuresRecord } from '../../../src/core/records/step-failures.ts';
import { keys } from '../../../src/core/records/tables.ts';
import type { ServiceContext } from '../service-system.ts';
import { judgeFailure, othersOf } from './judge-failures.ts';
import type { JobState } from './state.ts';
import { taskOf, type StepState } from './step-state.ts';

/**
 * Counts a reported failure for the job and for the worker of the open attempt. Call it before the attempt is closed.
 * `isFinal`: the task has failed.
 */
export function countFailure(
  state: JobState,
  step: StepState,
  index: number,
  isFinal: boolean,
  context: ServiceContext<'job'>,
): void {
  const { id: jobId } = state.record;
  const stepOrder = step.record.order;
  const worker = state.openAttempts.workerOf(step, index, taskOf(step, index));
  const ofStep = state.failures.get(stepOrder) ?? new Map<WorkerId, StepFailuresRecord>();
  const counted = countStepFailure(ofStep.get(worker), worker, context.now);
  state.failures.set(stepOrder, ofStep.set(worker, counted));
  context.change(put('stepFailures', keys.stepFailures(jobId, stepOrder, worker), counted));
  const verdict = judgeFailure(state, step, index, worker, isFinal, context);
  const others = othersOf(state, step, worker);
  context.send('worker', worker, { type: 'attempt.failed', jobId, stepOrder, index, verdict, others });
}
