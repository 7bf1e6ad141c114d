/** The fixed texts of docs/contract/task-states.md#failure-reasons. */
export const CASCADE_REASON = 'canceled: upstream step failed';
export const USER_CANCEL_REASON = 'canceled by user';
export const WORKER_OFFLINE_MESSAGE = 'worker went offline';
export const UPSTREAM_JOB_REASON = 'canceled: upstream job failed';
export const FAILURE_LIMIT_PARK_REASON = 'failure limit reached';

/** Message of an attempt that was ended because its task was skipped. */
export const SKIPPED_MESSAGE = 'the task was skipped by a user';

/** Returns the reason of a failure that a worker reported: its message verbatim, or a text with the exit code. */
export function reportedFailureReason(message: string, exitCode: number | undefined): string {
  if (message !== '') return message;
  return exitCode === undefined ? 'failed' : `failed (exit ${exitCode})`;
}
