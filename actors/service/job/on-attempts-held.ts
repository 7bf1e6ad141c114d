import { parseAttemptId } from '../../../src/core/ids.ts';
import type { ServiceContext } from '../service-system.ts';
import { JobTurn } from './job-turn.ts';
import type { JobMessage } from './messages.ts';
import type { JobState } from './state.ts';
import { taskOf } from './step-state.ts';

/**
 * Moves attempts that a worker holds from assigned to running, as if it had reported so. The reaper must not reclaim
 * tasks that a worker holds (docs/dependency-hazards.md#d9-tasks-that-run-twice).
 */
export function onAttemptsHeld(
  state: JobState,
  message: Extract<JobMessage, { type: 'attempts.held' }>,
  context: ServiceContext<'job'>,
): void {
  const turn = new JobTurn(state, context);
  let moved = 0;
  for (const attemptId of message.attemptIds) {
    const attempt = parseAttemptId(attemptId);
    const step = attempt === null ? undefined : state.steps[attempt.stepOrder];
    if (attempt === null || step === undefined) continue;
    const task = taskOf(step, attempt.index);
    if (task.status !== 'assigned' || task.attemptNumber !== attempt.attemptNumber) continue;
    if (turn.move(step, attempt.index, 'reported running') !== null) moved++;
  }
  if (moved > 0) turn.end();
}
