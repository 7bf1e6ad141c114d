import { test } from 'tap';
import { attemptIdOf } from '../../../src/core/ids.ts';
import { put } from '../../../src/core/records/change-set.ts';
import { keys } from '../../../src/core/records/tables.ts';
import type { TaskState } from '../../../src/core/records/task-page.ts';
import { startApi } from '../kit/api-fixture.ts';
import {
  attemptRecord,
  FARM,
  FRAMES,
  jobChanges,
  jobNumber,
  T0,
  taskIdAt,
  taskState,
  WORKER,
} from '../kit/records.ts';

const JOB = jobNumber(1);
const HELD = { attemptNumber: 2, workerOrdinal: 7, assignedAt: T0 };
const WAITING = { attemptNumber: 2, failedAttempts: 1 };

void test('a task shows the progress of its attempt during and after it, and none before the next attempt', async (t) => {
  const { api, client } = await startApi(t);
  const states: readonly Parameters<typeof taskState>[0][] = [
    { status: 'running', ...HELD },
    { status: 'succeeded', ...HELD },
    { status: 'canceled', ...HELD },
    { status: 'ready', ...WAITING },
    { status: 'pending', ...WAITING },
    { status: 'canceled', ...WAITING },
    { status: 'running', ...HELD },
  ];
  const touched = new Map<number, TaskState>(states.map((state, index) => [index, taskState(state)]));
  const said = { progress: 0, statusMessage: 'sampling' };
  api.write(
    ...jobChanges({}, [{ name: 'render', untouched: 'ready', taskCount: 8, space: FRAMES(8), touched }]),
    put('workerOrdinal', keys.workerOrdinal(FARM, 7), { version: 1, workerId: WORKER }),
    ...states.map((_state, index) => {
      const address = { jobId: JOB, stepOrder: 0, index, attemptNumber: 2 };
      const record = { id: attemptIdOf(address), attemptNumber: 2, ...(index === 6 ? {} : said) };
      return put('attempt', keys.attempt(address, 2), attemptRecord(record));
    }),
  );
  const { body } = await client.get(`/api/v1/jobs/${JOB}/tasks`);
  const { items } = body as { items: { progress?: number; status_message?: string }[] };
  const shown = { progress: 0, status_message: 'sampling' };
  t.strictSame(
    items.map(({ progress, status_message: message }) =>
      progress === undefined && message === undefined ? null : { progress, status_message: message },
    ),
    [shown, shown, shown, null, null, null, null, null],
  );
  t.strictSame((await client.get(`/api/v1/tasks/${taskIdAt(0, 0)}`)).body, items[0]);
});
