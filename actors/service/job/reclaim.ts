import { isLiveTask } from '../../../src/core/lifecycle/task-transitions.ts';
import type { ServiceContext } from '../service-system.ts';
import { isBehindCanaries } from './canaries.ts';
import { failedOnOf } from './failed-on.ts';
import type { JobTurn } from './job-turn.ts';
import type { JobState } from './state.ts';
import { taskOf, type StepState } from './step-state.ts';

/**
 * Reclaims an open attempt: its task returns to ready without counting as a failure (docs/contract/retry.md#lost-work).
 * The reason is stored on the attempt only. Returns false if the task is not live.
 */
export function reclaim(
  state: JobState,
  step: StepState,
  index: number,
  reason: string,
  turn: JobTurn,
  context: ServiceContext<'job'>,
): boolean {
  if (!isLiveTask(taskOf(step, index).status)) return false;
  turn.closeAttempt(step, index, { status: 'failed', message: reason, reclaimed: true });
  const { failedAttempts } = taskOf(step, index);
  turn.move(step, index, 'reclaim', { failedAttempts, assignedAt: null, workerOrdinal: null });
  makeReady(state, step, index, null, context);
  return true;
}

/**
 * Reports to the lease actor that a task is ready again: at the end of its retry delay, or now if `until` is null. The
 * release of a held step, and the end of its canary tasks, reports all of its ready tasks.
 */
export function makeReady(
  state: JobState,
  step: StepState,
  index: number,
  until: number | null,
  context: ServiceContext<'job'>,
): void {
  if (step.record.hold !== null || isBehindCanaries(state, step, index)) return;
  context.send('lease', state.record.farmId, {
    type: 'tasks.ready',
    jobId: state.record.id,
    stepOrder: step.record.order,
    ranges: [{ start: index, count: 1 }],
    until,
    avoided: failedOnOf(state.failedOn, step.record.order, index),
  });
}
