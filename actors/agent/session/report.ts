import { statusLineOf } from '../../../src/core/records/task-progress.ts';
import { timestampOf } from '../../../src/core/timestamp.ts';
import type { ReportedStatus, StatusMessage } from '../../../src/core/wire/bus-messages.ts';
import { outputPathWrong } from '../../../src/core/records/task-output.ts';
import type { WrittenOutput } from '../../../src/core/ports/previews.ts';
import type { AgentContext } from '../agent-system.ts';
import type { CurrentAttempt, SessionState } from './state.ts';

type SessionContext = AgentContext<'session'>;

/** Returns a report of the attempt with its latest progress. */
export function reportOf(
  { sessionId, redactor }: SessionState,
  { assignment, workerId, progress, statusMessage }: CurrentAttempt,
  status: ReportedStatus,
  context: SessionContext,
): StatusMessage {
  return {
    v: 1,
    task_id: assignment.task_id,
    attempt_id: assignment.attempt_id,
    worker_id: workerId,
    status,
    timestamp: timestampOf(context.now),
    session_id: sessionId,
    ...(progress !== null && { progress }),
    ...(statusMessage !== '' && { status_message: statusLineOf(redactor.text(statusMessage)) }),
  };
}

/** Returns the outputs that the task has named, without redacted values. Redaction may make a path too long. */
export const writtenOutputs = (
  { redactor }: SessionState,
  { outputs }: CurrentAttempt,
): readonly WrittenOutput[] =>
  outputs
    .map((path) => ({ path, name: redactor.text(path) }))
    .filter(({ name }) => outputPathWrong(name) === null);

/** Returns the field of an end that has the outputs. */
export const namedOutputs = (outputs: readonly WrittenOutput[]): Pick<StatusMessage, 'outputs'> =>
  outputs.length === 0 ? {} : { outputs: outputs.map(({ name }) => name) };

/** Reports the task as running, once per attempt. */
export function reportRunning(state: SessionState, attempt: CurrentAttempt, context: SessionContext): void {
  if (attempt.isReportedRunning) return;
  attempt.isReportedRunning = true;
  attempt.startedAt = context.now;
  const report = reportOf(state, attempt, 'running', context);
  context.send('outbox', 'outbox', { type: 'report.running', report });
}

/** Sends the progress of the task to the outbox. */
export function sendProgress(state: SessionState, attempt: CurrentAttempt, context: SessionContext): void {
  const report = { status_message: '', ...reportOf(state, attempt, 'running', context) };
  context.send('outbox', 'outbox', { type: 'report.progress', report });
}

/** Resets the progress before the next action (docs/contract/sessions.md#directives). */
export function resetProgress(state: SessionState, context: SessionContext): void {
  const { attempt } = state;
  if (attempt === null || (attempt.progress === null && attempt.statusMessage === '')) return;
  attempt.progress = null;
  attempt.statusMessage = '';
  sendProgress(state, attempt, context);
}
