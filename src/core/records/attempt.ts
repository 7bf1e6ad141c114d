import type { AttemptId, WorkerId } from '../ids.ts';
import type { AttemptStatus } from '../lifecycle/attempt-status.ts';
import type { OutageMark } from '../outages/outage.ts';
import type { AppliedRule } from '../retry-rules/applied-rule.ts';
import type { Preemption } from './preemption.ts';
import type { TaskProgress } from './task-progress.ts';

/** One run of a task on a worker (docs/contract/resources.md#task-attempt). Times are milliseconds since the epoch. */
export interface AttemptRecord extends TaskProgress {
  readonly version: 1;
  readonly id: AttemptId;
  /** From 1. */
  readonly attemptNumber: number;
  readonly status: AttemptStatus;
  readonly workerId: WorkerId;
  readonly startedAt: number;
  /** Absent while the attempt is open. */
  readonly endedAt?: number;
  readonly exitCode?: number;
  /** Highest memory of its control group, in MiB. Absent: unknown. */
  readonly maxRssMib?: number;
  /** CPU time of its processes, in milliseconds. Absent: unknown. */
  readonly cpuMs?: number;
  /** Text of the worker, or why the service took the work back. May be empty, as the API serves it. */
  readonly message: string;
  /** Lines of the log of a failed attempt, the error line last. Absent: unknown. */
  readonly failureExcerpt?: string;
  /** Set if the service took the work back: it does not count as a failure of the task. */
  readonly reclaimed?: true;
  /** The retry rule that has decided about the failure. Absent: none. */
  readonly rule?: AppliedRule;
  /** Set if the failure belongs to an outage, and does not count (docs/outages.md). */
  readonly outage?: OutageMark;
  /** Set if the task was taken back for one that waits. Absent: it was not. */
  readonly preemption?: Preemption;
  /** The worker's session. Stored as an empty text until its first report. */
  readonly sessionId: string;
}

/** The attempt with what its task says now in place of what it said before. */
export function withProgress(
  { progress: _progress, statusMessage: _message, ...attempt }: AttemptRecord,
  told: TaskProgress,
): AttemptRecord {
  return { ...attempt, ...told };
}
