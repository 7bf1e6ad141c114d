import { parseAttemptId } from '../../../src/core/ids.ts';
import { USER_CANCEL_REASON } from '../../../src/core/lifecycle/failure-reasons.ts';
import { isTerminalJob } from '../../../src/core/lifecycle/job-transitions.ts';
import { done } from '../../../src/core/problems.ts';
import { put, remove } from '../../../src/core/records/change-set.ts';
import { keys } from '../../../src/core/records/tables.ts';
import type { ServiceContext } from '../service-system.ts';
import { JobTurn } from './job-turn.ts';
import type { JobMessage } from './messages.ts';
import { publishJob } from './publish-job.ts';
import type { JobState } from './state.ts';

/** A user deletes the job (docs/contract/rest.md#jobs): in any status; active tasks are canceled first. */
export function onJobDelete(
  state: JobState,
  message: Extract<JobMessage, { type: 'job.delete' }>,
  context: ServiceContext<'job'>,
): void {
  dissolve(state, context);
  context.reply(message.replyTo, done(null));
}

/** Retention removes the job, unless it was revived since it was found to have ended. */
export function onJobExpire(
  state: JobState,
  message: Extract<JobMessage, { type: 'job.expire' }>,
  context: ServiceContext<'job'>,
): void {
  const { status, endedAt } = state.record;
  if (isTerminalJob(status) && endedAt === message.endedAt) dissolve(state, context);
}

/**
 * The job is gone with this commit: every row goes that makes it readable. Of the rows of its tasks there may be
 * millions: the purge takes them in pieces (docs/decisions/deletion.md), so nothing is written here for tasks that are
 * not live.
 */
function dissolve(state: JobState, context: ServiceContext<'job'>): void {
  const { record } = state;
  // First of all: cores that are freed below must not be given to tasks of this job.
  context.send('lease', record.farmId, { type: 'job.withdrawn', jobId: record.id });
  cancelLive(state, new JobTurn(state, context));
  context.change(remove('job', keys.job(record.id)));
  context.change(remove('plan', keys.plan(record.id)));
  context.change(remove('template', keys.template(record.id)));
  for (const { order } of state.plan.steps) context.change(remove('step', keys.step(record.id, order)));
  context.change(remove('activeJob', keys.activeJob(record.farmId, record.id)));
  if (isTerminalJob(record.status)) {
    const ended = keys.endedJob(record.farmId, record.status, record.endedAt ?? 0, record.id);
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

/** Closes every open attempt and tells its worker to stop: cores and slots are free again. */
function cancelLive(state: JobState, turn: JobTurn): void {
  for (const { id } of [...state.openAttempts.values()]) {
    const attempt = parseAttemptId(id);
    const step = attempt === null ? undefined : state.steps[attempt.stepOrder];
    if (attempt === null || step === undefined) throw new Error(`the open attempt ${id} is of no step`);
    turn.cancelTask(step, attempt.index, 'cancel', USER_CANCEL_REASON);
  }
  turn.tellClosed();
}
