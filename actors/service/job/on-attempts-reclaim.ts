import { parseAttemptId, taskIdOf } from '../../../src/core/ids.ts';
import type { ServiceContext } from '../service-system.ts';
import { JobTurn } from './job-turn.ts';
import type { JobMessage } from './messages.ts';
import { reclaim } from './reclaim.ts';
import type { JobState } from './state.ts';
import { taskOf } from './step-state.ts';

/** Returns tasks to ready whose worker was lost or does not have the attempt. */
export function onAttemptsReclaim(
  state: JobState,
  message: Extract<JobMessage, { type: 'attempts.reclaim' }>,
  context: ServiceContext<'job'>,
): void {
  const turn = new JobTurn(state, context);
  let reclaimed = 0;
  for (const attemptId of message.attemptIds) {
    const attempt = parseAttemptId(attemptId);
    const step = attempt === null ? undefined : state.steps[attempt.stepOrder];
    if (attempt === null || step === undefined) continue;
    if (taskOf(step, attempt.index).attemptNumber !== attempt.attemptNumber) continue;
    if (!reclaim(state, step, attempt.index, message.reason, turn, context)) continue;
    reclaimed++;
    if (message.isStale !== true) continue;
    context.log('warn', 'assigned task reclaimed: not reported running in time', {
      task_id: taskIdOf(attempt),
    });
  }
  const isIdle = reclaimed > 0 && state.openAttempts.size === 0;
  if (isIdle && message.isStale === true) turn.moveJob('idle after reclaim');
  if (reclaimed > 0) turn.end();
}
