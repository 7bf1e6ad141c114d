import { test } from 'tap';
import { attemptIdOf } from '../../../src/core/ids.ts';
import { put, remove } from '../../../src/core/records/change-set.ts';
import { keys } from '../../../src/core/records/tables.ts';
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
  workerRecord,
} from '../kit/records.ts';

const ADDRESS = { jobId: jobNumber(1), stepOrder: 0, index: 1 };
const TASK = `/api/v1/tasks/${taskIdAt(0, 1)}`;
const ASSIGNED = {
  status: 'assigned',
  attemptNumber: 2,
  assignedAt: T0 + 4000,
  updatedAt: T0 + 4000,
  workerOrdinal: 7,
} as const;

/** The worker was deleted, but its ordinal remains. */
void test('clients see an attempt that is stored only in the task page', async (t) => {
  const { api, client } = await startApi(t);
  const first = attemptRecord({
    id: attemptIdOf({ ...ADDRESS, attemptNumber: 1 }),
    status: 'failed',
    exitCode: 3,
    endedAt: T0 + 1000,
  });
  api.now = T0 + 9000;
  api.write(
    ...jobChanges({}, [
      {
        name: 'render',
        untouched: 'ready',
        taskCount: 3,
        space: FRAMES(3),
        touched: new Map([[1, taskState(ASSIGNED)]]),
      },
    ]),
    put('workerOrdinal', keys.workerOrdinal(FARM, 7), { version: 1, workerId: WORKER }),
    put('attempt', keys.attempt(ADDRESS, 1), first),
  );
  const failed = {
    attempt_number: 1,
    status: 'failed',
    worker_id: WORKER,
    exit_code: 3,
    started_at: new Date(T0).toISOString(),
    ended_at: new Date(T0 + 1000).toISOString(),
  };
  const open = {
    attempt_number: 2,
    status: 'running',
    worker_id: WORKER,
    started_at: new Date(T0 + 4000).toISOString(),
  };
  t.same((await client.get(`${TASK}/attempts`)).body, { items: [failed, open] });
  t.match((await client.get(TASK)).body, {
    status: 'assigned',
    assigned_worker_id: WORKER,
    assigned_at: open.started_at,
    started_at: open.started_at,
  });
  const detailed = (await client.get(`${TASK}?details=true`)).body as Readonly<Record<string, unknown>>;
  t.match(detailed, { status: 'assigned' });
  t.strictSame(detailed['details'], {
    job_name: 'fractal',
    step_name: 'render',
    attempts: [failed, open],
    workers: [],
    has_outputs: false,
  });
  api.write(put('worker', keys.worker(WORKER), workerRecord({ id: WORKER, name: 'node' })));
  t.match((await client.get(`${TASK}?details=true`)).body, {
    details: { workers: [{ id: WORKER, name: 'node' }] },
  });
  api.write(remove('worker', keys.worker(WORKER)));
  t.notOk('details' in ((await client.get(TASK)).body as object));
  const explained = (await client.get(`${TASK}/explain`)).body as Readonly<Record<string, unknown>>;
  t.same(explained['attempt'], open);
  t.match(explained['summary'], /^Assigned to .* 5 s ago \(attempt 2\);/);
  for (const [attempt, status] of [
    [1, 200],
    [2, 200],
    [3, 404],
  ]) {
    t.equal((await client.get(`${TASK}/log?attempt=${attempt}`)).status, status, `attempt ${attempt}`);
  }
  const row = attemptRecord({
    id: attemptIdOf({ ...ADDRESS, attemptNumber: 2 }),
    attemptNumber: 2,
    startedAt: T0 + 4000,
    sessionId: 's1',
  });
  api.write(put('attempt', keys.attempt(ADDRESS, 2), row));
  t.same((await client.get(`${TASK}/attempts`)).body, { items: [failed, open] }, 'the same as with a row');
});
