import type { WorkerMessage } from '../../actors/service/worker/messages.ts';
import { parseAttemptId, taskIdOf, workerId, type AttemptAddress, type TaskId } from '../../src/core/ids.ts';
import { isLiveTask } from '../../src/core/lifecycle/task-transitions.ts';
import type { StoreReader } from '../../src/core/ports/store.ts';
import type { AttemptRecord } from '../../src/core/records/attempt.ts';
import { readAttempt } from '../../src/core/records/open-attempt.ts';
import { keys, lastNumberOfKey } from '../../src/core/records/tables.ts';
import { readTask, TASKS_PER_PAGE } from '../../src/core/records/task-page.ts';
import { Violation } from './violation.ts';
import type { TurnOutputs } from './watch-turns.ts';

/** Attempts that a turn assigned, read from its lease reply: they have no rows yet. */
export function assignedAttempts({ sent }: TurnOutputs, now: number): AttemptRecord[] {
  return sent.flatMap(({ id, message }) =>
    message.type === 'attempts.booked' ? bookedOn(id, message, now) : [],
  );
}

const bookedOn = (
  worker: string,
  { bookings }: Extract<WorkerMessage, { type: 'attempts.booked' }>,
  now: number,
): AttemptRecord[] =>
  bookings.map(({ booking: { attemptId } }) => ({
    version: 1,
    id: attemptId,
    attemptNumber: Number(attemptId.slice(attemptId.lastIndexOf('-') + 1)),
    status: 'running',
    workerId: workerId(worker),
    startedAt: now,
    message: '',
    sessionId: '',
  }));

/** Returns the stored state of an attempt, or undefined. */
export function storedAttempt(store: StoreReader, address: AttemptAddress): AttemptRecord | undefined {
  const job = store.get('job', keys.job(address.jobId));
  const page = store.get('taskPage', keys.taskPageOf(address));
  const task = page === undefined ? null : readTask(page, address.index);
  if (job === undefined || task === null) return undefined;
  return readAttempt(store, { farmId: job.farmId, address, task }, address.attemptNumber);
}

/** Returns all attempts in the store, including those of jobs whose deletion is pending. */
export function* storedAttempts(store: StoreReader): Generator<AttemptRecord> {
  for (const { value } of store.scan('attempt')) yield value;
  for (const { value: step } of store.scan('step')) {
    for (const { key, value } of store.scan('taskPage', {
      prefix: keys.taskPagesOf(step.jobId, step.order),
    })) {
      const first = lastNumberOfKey(key) * TASKS_PER_PAGE;
      for (let index = first; index < first + TASKS_PER_PAGE; index++) {
        const task = readTask(value, index);
        if (task === null || !isLiveTask(task.status)) continue;
        const address = {
          jobId: step.jobId,
          stepOrder: step.order,
          index,
          attemptNumber: task.attemptNumber,
        };
        if (store.get('attempt', keys.attempt(address, task.attemptNumber)) !== undefined) continue;
        const attempt = storedAttempt(store, address);
        if (attempt !== undefined) yield attempt;
      }
    }
  }
}

/** Reports whether an attempt has the same worker and assignment time as before the crash. */
export function equalsAssignment(
  attempt: AttemptRecord,
  before: ReadonlyMap<TaskId, readonly AttemptRecord[]>,
): Violation | null {
  const address = parseAttemptId(attempt.id);
  const known = address === null ? undefined : before.get(taskIdOf(address))?.[attempt.attemptNumber - 1];
  if (known?.workerId === attempt.workerId && known.startedAt === attempt.startedAt) return null;
  const detail = `${JSON.stringify(attempt)} was ${JSON.stringify(known)}`;
  return new Violation('an attempt has the same worker and time after a crash', detail);
}
