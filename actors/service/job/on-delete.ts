import { parseAttemptId } from '../../../src/core/ids.ts';
import { USER_CANCEL_REASON } from '../../../src/core/lifecycle/failure-reasons.ts';
import { isTerminalJob } from '../../../src/core/lifecycle/job-transitions.ts';
import { done } from '../../../src/core/problems.ts';
import { put, remove } from '../../../src/core/records/change-set.ts';
import { keys } from '../../../src/core/records/tables.ts';
import { SETTINGS } from '../../../src/core/records/settings-version.ts';
import type { ServiceContext } from '../service-system.ts';
import { JobTurn } from './job-turn.ts';
import type { JobMessage } from './messages.ts';
import { publishJob } from './publish-job.ts';
import type { JobState } from './state.ts';
import { TaskPublisher } from './task-publisher.ts';
import { refusesOutdated } from '../refuse-outdated.ts';

/** Deletes the job for a client, in any status (docs/contract/rest.md#jobs). Cancels its live tasks first. */
export function onJobDelete(
  state: JobState,
  message: Extract<JobMessage, { type: 'job.delete' }>,
  context: ServiceContext<'job'>,
): void {
  if (refusesOutdated('job', SETTINGS.job(state.record), message, context)) return;
  deleteJob(state, context);
  context.reply(message.replyTo, done(null));
}

/** Deletes the job for retention, unless it was reactivated since it was listed as ended. */
export function onJobExpire(
  state: JobState,
  message: Extract<JobMessage, { type: 'job.expire' }>,
  context: ServiceContext<'job'>,
): void {
  const { status, endedAt } = state.record;
  if (isTerminalJob(status) && endedAt === message.endedAt) deleteJob(state, context);
}

/**
 * Deletes the rows that make the job readable. The purge deletes the rows of its tasks in batches, because there may be
 * millions (docs/decisions/deletion.md). So this writes only live tasks.
 */
function deleteJob(state: JobState, context: ServiceContext<'job'>): void {
  const { record } = state;
  // Must be first: cores that are freed below must not go to tasks of this job.
  context.send('lease', record.farmId, { type: 'job.withdrawn', jobId: record.id });
  cancelLiveTasks(state, new JobTurn(state, context));
  // Subscribers of its tasks load them again, and find that there are none.
  new TaskPublisher(record.id, context).publishLost();
  context.change(remove('job', keys.job(record.id)));
  context.change(remove('plan', keys.plan(record.id)));
  context.change(remove('template', keys.template(record.id)));
  for (const { order } of state.plan.steps) context.change(remove('step', keys.step(record.id, order)));
  context.change(remove('activeJob', keys.activeJob(record.farmId, record.id)));
  if (isTerminalJob(record.status) && record.endedAt !== undefined) {
    const ended = keys.endedJob(record.farmId, record.status, record.endedAt, record.id);
    context.change(remove('endedJob', ended));
  }
  context.change(put('doomedJob', keys.doomedJob(record.id), { version: 1, farmId: record.farmId }));
  context.send('farm', record.farmId, { type: 'job.deleted', jobId: record.id });
  publishJob(record, 'removed', context.now, context);
  context.effect({
    kind: 'forward',
    envelope: {
      actor: 'purge',
      id: record.id,
      message: { type: 'purge.next', farmId: record.farmId },
    },
  });
  state.isDeleted = true;
}

/** Closes every open attempt and sends cancel requests to their workers, which frees cores and pool slots. */
function cancelLiveTasks(state: JobState, turn: JobTurn): void {
  for (const { id } of [...state.openAttempts.values()]) {
    const attempt = parseAttemptId(id);
    const step = attempt === null ? undefined : state.steps[attempt.stepOrder];
    if (attempt === null || step === undefined) throw new Error(`open attempt ${id} belongs to no step`);
    turn.cancelTask(step, attempt.index, 'cancel', USER_CANCEL_REASON);
  }
  turn.notifyClosed(true);
}
