import { test } from 'tap';
import { createMemoryStore, type MemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { attemptIdOf, farmId, jobId, workerId, type TaskAddress } from '../../../src/core/ids.ts';
import { TASK_STATUSES } from '../../../src/core/lifecycle/task-transitions.ts';
import type { AttemptRecord } from '../../../src/core/records/attempt.ts';
import { put, type Change } from '../../../src/core/records/change-set.ts';
import { openAttemptOf, readAttempt, readAttempts } from '../../../src/core/records/open-attempt.ts';
import { keys } from '../../../src/core/records/tables.ts';
import type { AssignedTaskState, TaskState } from '../../../src/core/records/task-page.ts';
import { NO_CALLBACKS } from '../../kit/commit-callbacks.ts';

const FARM = farmId('f');
const WORKER = workerId('w');
const address: TaskAddress = {
  jobId: jobId('0191c0de-0000-7000-8000-000000000001'),
  stepOrder: 2,
  index: 7,
};

const TASK: AssignedTaskState = {
  status: 'assigned',
  failedAttempts: 0,
  attemptNumber: 3,
  updatedAt: 60,
  assignedAt: 50,
  retryAfter: null,
  workerOrdinal: 4,
  hasText: false,
  unschedulable: false,
  silent: false,
  exiting: false,
  cascaded: false,
  skipped: false,
};

const OPEN: AttemptRecord = {
  version: 1,
  id: attemptIdOf({ ...address, attemptNumber: 3 }),
  attemptNumber: 3,
  status: 'running',
  workerId: WORKER,
  startedAt: 50,
  message: '',
  sessionId: '',
};

const closed = (attemptNumber: number): AttemptRecord => ({
  ...OPEN,
  id: attemptIdOf({ ...address, attemptNumber }),
  attemptNumber,
  status: 'failed',
  endedAt: 60,
  exitCode: 1,
});

const row = (attempt: AttemptRecord): Change =>
  put('attempt', keys.attempt(address, attempt.attemptNumber), attempt);
const ORDINAL = put('workerOrdinal', keys.workerOrdinal(FARM, 4), { version: 1, workerId: WORKER });

function storeOf(...changes: readonly Change[]): MemoryStore {
  const store = createMemoryStore();
  store.commit({ version: 1, shard: 0, sequence: 1, changes }, NO_CALLBACKS);
  store.flushAll();
  return store;
}

const of = (task: TaskState): { farmId: typeof FARM; address: TaskAddress; task: TaskState } => ({
  farmId: FARM,
  address,
  task,
});

test('an attempt without a report is derived from the page of its task', (t) => {
  t.strictSame(openAttemptOf(address, TASK, WORKER), OPEN);
  const store = storeOf(row(closed(1)), row(closed(2)), ORDINAL);
  for (const status of ['assigned', 'running'] as const) {
    const read = of({ ...TASK, status });
    t.strictSame(readAttempts(store, read), [closed(1), closed(2), OPEN], status);
    t.strictSame(
      [0, 1, 2, 3, 4].map((number) => readAttempt(store, read, number)),
      [undefined, closed(1), closed(2), OPEN, undefined],
      status,
    );
  }
  t.end();
});

test('a task without a worker has only the attempts of its rows', (t) => {
  const store = storeOf(row(closed(1)), ORDINAL);
  for (const status of TASK_STATUSES) {
    if (status === 'assigned' || status === 'running') continue;
    const read = of({ ...TASK, status });
    t.strictSame(readAttempts(store, read), [closed(1)], status);
    t.equal(readAttempt(store, read, 3), undefined, status);
  }
  t.end();
});

test('a row overrides the page', (t) => {
  const told = { ...OPEN, sessionId: 's', progress: 40, statusMessage: 'rendering' };
  const store = storeOf(row(closed(2)), row(told), ORDINAL);
  t.strictSame(readAttempts(store, of(TASK)), [closed(2), told]);
  t.strictSame(readAttempt(store, of(TASK), 3), told);
  const ahead = of({ ...TASK, attemptNumber: 2 });
  t.strictSame(readAttempts(store, ahead), [closed(2), told], 'a page that was read before the rows');
  t.end();
});

test('numbers skip ahead after a restore', (t) => {
  const store = storeOf(row(closed(1)), ORDINAL);
  const read = of({ ...TASK, attemptNumber: 470_000 });
  const id = attemptIdOf({ ...address, attemptNumber: 470_000 });
  t.strictSame(readAttempts(store, read), [closed(1), { ...OPEN, id, attemptNumber: 470_000 }]);
  t.equal(readAttempt(store, read, 2), undefined);
  t.end();
});

test('returns at most the limit, and nothing for an unknown worker', (t) => {
  const store = storeOf(row(closed(1)), row(closed(2)), ORDINAL);
  t.strictSame(
    [1, 2, 3].map((limit) => readAttempts(store, of(TASK), limit).length),
    [1, 2, 3],
  );
  const unknown = of({ ...TASK, workerOrdinal: 5 });
  t.strictSame(readAttempts(store, unknown), [closed(1), closed(2)]);
  t.equal(readAttempt(store, unknown, 3), undefined);
  t.end();
});
