import { attemptIdOf, type FarmId, type TaskAddress, type WorkerId } from '../ids.ts';
import { isLiveTask } from '../lifecycle/task-transitions.ts';
import type { StoreReader } from '../ports/store.ts';
import type { AttemptRecord } from './attempt.ts';
import { keys } from './tables.ts';
import { hasAssignment, type AssignedTaskState, type TaskState } from './task-page.ts';

/** A task with its state from its page. */
export interface TaskWithState {
  readonly farmId: FarmId;
  readonly address: TaskAddress;
  readonly task: TaskState;
}

/**
 * Returns the attempt of a live task that has not reported yet: it has no row, and follows from the task's page
 * (docs/decisions/open-attempts.md). `workerId` is the worker that holds it.
 */
export const openAttemptOf = (
  address: TaskAddress,
  { attemptNumber, assignedAt }: Pick<AssignedTaskState, 'attemptNumber' | 'assignedAt'>,
  workerId: WorkerId,
): AttemptRecord => ({
  version: 1,
  id: attemptIdOf({
    jobId: address.jobId,
    stepOrder: address.stepOrder,
    index: address.index,
    attemptNumber,
  }),
  attemptNumber,
  status: 'running',
  workerId,
  startedAt: assignedAt,
  message: '',
  sessionId: '',
});

/** Returns attempt `attemptNumber` of a task, with or without a row; undefined if there is none. */
export function readAttempt(
  reader: StoreReader,
  of: TaskWithState,
  attemptNumber: number,
): AttemptRecord | undefined {
  const row = reader.get('attempt', keys.attempt(of.address, attemptNumber));
  if (row !== undefined || attemptNumber !== of.task.attemptNumber) return row;
  return attemptWithoutRow(reader, of);
}

/** Returns the first `limit` attempts of a task in order of their numbers, with or without rows. */
export function readAttempts(
  reader: StoreReader,
  of: TaskWithState,
  limit = Infinity,
): readonly AttemptRecord[] {
  const attempts: AttemptRecord[] = [];
  for (const { value } of reader.scan('attempt', { prefix: keys.attemptsOf(of.address), limit }))
    attempts.push(value);
  if (attempts.length >= limit || (attempts.at(-1)?.attemptNumber ?? 0) >= of.task.attemptNumber)
    return attempts;
  const open = attemptWithoutRow(reader, of);
  if (open !== undefined) attempts.push(open);
  return attempts;
}

/** Returns the attempt of a live task if it has no row: only an open attempt may have none. Undefined otherwise. */
export function attemptWithoutRow(
  reader: StoreReader,
  { farmId, address, task }: TaskWithState,
): AttemptRecord | undefined {
  if (!isLiveTask(task.status) || !hasAssignment(task)) return undefined;
  const worker = reader.get('workerOrdinal', keys.workerOrdinal(farmId, task.workerOrdinal));
  return worker === undefined ? undefined : openAttemptOf(address, task, worker.workerId);
}
