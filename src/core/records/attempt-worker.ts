import type { AttemptAddress, TaskAddress, WorkerId } from '../ids.ts';
import type { StoreReader } from '../ports/store.ts';
import { keys } from './tables.ts';
import { readTask, type TaskState } from './task-page.ts';

/**
 * Returns the worker that has or had an attempt; null if there is no such attempt. An attempt without a row is the latest one
 * of its task, whose page names the worker (docs/decisions/open-attempts.md).
 */
export function workerOfAttempt(reader: Pick<StoreReader, 'get'>, attempt: AttemptAddress): WorkerId | null {
  const row = reader.get('attempt', keys.attempt(attempt, attempt.attemptNumber));
  if (row !== undefined) return row.workerId;
  const task = packedTaskOf(reader, attempt);
  if (task?.attemptNumber !== attempt.attemptNumber || task.workerOrdinal === null) return null;
  const job = reader.get('job', attempt.jobId);
  if (job === undefined) return null;
  const worker = reader.get('workerOrdinal', keys.workerOrdinal(job.farmId, task.workerOrdinal));
  return worker?.workerId ?? null;
}

/** Returns the number of the latest attempt of a task; null if it had none. */
export function latestAttemptOf(reader: Pick<StoreReader, 'get'>, address: TaskAddress): number | null {
  const number = packedTaskOf(reader, address)?.attemptNumber ?? 0;
  return number === 0 ? null : number;
}

function packedTaskOf(reader: Pick<StoreReader, 'get'>, address: TaskAddress): TaskState | null {
  const page = reader.get('taskPage', keys.taskPageOf(address));
  return page === undefined ? null : readTask(page, address.index);
}
