import { statusLineOf, type TaskProgress } from '../../../src/core/records/task-progress.ts';
import type { AttemptReport } from '../../../src/core/wire/bus-messages.ts';
import { usageOf } from '../../../src/core/wire/usage-fields.ts';
import type { ClosedAttempt } from './job-turn.ts';

const NO_PROGRESS: TaskProgress = {};

/** Returns the progress in a report. */
export function reportedProgress({ progress, status_message: message = '' }: AttemptReport): TaskProgress {
  if (progress === undefined && message === '') return NO_PROGRESS;
  const statusMessage = statusLineOf(message);
  return { ...(progress !== undefined && { progress }), ...(statusMessage !== '' && { statusMessage }) };
}

/** Returns the attempt as its worker reports its end. */
export function closedBy(report: AttemptReport, status: ClosedAttempt['status']): ClosedAttempt {
  const {
    message = '',
    session_id: sessionId,
    exit_code: exitCode,
    failure_excerpt: failureExcerpt,
  } = report;
  const reported = reportedProgress(report);
  return { status, message, sessionId, reported, exitCode, failureExcerpt, usage: usageOf(report) };
}
