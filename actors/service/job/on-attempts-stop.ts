import { parseAttemptId } from '../../../src/core/ids.ts';
import { DISABLED_MESSAGE } from '../../../src/core/lifecycle/failure-reasons.ts';
import type { ServiceContext } from '../service-system.ts';
import { JobTurn } from './job-turn.ts';
import type { JobMessage } from './messages.ts';
import type { JobState } from './state.ts';
import { taskOf } from './step-state.ts';

/**
 * Stops attempts on a worker that was disabled at once (docs/scheduling.md#disabled-workers). Their tasks wait until the
 * worker has confirmed that the processes have ended, and become ready then.
 */
export function onAttemptsStop(
  state: JobState,
  message: Extract<JobMessage, { type: 'attempts.stop' }>,
  context: ServiceContext<'job'>,
): void {
  const turn = new JobTurn(state, context);
  let stopped = 0;
  for (const attemptId of message.attemptIds) {
    const attempt = parseAttemptId(attemptId);
    const step = attempt === null ? undefined : state.steps[attempt.stepOrder];
    if (attempt === null || step === undefined) continue;
    const { index } = attempt;
    if (taskOf(step, index).attemptNumber !== attempt.attemptNumber) continue;
    if (!turn.stopAttempt(step, index, { status: 'canceled', message: DISABLED_MESSAGE })) continue;
    turn.move(step, index, 'worker disabled', { assignedAt: null, workerOrdinal: null, exiting: true });
    stopped++;
  }
  if (stopped > 0) turn.end();
}
