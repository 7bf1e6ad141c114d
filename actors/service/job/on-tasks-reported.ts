import { parseAttemptId, type AttemptAddress, type AttemptId, type WorkerId } from '../../../src/core/ids.ts';
import { reportedFailureReason } from '../../../src/core/lifecycle/failure-reasons.ts';
import { isLiveTask, isTerminalTask } from '../../../src/core/lifecycle/task-transitions.ts';
import { withProgress, type AttemptRecord } from '../../../src/core/records/attempt.ts';
import { put } from '../../../src/core/records/change-set.ts';
import { keys } from '../../../src/core/records/tables.ts';
import type { TaskState } from '../../../src/core/records/task-page.ts';
import type { RegexEngine } from '../../../src/openjd/expr/regex/regex-engine.ts';
import type { AttemptReport } from '../../../src/core/wire/bus-messages.ts';
import type { ServiceContext } from '../service-system.ts';
import { applyFailure } from './apply-failure.ts';
import { JobTurn, STATUS_ONLY } from './job-turn.ts';
import type { JobMessage } from './messages.ts';
import { closedBy, reportedProgress } from './reported-end.ts';
import type { JobState } from './state.ts';
import { taskOf, type StepState } from './step-state.ts';
import { judgeSuccess } from './judge-failures.ts';

type Reports = Extract<JobMessage, { type: 'tasks.reported' }>;

/**
 * Applies a worker's reports on attempts. Only a task's open attempt counts (docs/architecture.md#the-bus: the attempt
 * id is the fencing token), and only if the worker holds it; other reports are logged and ignored. Steps and job are updated once, after all reports.
 */
export const onTasksReported =
  (regex: RegexEngine) =>
  (state: JobState, message: Reports, context: ServiceContext<'job'>): void => {
    const turn = new JobTurn(state, context);
    const ended: AttemptId[] = [];
    let haveMoved = false;
    for (const report of message.reports) {
      const fault = applyReport(state, report, message.workerId, regex, turn, context);
      if (fault === null) haveMoved = true;
      else if (fault === 'end of a canceled attempt') ended.push(report.attempt_id);
      else if (fault !== 'progress alone') logIgnoredReport(fault, report, message.workerId, context);
    }
    if (haveMoved) turn.end();
    if (ended.length > 0)
      context.send('worker', message.workerId, { type: 'attempts.ended', attemptIds: ended });
  };

/** Applies one report. Returns null if it has moved its task. */
function applyReport(
  state: JobState,
  report: AttemptReport,
  workerId: WorkerId,
  regex: RegexEngine,
  turn: JobTurn,
  context: ServiceContext<'job'>,
): IgnoredReportReason | 'progress alone' | 'end of a canceled attempt' | null {
  const attempt = parseAttemptId(report.attempt_id);
  const step = attempt === null ? undefined : state.steps[attempt.stepOrder];
  if (attempt === null || step === undefined || attempt.index >= step.record.taskCount)
    return 'unknown attempt';
  const task = taskOf(step, attempt.index);
  const isCurrent = task.attemptNumber === attempt.attemptNumber;
  if (isCurrent && task.exiting && report.status !== 'running') return 'end of a canceled attempt';
  if (!isLiveTask(task.status) || !isCurrent) return ignoredReason(task, attempt.attemptNumber, report);
  if (state.openAttempts.workerOf(step, attempt.index, task) !== workerId) return 'not the holder';
  if (report.status !== 'running') storeOutputs(attempt, report, context);
  switch (report.status) {
    case 'running':
      if (task.status === 'running' && hasReportedSession(state, step, attempt.index))
        return applyRepeatedRunning(state, step, attempt.index, report, turn, context);
      applyRunning(state, step, attempt.index, report, turn, context);
      break;
    case 'succeeded':
      judgeSuccess(state, step, attempt.index, workerId, context);
      turn.closeAttempt(step, attempt.index, closedBy(report, 'succeeded'), task);
      turn.move(step, attempt.index, 'reported success', STATUS_ONLY, task);
      break;
    case 'canceled':
      turn.closeAttempt(step, attempt.index, closedBy(report, 'canceled'));
      turn.move(step, attempt.index, 'reported cancel');
      turn.setReason(step, attempt.index, reportedFailureReason(report.message ?? '', report.exit_code));
      break;
    case 'failed':
      applyFailure(state, step, attempt.index, { report, workerId, task }, regex, turn, context);
      break;
  }
  return null;
}

/** Stores the outputs that a report of an end names (docs/outputs.md). */
function storeOutputs(
  attempt: AttemptAddress,
  { outputs = [] }: AttemptReport,
  context: ServiceContext<'job'>,
): void {
  if (outputs.length === 0) return;
  const key = keys.attempt(attempt, attempt.attemptNumber);
  context.change(put('taskOutput', key, { version: 1, paths: [...new Set(outputs)] }));
}

/**
 * Classifies a report of an attempt that is not open. A piggybacked end may also arrive through the stream, and there
 * it may have overtaken the report that its task runs.
 */
function ignoredReason(
  task: TaskState,
  attemptNumber: number,
  { status }: AttemptReport,
): IgnoredReportReason {
  if (task.attemptNumber !== attemptNumber) return 'stale attempt';
  if (status === 'running' && isTerminalTask(task.status)) return 'overtaken report';
  return task.status === status || (task.status === 'ready' && status === 'failed')
    ? 'repeated report'
    : 'stale attempt';
}

/**
 * Reports whether the open attempt has been reported before. A running task may also be known only from
 * `attempts.held`.
 */
const hasReportedSession = (state: JobState, step: StepState, index: number): boolean =>
  (state.openAttempts.reportedOf(step, index)?.sessionId ?? '') !== '';

function applyRunning(
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
    storeAttempt(state, step, index, known, turn, context);
  }
  turn.move(step, index, 'reported running');
}

/** Handles a repeated running report. New progress changes the attempt's progress and nothing else. */
function applyRepeatedRunning(
  state: JobState,
  step: StepState,
  index: number,
  report: AttemptReport,
  turn: JobTurn,
  context: ServiceContext<'job'>,
): 'repeated report' | 'progress alone' {
  const attempt = state.openAttempts.of(step, index);
  const progressNow = reportedProgress(report);
  const isNewProgress =
    attempt?.progress !== progressNow.progress || attempt?.statusMessage !== progressNow.statusMessage;
  if (attempt === undefined || !isProgress(report) || !isNewProgress) return 'repeated report';
  storeAttempt(state, step, index, withProgress(attempt, progressNow), turn, context);
  turn.publishTask(step, index, taskOf(step, index));
  return 'progress alone';
}

/** Replaces the record of a task's open attempt. */
function storeAttempt(
  state: JobState,
  step: StepState,
  index: number,
  attempt: AttemptRecord,
  turn: JobTurn,
  context: ServiceContext<'job'>,
): void {
  state.openAttempts.setReported(step, index, attempt);
  const key = keys.attempt(turn.addressOf(step, index), attempt.attemptNumber);
  context.change(put('attempt', key, attempt));
}

const isProgress = ({ status, status_message: message }: AttemptReport): boolean =>
  status === 'running' && message !== undefined;

/** Reason why a report is ignored. */
type IgnoredReportReason =
  | 'unknown attempt'
  | 'stale attempt'
  | 'repeated report'
  | 'overtaken report'
  | 'not the holder';

/** Reasons that occur in normal operation. */
const EXPECTED: ReadonlySet<IgnoredReportReason> = new Set(['repeated report', 'overtaken report']);

function logIgnoredReport(
  what: IgnoredReportReason,
  report: AttemptReport,
  workerId: WorkerId,
  context: ServiceContext<'job'>,
): void {
  const { attempt_id, status } = report;
  // Progress that is overtaken by the end of the attempt is normal.
  const isExpected = EXPECTED.has(what) || isProgress(report);
  context.log(isExpected ? 'debug' : 'warn', `status report ignored: ${what}`, {
    task_id: attempt_id.slice(0, attempt_id.lastIndexOf('-')),
    attempt_id,
    worker_id: workerId,
    status,
  });
}
