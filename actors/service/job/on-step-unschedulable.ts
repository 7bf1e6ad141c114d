import type { ServiceContext } from '../service-system.ts';
import { JobTurn } from './job-turn.ts';
import type { JobMessage } from './messages.ts';
import { isStepLeasable } from './offers.ts';
import type { JobState } from './state.ts';
import { clearUnschedulable, markUnschedulable } from './unschedulable-marks.ts';

/**
 * Marks tasks of a step as unschedulable that no online worker can run and that have been ready for the grace period.
 */
export function onStepUnschedulable(
  state: JobState,
  message: Extract<JobMessage, { type: 'step.unschedulable' }>,
  context: ServiceContext<'job'>,
): void {
  const step = state.steps[message.stepOrder];
  if (step === undefined || !isStepLeasable(state, step)) return;
  const turn = new JobTurn(state, context);
  if (markUnschedulable(turn, step, message.reason, message.readyBefore)) turn.end();
}

/** Clears the unschedulable marks of a step: an online worker can run its tasks. */
export function onStepSchedulable(
  state: JobState,
  message: Extract<JobMessage, { type: 'step.schedulable' }>,
  context: ServiceContext<'job'>,
): void {
  const step = state.steps[message.stepOrder];
  if (step === undefined) return;
  const turn = new JobTurn(state, context);
  if (clearUnschedulable(turn, step)) turn.end();
}
