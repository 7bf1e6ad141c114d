import { isTerminalJob } from '../../../src/core/lifecycle/job-transitions.ts';
import { done, refused } from '../../../src/core/problems.ts';
import { changedCaps } from '../../../src/core/records/job-caps.ts';
import type { JobRecord } from '../../../src/core/records/job.ts';
import { SETTINGS, versionRefusal } from '../../../src/core/records/settings-version.ts';
import { versionOfRules } from '../../../src/core/retry-rules/retry-rule.ts';
import type { ServiceContext } from '../service-system.ts';
import { triesCanaries } from './canaries.ts';
import { JobTurn } from './job-turn.ts';
import type { JobMessage } from './messages.ts';
import { armStart, offerOpenSteps } from './on-start-due.ts';
import { publishJob } from './publish-job.ts';
import { forgetPatterns } from './assignment-of-step.ts';
import type { JobState } from './state.ts';

type Update = Extract<JobMessage, { type: 'job.update' }>;

/**
 * Changes a job for a client (docs/contract/rest.md#jobs). Pausing a paused job and resuming one that is not paused
 * have no effect. Both are refused for a terminal job, and so is a start time.
 */
export function onJobUpdate(state: JobState, message: Update, context: ServiceContext<'job'>): void {
  const { status } = state.record;
  const refusal = versionRefusal('job', SETTINGS.job(state.record), message.ifMatch ?? null);
  if (refusal !== null) {
    // The farm has noted the new queue already.
    if (message.queue !== null) {
      const { id: jobId, farmId, queueId } = state.record;
      context.send('farm', farmId, { type: 'job.queue-kept', jobId, queueId });
    }
    context.reply(message.replyTo, { ok: false, problem: refusal });
    return;
  }
  const { action } = message.update;
  const startAfter = newStart(state.record, message, context.now);
  if ((action !== undefined || typeof startAfter === 'number') && isTerminalJob(status)) {
    context.reply(message.replyTo, refused('conflict', `the job is ${status} already`));
    return;
  }
  const triedCanaries = triesCanaries(state);
  const turn = new JobTurn(state, context);
  if (message.queue !== null) state.inherited = message.queue.inherited;
  if (message.queue !== null || message.update.retryRules !== undefined) forgetPatterns(state);
  const settings = changedSettings(state.record, message);
  const mustPause = action === 'pause' && status !== 'paused';
  const mustResume = action === 'resume' && status === 'paused';
  const caps = changedCaps(state.record, message.update.caps ?? {}, state.plan.steps);
  const hasNewCaps = Object.keys(caps).length > 0;
  turn.patchJob({ ...settings, ...caps });
  if (mustPause) turn.moveJob('pause', { waitsWhilePaused: status === 'blocked' });
  if (mustResume) turn.resume();
  if (startAfter !== undefined) turn.startAfter(startAfter);
  armStart(state, context);
  const isProbingNew = triesCanaries(state) !== triedCanaries;
  const isMoved = settings.priority !== undefined || settings.queueId !== undefined || isProbingNew;
  if (isMoved || mustResume || startAfter === null || hasNewCaps) offerOpenSteps(turn, state);
  const isChanged = Object.keys(settings).length > 0 || startAfter !== undefined || hasNewCaps;
  if (mustPause || mustResume || isChanged) turn.end();
  if (startAfter !== undefined && state.record.status === status)
    publishJob(state.record, status, context.now, context);
  context.reply(message.replyTo, done(state.record));
}

/** Returns the new start time, null to remove it, or undefined for no change. A time that has passed removes it. */
function newStart(record: JobRecord, { update }: Update, now: number): number | null | undefined {
  const { startAfter: wanted } = update;
  if (wanted === undefined) return undefined;
  const time = wanted !== null && wanted > now ? wanted : null;
  return time === (record.startAfter ?? null) ? undefined : time;
}

/** Reports whether a client has sent other rules. */
const areRulesNew = (before: JobRecord['retryRules'] = [], sent: JobRecord['retryRules']): boolean =>
  sent !== undefined && versionOfRules(sent) !== versionOfRules(before);

/** Returns only the settings that differ from the record. */
function changedSettings(
  record: JobRecord,
  { update, queue }: Update,
): Partial<Pick<JobRecord, 'priority' | 'queueId' | 'retry' | 'retryRules'>> {
  const { priority } = update;
  const retry = { ...record.retry, ...update.retry };
  const isRetryNew =
    retry.maxAttempts !== record.retry.maxAttempts ||
    retry.retryDelaySeconds !== record.retry.retryDelaySeconds ||
    retry.failureLimit !== record.retry.failureLimit ||
    (retry.canaryTasks === true) !== (record.retry.canaryTasks === true);
  return {
    ...(priority !== undefined && priority !== record.priority && { priority }),
    ...(queue !== null && queue.queueId !== record.queueId && { queueId: queue.queueId }),
    ...(isRetryNew && { retry }),
    ...(areRulesNew(record.retryRules, update.retryRules) && { retryRules: update.retryRules }),
  };
}
