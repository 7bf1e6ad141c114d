import { UPSTREAM_JOB_REASON } from '../../../src/core/lifecycle/failure-reasons.ts';
import { isTerminalJob } from '../../../src/core/lifecycle/job-transitions.ts';
import { nextTaskStatus } from '../../../src/core/lifecycle/task-transitions.ts';
import { done, refused, type Outcome } from '../../../src/core/problems.ts';
import { put, remove } from '../../../src/core/records/change-set.ts';
import { cancelReasonOf, parkReasonOf, withoutEnd, type JobRecord } from '../../../src/core/records/job.ts';
import { keys } from '../../../src/core/records/tables.ts';
import type { ServiceContext } from '../service-system.ts';
import { JobTurn } from './job-turn.ts';
import type { JobMessage, RetriedUpstreams, RetryRequest, RetryResult } from './messages.ts';
import { retriesOf, type StepRetry } from './retry-plan.ts';
import { waitsForUpstreams, type JobState } from './state.ts';
import { taskOf } from './step-state.ts';

/**
 * Retries failed and canceled tasks for a client (docs/contract/retry.md#manual-retry). For a terminal job the farm
 * decides first, because it knows whether the queue still exists and which upstream jobs are not completed.
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
  else if (isTerminalJob(status)) {
    context.send('farm', farmId, {
      type: 'job.reactivation-requested',
      jobId: id,
      queueId,
      dependsOn,
      request,
      replyTo,
    });
  } else {
    retry(state, plan.value, new JobTurn(state, context));
    context.reply(replyTo, resultOf(state, request, plan));
  }
}

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
  retry(state, plan.value, turn);
  context.reply(replyTo, resultOf(state, request, plan));
}

const reactivated = ({ dependsOn, ended }: RetriedUpstreams): Partial<JobRecord> => ({
  cancelReason: '',
  waitsWhilePaused: false,
  dependsOn,
  endedUpstreams: ended,
});

/** Returns the tasks to retry, or why the request is refused. */
function planOf(state: JobState, request: RetryRequest): Outcome<readonly StepRetry[]> {
  const { target, scope } = request;
  if (scope === 'restore' && !isCanceledByUpstream(state.record)) return done([]);
  if (target !== 'job' && !('selection' in target)) {
    const step = state.steps[target.stepOrder];
    if (step === undefined || target.index >= step.record.taskCount)
      return refused('not-found', 'the job has no such task');
    const { status } = taskOf(step, target.index);
    if (nextTaskStatus(status, 'manual retry') === null)
      return refused('conflict', `the task is ${status}, neither failed nor canceled`);
  }
  return retriesOf(state, request);
}

const isCanceledByUpstream = (record: JobRecord): boolean =>
  record.status === 'canceled' && cancelReasonOf(record) === UPSTREAM_JOB_REASON;

/** Retries the tasks. Resumes an auto-parked job; a job that a user paused stays paused. */
function retry(state: JobState, plan: readonly StepRetry[], turn: JobTurn): void {
  const wasParked = state.record.status === 'paused' && parkReasonOf(state.record) !== null;
  if (wasParked) turn.resume();
  else turn.patchJob({ failedAttempts: 0, parkReason: '' });
  for (const { step, indices } of plan) {
    if (indices === 'all') turn.retryStep(step);
    else if (indices === 'cascaded') turn.retryCascaded(step);
    else for (const index of indices) turn.retryTask(step, index);
  }
  if (!waitsForUpstreams(state)) turn.promoteFreeSteps();
  if (wasParked) for (const step of state.steps) turn.offer(step);
  turn.end();
}

/** Returns the reply: the plan with the statuses after it. */
function resultOf(
  state: JobState,
  { target }: RetryRequest,
  plan: Outcome<readonly StepRetry[]>,
): Outcome<RetryResult> {
  if (!plan.ok) return plan;
  const named = target === 'job' || 'selection' in target ? undefined : state.steps[target.stepOrder];
  const index = target === 'job' || 'selection' in target ? 0 : target.index;
  return done({
    retried: plan.value.reduce((sum, { retried }) => sum + retried, 0),
    status: named === undefined ? null : taskOf(named, index).status,
    jobStatus: state.record.status,
    steps: plan.value.map(({ step, retried, runs }) => ({
      stepOrder: step.record.order,
      retried,
      indices: runs,
    })),
  });
}
