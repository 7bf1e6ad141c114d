import { isTerminalJob } from '../../../src/core/lifecycle/job-transitions.ts';
import { isTerminalStep } from '../../../src/core/lifecycle/step-rules.ts';
import { done, refused } from '../../../src/core/problems.ts';
import type { JobRecord } from '../../../src/core/records/job.ts';
import type { ServiceContext } from '../service-system.ts';
import { JobTurn } from './job-turn.ts';
import type { JobMessage } from './messages.ts';
import type { JobState } from './state.ts';

type Update = Extract<JobMessage, { type: 'job.update' }>;

/**
 * Changes a job for a client (docs/contract/rest.md#jobs). Pausing a paused job and resuming one that is not paused
 * have no effect. Both are refused for a terminal job.
 */
export function onJobUpdate(state: JobState, message: Update, context: ServiceContext<'job'>): void {
  const { status } = state.record;
  const { action } = message.update;
  if (action !== undefined && isTerminalJob(status)) {
    context.reply(message.replyTo, refused('conflict', `the job is ${status} already`));
    return;
  }
  const turn = new JobTurn(state, context);
  if (message.queue !== null) state.inherited = message.queue.inherited;
  const settings = changedSettings(state.record, message);
  const mustPause = action === 'pause' && status !== 'paused';
  const mustResume = action === 'resume' && status === 'paused';
  turn.patchJob(settings);
  if (mustPause) turn.moveJob('pause', { waitsWhilePaused: status === 'blocked' });
  if (mustResume) turn.resume();
  const isMoved = settings.priority !== undefined || settings.queueId !== undefined;
  if ((isMoved || mustResume) && !isTerminalJob(status)) {
    for (const step of state.steps) if (!isTerminalStep(step.record.status)) turn.offer(step);
  }
  if (mustPause || mustResume || Object.keys(settings).length > 0) turn.end();
  context.reply(message.replyTo, done(state.record));
}

/** Returns only the settings that differ from the record. */
function changedSettings(
  record: JobRecord,
  { update, queue }: Update,
): Partial<Pick<JobRecord, 'priority' | 'queueId' | 'retry'>> {
  const { priority } = update;
  const retry = { ...record.retry, ...update.retry };
  const isRetryNew =
    retry.maxAttempts !== record.retry.maxAttempts ||
    retry.retryDelaySeconds !== record.retry.retryDelaySeconds ||
    retry.failureLimit !== record.retry.failureLimit;
  return {
    ...(priority !== undefined && priority !== record.priority && { priority }),
    ...(queue !== null && queue.queueId !== record.queueId && { queueId: queue.queueId }),
    ...(isRetryNew && { retry }),
  };
}
