import type { AttemptId, WorkerId } from '../ids.ts';
import type { AttemptStatus } from '../lifecycle/attempt-status.ts';
import type { TaskProgress } from './task-progress.ts';

/** One run of a task on a worker (docs/contract/resources.md#task-attempt). Times are milliseconds since the epoch. */
export interface AttemptRecord extends TaskProgress {
  readonly version: 1;
  readonly id: AttemptId;
  readonly attemptNumber: number;
  readonly status: AttemptStatus;
  readonly workerId: WorkerId;
  readonly startedAt: number;
  /** Absent while the attempt is open. */
  readonly endedAt?: number;
  readonly exitCode?: number;
  /** The worker's reason, or why the service took the work back; empty otherwise. */
  readonly message: string;
  /** Set if the service took the work back: it does not count as a failure of the task. */
  readonly reclaimed?: true;
  /** The worker's session, known from its first report on. */
  readonly sessionId: string;
}

/** The attempt with what its task says now in place of what it said before. */
export function withProgress(
  { progress: _progress, statusMessage: _message, ...attempt }: AttemptRecord,
  told: TaskProgress,
): AttemptRecord {
  return { ...attempt, ...told };
}
