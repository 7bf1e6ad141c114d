import { UPSTREAM_JOB_REASON, USER_CANCEL_REASON } from '../../../src/core/lifecycle/failure-reasons.ts';
import { isTerminalTask } from '../../../src/core/lifecycle/task-transitions.ts';
import { done, refused } from '../../../src/core/problems.ts';
import type { ServiceContext } from '../service-system.ts';
import { JobTurn } from './job-turn.ts';
import type { JobMessage } from './messages.ts';
import type { JobState } from './state.ts';
import { taskOf } from './step-state.ts';

/**
 * Cancels the job for a client (docs/contract/rest.md#jobs). Idempotent for a canceled job; `conflict` for a completed
 * or failed one.
 */
export function onJobCancel(
  state: JobState,
  message: Extract<JobMessage, { type: 'job.cancel' }>,
  context: ServiceContext<'job'>,
): void {
  const { status } = state.record;
  if (status === 'completed' || status === 'failed') {
    context.reply(message.replyTo, refused('conflict', `the job is ${status} already`));
    return;
  }
  if (status !== 'canceled') cancelAll(state, 'cancel', USER_CANCEL_REASON, '', context);
  context.reply(message.replyTo, done(null));
}

/** Cancels the job because an upstream job did not complete. Its downstream jobs follow. */
export function onUpstreamFailed(state: JobState, _message: unknown, context: ServiceContext<'job'>): void {
  // A paused job without `waitsWhilePaused` no longer depends on its upstreams.
  if (state.record.status === 'paused' && state.record.waitsWhilePaused !== true) return;
  cancelAll(state, 'upstream failed', UPSTREAM_JOB_REASON, UPSTREAM_JOB_REASON, context);
}

function cancelAll(
  state: JobState,
  trigger: 'cancel' | 'upstream failed',
  reason: string,
  cancelReason: string,
  context: ServiceContext<'job'>,
): void {
  const turn = new JobTurn(state, context);
  if (!turn.moveJob(trigger, { cancelReason, parkReason: '' })) return;
  for (const step of state.steps) turn.cancelStep(step, 'cancel', reason);
  turn.end();
}

/** Cancels one task for a client (docs/contract/rest.md#tasks). `conflict` for a terminal task. */
export function onTaskCancel(
  state: JobState,
  message: Extract<JobMessage, { type: 'task.cancel' }>,
  context: ServiceContext<'job'>,
): void {
  const step = state.steps[message.stepOrder];
  if (step === undefined || message.index >= step.record.taskCount) {
    context.reply(message.replyTo, refused('not-found', 'the job has no such task'));
    return;
  }
  const { status } = taskOf(step, message.index);
  if (isTerminalTask(status)) {
    context.reply(message.replyTo, refused('conflict', `the task is ${status} already`));
    return;
  }
  const turn = new JobTurn(state, context);
  turn.cancelTask(step, message.index, 'cancel', USER_CANCEL_REASON);
  if (status === 'ready') {
    context.send('lease', state.record.farmId, {
      type: 'task.withdrawn',
      jobId: state.record.id,
      stepOrder: message.stepOrder,
      index: message.index,
    });
  }
  turn.end();
  context.reply(message.replyTo, done(null));
}
