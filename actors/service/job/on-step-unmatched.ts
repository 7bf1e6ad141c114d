import type { ServiceContext } from '../service-system.ts';
import { JobTurn } from './job-turn.ts';
import type { JobMessage } from './messages.ts';
import { isLeasable } from './offers.ts';
import type { JobState } from './state.ts';
import { clearUnschedulable, markUnschedulable } from './unschedulable-marks.ts';

/** No online worker may run tasks of a step: those that have been ready for long enough say why. */
export function onStepUnmatched(
  state: JobState,
  message: Extract<JobMessage, { type: 'step.unschedulable' }>,
  context: ServiceContext<'job'>,
): void {
  const step = state.steps[message.stepOrder];
  if (step === undefined || !isLeasable(state)) return;
  const turn = new JobTurn(state, context);
  if (markUnschedulable(turn, step, message.reason, message.readyBefore)) turn.end();
}

/** An online worker may run tasks of the step. */
export function onStepMatched(
  state: JobState,
  message: Extract<JobMessage, { type: 'step.schedulable' }>,
  context: ServiceContext<'job'>,
): void {
  const step = state.steps[message.stepOrder];
  if (step === undefined) return;
  const turn = new JobTurn(state, context);
  if (clearUnschedulable(turn, step)) turn.end();
}
