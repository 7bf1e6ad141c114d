import { parseAttemptId, type WorkerId } from '../../../src/core/ids.ts';
import {
  FAILURE_LIMIT_PARK_REASON,
  reportedFailureReason,
} from '../../../src/core/lifecycle/failure-reasons.ts';
import { failureOutcome } from '../../../src/core/lifecycle/retry-policy.ts';
import { isLiveTask, isTerminalTask } from '../../../src/core/lifecycle/task-transitions.ts';
import { withProgress, type AttemptRecord } from '../../../src/core/records/attempt.ts';
import { put } from '../../../src/core/records/change-set.ts';
import { keys } from '../../../src/core/records/tables.ts';
import type { TaskState } from '../../../src/core/records/task-page.ts';
import { statusLineOf, type TaskProgress } from '../../../src/core/records/task-progress.ts';
import type { AttemptReport } from '../../../src/core/wire/bus-messages.ts';
import type { ServiceContext } from '../service-system.ts';
import { failedOnKey, failedOnOf } from './failed-on.ts';
import { JobTurn, STATUS_ONLY, type ClosedAttempt } from './job-turn.ts';
import type { JobMessage } from './messages.ts';
import { makeReady } from './reclaim.ts';
import { policyOf, type JobState } from './state.ts';
import { taskOf, type StepState } from './step-state.ts';
import { countFailure } from './count-failure.ts';

type Reports = Extract<JobMessage, { type: 'tasks.reported' }>;

/**
 * A worker reports on attempts. Of each task only the open attempt counts (docs/architecture.md#the-bus: the attempt id
 * is the fencing token); anything else is a named no-op. What follows for steps and job is drawn once, from all of the
 * reports.
 */
export function onTasksReported(state: JobState, message: Reports, context: ServiceContext<'job'>): void {
  const turn = new JobTurn(state, context);
  let haveMoved = false;
  for (const report of message.reports) {
    const fault = reported(state, report, turn, context);
    if (fault === null) haveMoved = true;
    else if (fault !== 'progress alone') logIgnoredReport(fault, report, message.workerId, context);
  }
  if (haveMoved) turn.end();
}

/** One report; null when it has moved its task. */
function reported(
  state: JobState,
  report: AttemptReport,
  turn: JobTurn,
  context: ServiceContext<'job'>,
): IgnoredReportReason | 'progress alone' | null {
  const attempt = parseAttemptId(report.attempt_id);
  const step = attempt === null ? undefined : state.steps[attempt.stepOrder];
  if (attempt === null || step === undefined || attempt.index >= step.record.taskCount)
    return 'unknown attempt';
  const task = taskOf(step, attempt.index);
  if (!isLiveTask(task.status) || task.attemptNumber !== attempt.attemptNumber)
    return nothingNew(task, attempt.attemptNumber, report);
  switch (report.status) {
    case 'running':
      if (task.status === 'running' && isSessionKnown(state, step, attempt.index))
        return reportedAgain(state, step, attempt.index, report, turn, context);
      reportedRunning(state, step, attempt.index, report, turn, context);
      break;
    case 'succeeded':
      turn.closeAttempt(step, attempt.index, closedBy(report, 'succeeded'), task);
      turn.move(step, attempt.index, 'reported success', STATUS_ONLY, task);
      break;
    case 'canceled':
      turn.closeAttempt(step, attempt.index, closedBy(report, 'canceled'));
      turn.move(step, attempt.index, 'reported cancel');
      turn.giveReason(step, attempt.index, reportedFailureReason(report.message ?? '', report.exit_code));
      break;
    case 'failed':
      reportedFailure(state, step, attempt.index, report, turn, context);
      break;
  }
  return null;
}

/**
 * What a report of an attempt that is not open is. An end that rode on a lease request may come by the stream too, and may have overtaken there
 * the word that its task runs.
 */
function nothingNew(task: TaskState, attemptNumber: number, { status }: AttemptReport): IgnoredReportReason {
  if (task.attemptNumber !== attemptNumber) return 'stale attempt';
  if (status === 'running' && isTerminalTask(task.status)) return 'overtaken report';
  return task.status === status || (task.status === 'ready' && status === 'failed')
    ? 'repeated report'
    : 'stale attempt';
}

/** Whether a report of the open attempt has come: the worker may have been known to have it before that. */
const isSessionKnown = (state: JobState, step: StepState, index: number): boolean =>
  (state.openAttempts.toldOf(step, index)?.sessionId ?? '') !== '';

function reportedRunning(
  state: JobState,
  step: StepState,
  index: number,
  report: AttemptReport,
  turn: JobTurn,
  context: ServiceContext<'job'>,
): void {
  const attempt = state.openAttempts.of(step, index);
  if (attempt !== undefined) {
    const known = { ...withProgress(attempt, reportedProgress(report)), sessionId: report.session_id };
    keepAttempt(state, step, index, known, turn, context);
  }
  turn.move(step, index, 'reported running');
}

/** The attempt is known to run. A report of progress changes what is said of the task, and nothing else. */
function reportedAgain(
  state: JobState,
  step: StepState,
  index: number,
  report: AttemptReport,
  turn: JobTurn,
  context: ServiceContext<'job'>,
): 'repeated report' | 'progress alone' {
  const attempt = state.openAttempts.of(step, index);
  const told = reportedProgress(report);
  const isNews = attempt?.progress !== told.progress || attempt?.statusMessage !== told.statusMessage;
  if (attempt === undefined || !isProgress(report) || !isNews) return 'repeated report';
  keepAttempt(state, step, index, withProgress(attempt, told), turn, context);
  turn.publishTask(step, index, taskOf(step, index));
  return 'progress alone';
}

/** What is known of the open attempt of a task, in place of what was. */
function keepAttempt(
  state: JobState,
  step: StepState,
  index: number,
  attempt: AttemptRecord,
  turn: JobTurn,
  context: ServiceContext<'job'>,
): void {
  state.openAttempts.tell(step, index, attempt);
  const key = keys.attempt(turn.addressOf(step, index), attempt.attemptNumber);
  context.change(put('attempt', key, attempt));
}

const isProgress = ({ status, status_message: message }: AttemptReport): boolean =>
  status === 'running' && message !== undefined;

const NOTHING_TOLD: TaskProgress = {};

function reportedProgress({ progress, status_message: message = '' }: AttemptReport): TaskProgress {
  if (progress === undefined && message === '') return NOTHING_TOLD;
  const statusMessage = statusLineOf(message);
  return { ...(progress !== undefined && { progress }), ...(statusMessage !== '' && { statusMessage }) };
}

/** docs/contract/retry.md#outcomes-of-a-failure: exactly one of retry, exhausted, auto-park. */
function reportedFailure(
  state: JobState,
  step: StepState,
  index: number,
  report: AttemptReport,
  turn: JobTurn,
  context: ServiceContext<'job'>,
): void {
  const policy = policyOf(state);
  const taskFailures = taskOf(step, index).failedAttempts + 1;
  const jobFailures = state.record.failedAttempts + 1;
  const outcome = failureOutcome(policy, taskFailures, jobFailures);
  countFailure(state, step, index, context);
  const workerId = state.openAttempts.workerOf(step, index, taskOf(step, index));
  turn.closeAttempt(step, index, closedBy(report, 'failed'));
  turn.patchJob({ failedAttempts: jobFailures });
  if (outcome === 'retry') {
    const retryAfter = context.now + policy.retryDelaySeconds * 1000;
    noteFailedOn(state, step, index, workerId);
    turn.move(step, index, 'auto-retry', { failedAttempts: taskFailures, retryAfter, workerOrdinal: 0 });
    makeReady(state, step, index, retryAfter, context);
    context.effect({ kind: 'count', counter: 'task-retries', queueId: state.record.queueId });
    return;
  }
  turn.move(step, index, 'reported failure', { failedAttempts: taskFailures });
  turn.giveReason(step, index, reportedFailureReason(report.message ?? '', report.exit_code));
  if (outcome === 'exhausted' || state.record.status === 'paused') return;
  if (turn.moveJob('auto-park', { parkReason: FAILURE_LIMIT_PARK_REASON })) {
    context.effect({ kind: 'count', counter: 'jobs-autoparked', queueId: state.record.queueId });
  }
}

/** The retry prefers a worker that has not failed the task. */
function noteFailedOn(state: JobState, step: StepState, index: number, workerId: WorkerId): void {
  const before = failedOnOf(state.failedOn, step.record.order, index);
  if (before.includes(workerId)) return;
  state.failedOn.set(failedOnKey(step.record.order, index), [...before, workerId]);
}

function closedBy(report: AttemptReport, status: ClosedAttempt['status']): ClosedAttempt {
  const { message = '', session_id: sessionId, exit_code: exitCode } = report;
  return { status, message, sessionId, told: reportedProgress(report), exitCode };
}

/** Why a report changes nothing. */
type IgnoredReportReason = 'unknown attempt' | 'stale attempt' | 'repeated report' | 'overtaken report';

/** Reports as they come when nothing is wrong. */
const EXPECTED: ReadonlySet<IgnoredReportReason> = new Set(['repeated report', 'overtaken report']);

function logIgnoredReport(
  what: IgnoredReportReason,
  report: AttemptReport,
  workerId: WorkerId,
  context: ServiceContext<'job'>,
): void {
  const { attempt_id, status } = report;
  // Progress that is overtaken by the end of the attempt is nothing to warn of.
  const isExpected = EXPECTED.has(what) || isProgress(report);
  context.log(isExpected ? 'debug' : 'warn', `a status report changes nothing: ${what}`, {
    task_id: attempt_id.slice(0, attempt_id.lastIndexOf('-')),
    attempt_id,
    worker_id: workerId,
    status,
  });
}
