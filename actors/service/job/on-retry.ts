import { isTerminalJob } from '../../../src/core/lifecycle/job-transitions.ts';
import { sumCounts } from '../../../src/core/lifecycle/task-counts.ts';
import { nextTaskStatus } from '../../../src/core/lifecycle/task-transitions.ts';
import { done, refused, type Outcome } from '../../../src/core/problems.ts';
import { put, remove } from '../../../src/core/records/change-set.ts';
import { parkReasonOf, withoutEnd } from '../../../src/core/records/job.ts';
import { keys } from '../../../src/core/records/tables.ts';
import type { ServiceContext } from '../service-system.ts';
import { JobTurn } from './job-turn.ts';
import type { JobMessage, RetryResult, RetryTarget } from './messages.ts';
import { selectedTasks, type SelectedTasks } from './retry-selection.ts';
import type { JobState } from './state.ts';
import { taskOf } from './step-state.ts';

/**
 * Retries failed and canceled tasks for a client (docs/contract/retry.md#manual-retry). For a terminal job the farm
 * decides first, because it knows whether the queue still exists.
 */
export function onJobRetry(
  state: JobState,
  message: Extract<JobMessage, { type: 'job.retry' }>,
  context: ServiceContext<'job'>,
): void {
  const { target, replyTo } = message;
  const { id, farmId, queueId, status } = state.record;
  const answer = replyWithoutRetry(state, target);
  if (answer !== null) context.reply(replyTo, answer);
  else if (isTerminalJob(status))
    context.send('farm', farmId, { type: 'job.reactivation-requested', jobId: id, queueId, target, replyTo });
  else context.reply(replyTo, done(retry(state, target, new JobTurn(state, context))));
}

/**
 * Handles a retry of a terminal job after the farm's approval. Another retry may have reactivated the job meanwhile.
 */
export function onJobReactivate(
  state: JobState,
  message: Extract<JobMessage, { type: 'job.reactivate' }>,
  context: ServiceContext<'job'>,
): void {
  const { record } = state;
  const { id: jobId, farmId, queueId, status, endedAt } = record;
  state.inherited = message.inherited;
  const answer = replyWithoutRetry(state, message.target);
  if (answer !== null) {
    if (isTerminalJob(status)) context.send('farm', farmId, { type: 'job.ended', jobId, queueId, status });
    context.reply(message.replyTo, answer);
    return;
  }
  const turn = new JobTurn(state, context);
  if (isTerminalJob(status) && turn.moveJob('retry', { cancelReason: '', waitsWhilePaused: false })) {
    state.record = withoutEnd(state.record);
    if (endedAt !== undefined)
      context.change(remove('endedJob', keys.endedJob(farmId, status, endedAt, jobId)));
    context.change(put('activeJob', keys.activeJob(farmId, jobId), { version: 1 }));
    // The job may have ended again since the farm's approval, so the farm needs to know that it is active.
    context.send('farm', farmId, { type: 'job.reactivated', jobId, queueId });
  }
  context.reply(message.replyTo, done(retry(state, message.target, turn)));
}

const NOTHING_RETRIED: RetryResult = { retried: 0, status: null };

/** Returns the reply if no task can be retried, else null. */
function replyWithoutRetry(state: JobState, target: RetryTarget): Outcome<RetryResult> | null {
  if (target === 'job') {
    const { failed, canceled } = sumCounts(state.steps.map((step) => step.record.taskCounts));
    return failed + canceled === 0 ? done(NOTHING_RETRIED) : null;
  }
  if ('selection' in target) {
    const selected = selectedTasks(state, target.selection);
    if (!selected.ok) return selected;
    return selected.value.length === 0 ? done(NOTHING_RETRIED) : null;
  }
  const step = state.steps[target.stepOrder];
  if (step === undefined || target.index >= step.record.taskCount) {
    return refused('not-found', 'the job has no such task');
  }
  const { status } = taskOf(step, target.index);
  return nextTaskStatus(status, 'manual retry') === null
    ? refused('conflict', `the task is ${status}, neither failed nor canceled`)
    : null;
}

/** Retries the tasks. Resumes an auto-parked job; a job that a user paused stays paused. */
function retry(state: JobState, target: RetryTarget, turn: JobTurn): RetryResult {
  const wasParked = state.record.status === 'paused' && parkReasonOf(state.record) !== null;
  if (wasParked) turn.resume();
  else turn.patchJob({ failedAttempts: 0, parkReason: '' });
  let retried = 0;
  for (const { step, indices } of retriedTasks(state, target)) {
    if (indices === 'all') {
      retried += turn.retryStep(step);
      continue;
    }
    for (const index of indices) turn.retryTask(step, index);
    retried += indices.length;
  }
  const { status, waitsWhilePaused } = state.record;
  const waits = status === 'blocked' || (status === 'paused' && waitsWhilePaused === true);
  if (!waits) turn.promoteFreeSteps();
  if (wasParked) for (const step of state.steps) turn.offer(step);
  turn.end();
  if (target === 'job' || 'selection' in target) return { retried, status: null };
  const named = state.steps[target.stepOrder];
  return { retried, status: named === undefined ? null : taskOf(named, target.index).status };
}

/** Returns the tasks to retry. `replyWithoutRetry` has checked that there are some and not too many. */
function retriedTasks(state: JobState, target: RetryTarget): readonly SelectedTasks[] {
  if (target === 'job') return state.steps.map((step) => ({ step, indices: 'all' }));
  if ('selection' in target) {
    const selected = selectedTasks(state, target.selection);
    return selected.ok ? selected.value : [];
  }
  const step = state.steps[target.stepOrder];
  return step === undefined ? [] : [{ step, indices: [target.index] }];
}
