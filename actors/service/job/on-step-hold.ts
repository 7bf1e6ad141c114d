import { isTerminalStep } from '../../../src/core/lifecycle/step-rules.ts';
import { isTerminalJob } from '../../../src/core/lifecycle/job-transitions.ts';
import { done, refused } from '../../../src/core/problems.ts';
import type { ServiceContext } from '../service-system.ts';
import { JobTurn } from './job-turn.ts';
import type { JobMessage } from './messages.ts';
import { toStepRecord } from './mutable-step.ts';
import { publishJob } from './publish-job.ts';
import type { JobState } from './state.ts';
import { clearUnschedulable } from './unschedulable-marks.ts';

/**
 * Holds or releases a step for a client (docs/scheduling.md#held-steps). The tasks of a held step are not leased; live
 * ones continue. A hold of a held step replaces user and reason. Releasing a step that is not held changes nothing.
 */
export function onStepHold(
  state: JobState,
  message: Extract<JobMessage, { type: 'step.hold' }>,
  context: ServiceContext<'job'>,
): void {
  const { hold, stepOrder, replyTo } = message;
  const step = state.steps[stepOrder];
  if (step === undefined) {
    context.reply(replyTo, refused('not-found', 'the job has no such step'));
    return;
  }
  const { status } = step.record;
  if (hold !== null && isTerminalStep(status)) {
    context.reply(replyTo, refused('conflict', `the step is ${status} already`));
    return;
  }
  if (hold !== null || step.record.hold !== null) {
    const turn = new JobTurn(state, context);
    step.record.hold = hold === null ? null : { ...hold, at: context.now };
    if (hold !== null) clearUnschedulable(turn, step);
    turn.touch(step);
    if (!isTerminalJob(state.record.status)) turn.offer(step);
    turn.end();
    // Steps have no events of their own.
    publishJob(state.record, state.record.status, context.now, context);
  }
  context.reply(replyTo, done(toStepRecord(step.record)));
}
