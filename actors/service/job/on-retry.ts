import { UPSTREAM_JOB_REASON } from '../../../src/core/lifecycle/failure-reasons.ts';
import { isTerminalJob } from '../../../src/core/lifecycle/job-transitions.ts';
import { done, refused, type Outcome } from '../../../src/core/problems.ts';
import { put, remove } from '../../../src/core/records/change-set.ts';
import { cancelReasonOf, parkReasonOf, withoutEnd, type JobRecord } from '../../../src/core/records/job.ts';
import { keys } from '../../../src/core/records/tables.ts';
import type { SkipNote } from '../../../src/core/records/task-text.ts';
import type { ServiceContext } from '../service-system.ts';
import { JobTurn } from './job-turn.ts';
import type { JobMessage, RetriedUpstreams, RetryRequest, RetryResult } from './messages.ts';
import { leavesEnded, retriesOf, type StepRetry } from './retry-plan.ts';
import { isRetriable, isSkippable } from './retry-selection.ts';
import { retrySkipped, skipStep, skipTask } from './skip-tasks.ts';
import { waitsForUpstreams, type JobState } from './state.ts';
import { taskOf } from './step-state.ts';

/**
 * Retries failed and canceled tasks for a client (docs/contract/retry.md#manual-retry), or skips tasks
 * (docs/scheduling.md#skipped-tasks). For a terminal job that becomes active the farm decides first, because it knows
 * whether the queue still exists and which upstream jobs are not completed.
 */
export function onJobRetry(
  state: JobState,
  message: Extract<JobMessage, { type: 'job.retry' }>,
  context: ServiceContext<'job'>,
): void {
  const { request, replyTo } = message;
  const { id, farmId, queueId, status, dependsOn } = state.record;
  const plan = planOf(state, request);
  if (!plan.ok || plan.value.length === 0 || request.isDryRun)
    context.reply(replyTo, resultOf(state, request, plan));
  else if (isTerminalJob(status) && isReactivatedBy(state, request, plan.value)) {
    context.send('farm', farmId, {
      type: 'job.reactivation-requested',
      jobId: id,
      queueId,
      dependsOn,
      request,
      replyTo,
    });
  } else {
    apply(state, request, plan.value, context);
    context.reply(replyTo, resultOf(state, request, plan));
  }
}

/**
 * Reports whether a request makes a terminal job active. A skip does so only if no failed or canceled tasks are left, or
 * later steps continue: the job would only end in the same way again.
 */
const isReactivatedBy = (state: JobState, { skip }: RetryRequest, plan: readonly StepRetry[]): boolean =>
  skip === undefined || plan.some(({ indices }) => indices === 'cascaded') || !leavesEnded(state, plan);

/**
 * Handles a retry of a terminal job after the farm's approval. Another retry may have reactivated the job meanwhile.
 */
export function onJobReactivate(
  state: JobState,
  message: Extract<JobMessage, { type: 'job.reactivate' }>,
  context: ServiceContext<'job'>,
): void {
  const { request, upstreams, replyTo } = message;
  const { id: jobId, farmId, queueId, status, endedAt } = state.record;
  state.inherited = message.inherited;
  const plan = planOf(state, request);
  if (!plan.ok || plan.value.length === 0) {
    if (isTerminalJob(status)) context.send('farm', farmId, { type: 'job.ended', jobId, queueId, status });
    context.reply(replyTo, resultOf(state, request, plan));
    return;
  }
  if (isTerminalJob(status) && !isReactivatedBy(state, request, plan.value)) {
    // Other requests have changed the tasks meanwhile: the job would only end again.
    context.send('farm', farmId, { type: 'job.ended', jobId, queueId, status });
    apply(state, request, plan.value, context);
    context.reply(replyTo, resultOf(state, request, plan));
    return;
  }
  const turn = new JobTurn(state, context);
  const trigger = upstreams.isWaiting ? 'retry behind upstreams' : 'retry';
  if (isTerminalJob(status) && turn.moveJob(trigger, reactivated(upstreams))) {
    state.record = withoutEnd(state.record);
    if (endedAt !== undefined)
      context.change(remove('endedJob', keys.endedJob(farmId, status, endedAt, jobId)));
    context.change(put('activeJob', keys.activeJob(farmId, jobId), { version: 1 }));
    // The job may have ended again since the farm's approval, so the farm needs to know that it is active.
    context.send('farm', farmId, {
      type: 'job.reactivated',
      jobId,
      queueId,
      upstreams,
      seen: request.upstreams,
    });
  }
  apply(state, request, plan.value, context, turn);
  context.reply(replyTo, resultOf(state, request, plan));
}

const reactivated = ({ dependsOn, ended }: RetriedUpstreams): Partial<JobRecord> => ({
  cancelReason: '',
  parkReason: '',
  failedAttempts: 0,
  waitsWhilePaused: false,
  dependsOn,
  endedUpstreams: ended,
});

/** Returns the tasks to retry, or why the request is refused. */
function planOf(state: JobState, request: RetryRequest): Outcome<readonly StepRetry[]> {
  const { target, scope, skip } = request;
  if (scope === 'restore' && !isCanceledByUpstream(state.record)) return done([]);
  if (target !== 'job' && !('selection' in target)) {
    const step = state.steps[target.stepOrder];
    if (step === undefined || target.index >= step.record.taskCount)
      return refused('not-found', 'the job has no such task');
    const task = taskOf(step, target.index);
    if (skip === undefined && !isRetriable(task))
      return refused('conflict', `the task is ${task.status}, neither failed nor canceled`);
    if (skip !== undefined && !isSkippable(task))
      return refused('conflict', `the task is ${task.skipped ? 'skipped' : task.status} already`);
  }
  return retriesOf(state, request);
}

const isCanceledByUpstream = (record: JobRecord): boolean =>
  record.status === 'canceled' && cancelReasonOf(record) === UPSTREAM_JOB_REASON;

/** Retries or skips the tasks of the plan. */
function apply(
  state: JobState,
  { skip }: RetryRequest,
  plan: readonly StepRetry[],
  context: ServiceContext<'job'>,
  turn = new JobTurn(state, context),
): void {
  if (skip === undefined) retry(state, plan, turn, context.now);
  else skipTasks(plan, skip, turn, context.now);
}

/** Skips the tasks, and retries those of later steps that were canceled because of them. A paused job stays paused. */
function skipTasks(plan: readonly StepRetry[], note: SkipNote, turn: JobTurn, now: number): void {
  for (const { step, indices } of plan) {
    if (indices === 'cascaded') turn.retryCascaded(step);
    else if (typeof indices === 'string') skipStep(turn, step, note, now);
    else for (const index of indices) skipTask(turn, step, index, note);
  }
  turn.end();
}

/** Retries the tasks. Resumes an auto-parked job; a job that a user paused stays paused. */
function retry(state: JobState, plan: readonly StepRetry[], turn: JobTurn, now: number): void {
  const wasParked = state.record.status === 'paused' && parkReasonOf(state.record) !== null;
  if (wasParked) turn.resume();
  else turn.patchJob({ failedAttempts: 0, parkReason: '' });
  for (const { step, indices } of plan) {
    if (indices === 'all') turn.retryStep(step);
    else if (indices === 'cascaded') turn.retryCascaded(step);
    else if (indices === 'skipped') retrySkipped(turn, step, now);
    else for (const index of indices) turn.retryTask(step, index);
  }
  if (!waitsForUpstreams(state)) turn.promoteFreeSteps();
  if (wasParked) for (const step of state.steps) turn.offer(step);
  turn.end();
}

/** Returns the reply: the plan with the statuses after it. */
function resultOf(
  state: JobState,
  { target, skip, isDryRun }: RetryRequest,
  plan: Outcome<readonly StepRetry[]>,
): Outcome<RetryResult> {
  if (!plan.ok) return plan;
  const named = target === 'job' || 'selection' in target ? undefined : state.steps[target.stepOrder];
  const index = target === 'job' || 'selection' in target ? 0 : target.index;
  return done({
    retried: plan.value.reduce((sum, { retried }) => sum + retried, 0),
    status: named === undefined ? null : taskOf(named, index).status,
    jobStatus: state.record.status,
    steps: plan.value.map(({ step, indices, retried, runs }) => ({
      stepOrder: step.record.order,
      retried,
      indices: runs,
      isSkipped: skip !== undefined && indices !== 'cascaded',
    })),
    leavesEnded: isDryRun && leavesEnded(state, plan.value),
  });
}
