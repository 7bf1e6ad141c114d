import { parseAttemptId } from '../../../src/core/ids.ts';
import type { ServiceContext } from '../service-system.ts';
import { JobTurn } from './job-turn.ts';
import type { JobMessage } from './messages.ts';
import { isLeasable } from './offers.ts';
import { makeReady } from './reclaim.ts';
import { waitsForUpstreams, type JobState } from './state.ts';
import { taskOf, type StepState } from './step-state.ts';

/**
 * Handles the end of canceled attempts on their worker: retried tasks that waited for it become ready
 * (docs/contract/retry.md#manual-retry).
 */
export function onAttemptsExited(
  state: JobState,
  message: Extract<JobMessage, { type: 'attempts.exited' }>,
  context: ServiceContext<'job'>,
): void {
  const turn = new JobTurn(state, context);
  const waits = waitsForUpstreams(state);
  const offered = new Set<StepState>();
  let moved = 0;
  for (const attemptId of message.attemptIds) {
    const attempt = parseAttemptId(attemptId);
    const step = attempt === null ? undefined : state.steps[attempt.stepOrder];
    if (attempt === null || step === undefined) continue;
    const task = taskOf(step, attempt.index);
    if (!task.exiting || task.attemptNumber !== attempt.attemptNumber) continue;
    if (!turn.recordExit(step, attempt.index, waits)) continue;
    moved++;
    if (!isLeasable(state) || offered.has(step)) continue;
    const { ready, assigned, running } = step.record.taskCounts;
    // The lease actor knows a step with other ready or live tasks. An offer of the whole step takes longer.
    if (ready + assigned + running > 1) makeReady(state, step, attempt.index, null, context);
    else {
      turn.offer(step);
      offered.add(step);
    }
  }
  if (moved > 0) turn.end();
}
