import { test } from 'tap';
import { attemptIdOf, queueId, workerId } from '../../../src/core/ids.ts';
import type { FarmSample } from '../../../src/core/history/farm-samples.ts';
import { NO_TASKS, type TaskCounts } from '../../../src/core/lifecycle/task-counts.ts';
import { put, remove, type Change } from '../../../src/core/records/change-set.ts';
import type { JobRecord } from '../../../src/core/records/job.ts';
import { keys } from '../../../src/core/records/tables.ts';
import type { WorkerRecord } from '../../../src/core/records/worker.ts';
import { startApi, type ApiFixture } from '../kit/api-fixture.ts';
import {
  FARM,
  farmRecord,
  jobNumber,
  jobRecord,
  QUEUE,
  T0,
  uuid,
  WORKER,
  workerRecord,
} from '../kit/records.ts';

const MINUTE = 60_000;
const HISTORY = `/api/v1/stats/history?farm_id=${FARM}`;

function look(fixture: ApiFixture): number {
  let steps = 1;
  while (fixture.farmWatch?.scanNext() === true) steps += 1;
  return steps;
}

const job = (number: number, counts: Partial<TaskCounts>, changes: Partial<JobRecord> = {}): Change => {
  const record = jobRecord({
    id: jobNumber(number),
    status: 'running',
    taskCounts: { ...NO_TASKS, ...counts },
    ...changes,
  });
  return put('job', keys.job(record.id), record);
};

const worker = (number: number, changes: Partial<WorkerRecord> = {}): Change => {
  const record = workerRecord({ id: workerId(uuid('e', number)), name: `node-${number}`, ...changes });
  return put('worker', keys.worker(record.id), record);
};

/** Booking of cores on a worker by tasks of these jobs. */
const booking = (number: number, ...held: readonly (readonly [job: number, cores: number])[]): Change =>
  put('booking', keys.booking(workerId(uuid('e', number))), {
    version: 1,
    bookings: held.map(([jobOf, cores], index) => ({
      attemptId: attemptIdOf({ jobId: jobNumber(jobOf), stepOrder: 0, index, attemptNumber: 1 }),
      cores,
    })),
  });

/** Load of a farm in one minute. */
const SAMPLE: FarmSample = {
  at: T0,
  coresTotal: 8,
  coresBooked: 4,
  workersOnline: 1,
  ready: 3,
  live: 2,
  succeeded: 1,
  failed: 0,
  queues: [{ key: QUEUE, coresBooked: 4, succeeded: 1, failed: 0 }],
  owners: [],
};

const shares = (key: string, cores: number) => ({ key, is_other: false, cores_booked: cores });

void test('reports the current load of a farm, and its load at the end of each minute', async (t) => {
  const { api, client } = await startApi(t);
  const night = queueId(uuid('b', 2));
  api.write(
    put('farm', keys.farm(FARM), farmRecord()),
    job(1, { ready: 5, running: 2 }),
    job(2, { assigned: 1, succeeded: 4 }, { owner: 'bob', queueId: night, project: 'atlas' }),
    worker(1),
    worker(2, { status: 'offline', cpuCount: 32 }),
    worker(3, { cpuCount: 4 }),
    booking(1, [1, 2], [1, 1], [2, 4]),
    booking(2, [99, 3]),
  );
  const empty = await client.get(HISTORY);
  t.match(empty, {
    status: 200,
    body: { farm_id: FARM, step_seconds: 60, times: [], queues: [], owners: [] },
  });
  t.notOk('now' in (empty.body as object), 'no scan yet');

  look(api);
  const now = {
    at: '2026-11-20T10:00:00.000Z',
    cores_total: 12,
    cores_booked: 10,
    workers_online: 2,
    tasks_ready: 5,
    tasks_running: 3,
    queues: [shares(night, 4), shares(QUEUE, 3)],
    owners: [shares('bob', 4), shares('ada', 3)],
    projects: [shares('atlas', 4), shares('demo', 3)],
  };
  const first = (await client.get(HISTORY)).body as { now: object; times: unknown };
  t.strictSame(first.now, now);
  t.strictSame(first.times, [], 'the minute has not ended');

  api.write(job(1, { ready: 2, running: 2, succeeded: 2, failed: 1 }), booking(3, [2, 1]));
  api.now = T0 + MINUTE + 500;
  look(api);
  api.write(
    job(1, { succeeded: 5, failed: 2 }, { status: 'failed' }),
    remove('booking', keys.booking(WORKER)),
  );
  api.now = T0 + 2 * MINUTE + 10;
  look(api);
  look(api);
  const { now: _now, ...history } = (await client.get(HISTORY)).body as { now: object };
  t.strictSame(history, {
    farm_id: FARM,
    step_seconds: 60,
    times: ['2026-11-20T10:01:00.000Z', '2026-11-20T10:02:00.000Z'],
    cores_total: [12, 12],
    cores_booked: [11, 4],
    workers_online: [2, 2],
    tasks_ready: [2, 0],
    tasks_running: [3, 1],
    tasks_succeeded: [6, 3],
    tasks_failed: [1, 1],
    queues: [
      { key: night, is_other: false, cores_booked: [5, 1], tasks_succeeded: [4, 0], tasks_failed: [0, 0] },
      { key: QUEUE, is_other: false, cores_booked: [3, 0], tasks_succeeded: [2, 3], tasks_failed: [1, 1] },
    ],
    owners: [
      { key: 'bob', is_other: false, cores_booked: [5, 1], tasks_succeeded: [4, 0], tasks_failed: [0, 0] },
      { key: 'ada', is_other: false, cores_booked: [3, 0], tasks_succeeded: [2, 3], tasks_failed: [1, 1] },
    ],
    projects: [
      { key: 'atlas', is_other: false, cores_booked: [5, 1], tasks_succeeded: [4, 0], tasks_failed: [0, 0] },
      { key: 'demo', is_other: false, cores_booked: [3, 0], tasks_succeeded: [2, 3], tasks_failed: [1, 1] },
    ],
  });
  t.match((await client.get(`${HISTORY}&step_minutes=2`)).body, {
    step_seconds: 120,
    times: ['2026-11-20T10:02:00.000Z'],
    cores_booked: [7.5],
    tasks_succeeded: [9],
  });
  t.match((await client.get(`${HISTORY}&minutes=1`)).body, { times: ['2026-11-20T10:02:00.000Z'] });

  t.strictSame((await client.get(`/api/v1/workers/${WORKER}/history`)).body, {
    worker_id: WORKER,
    cpu_count: 8,
    step_seconds: 60,
    times: ['2026-11-20T10:01:00.000Z', '2026-11-20T10:02:00.000Z'],
    cores_booked: [7, 0],
  });
  t.match((await client.get(`/api/v1/workers/${uuid('e', 2)}/history?minutes=1`)).body, {
    cores_booked: [null],
  });
});

void test('a scan reads a few workers at a time, and drops deleted farms', async (t) => {
  const { api, client } = await startApi(t);
  api.write(
    put('farm', keys.farm(FARM), farmRecord()),
    ...Array.from({ length: 450 }, (_, nth) => worker(nth + 1, { cpuCount: 2 })),
  );
  t.equal(look(api), 5);
  t.match((await client.get(HISTORY)).body, { now: { cores_total: 900, workers_online: 450 } });
  api.now += MINUTE;
  look(api);
  api.write(remove('farm', keys.farm(FARM)));
  api.now += MINUTE;
  look(api);
  t.equal((await client.get(HISTORY)).status, 404);
  api.write(put('farm', keys.farm(FARM), farmRecord()));
  t.match((await client.get(HISTORY)).body, { times: [] });
});

void test('rejects histories of unknown items and of too long periods', async (t) => {
  const { api, client } = await startApi(t);
  api.write(put('farm', keys.farm(FARM), farmRecord()));
  const cases: readonly (readonly [path: string, status: number, detail: string])[] = [
    ['/api/v1/stats/history?farm_id=none', 404, 'no farm none'],
    ['/api/v1/stats/history', 400, '/query/farm_id: is required'],
    [`${HISTORY}&minutes=0`, 400, '/query/minutes: must be >= 1'],
    [`${HISTORY}&minutes=1441`, 400, '/query/minutes: must be <= 1440'],
    [`${HISTORY}&step_minutes=61`, 400, '/query/step_minutes: must be <= 60'],
    ['/api/v1/workers/none/history', 404, 'no worker none'],
    [`/api/v1/workers/${WORKER}/history?minutes=181`, 400, '/query/minutes: must be <= 180'],
  ];
  for (const [path, status, detail] of cases)
    t.match(await client.get(path), { status, body: { detail } }, path);
});

void test('the history of a farm survives a restart', async (t) => {
  const { api, client } = await startApi(t);
  const ended = (at: number, succeeded: number): FarmSample => ({
    ...SAMPLE,
    at,
    succeeded,
    queues: [{ key: QUEUE, coresBooked: 4, succeeded, failed: 0 }],
  });
  const old = ended(T0 - 24 * 60 * MINUTE, 1000);
  api.write(
    put('farm', keys.farm(FARM), farmRecord()),
    ...[old, ended(T0, 5), ended(T0 - MINUTE, 2501)].map((sample) =>
      put('farmSample', keys.farmSample(FARM, sample.at), { version: 1, sample }),
    ),
  );
  t.equal([...api.store.scan('farmSample')].length, 2, 'a sample replaces that of the day before');
  t.match((await client.get(HISTORY)).body, {
    times: ['2026-11-20T09:59:00.000Z', '2026-11-20T10:00:00.000Z'],
    tasks_succeeded: [2501, 5],
    queues: [{ key: QUEUE, tasks_succeeded: [2501, 5] }],
  });
  const kept: unknown[] = [];
  api.farmWatch?.keepSamples((farm, sample) => kept.push([farm, sample]));
  look(api);
  api.now = T0 + MINUTE;
  look(api);
  t.strictSame(kept, [], 'nothing happened');
  api.write(job(1, { ready: 5, running: 2 }), worker(1));
  look(api);
  api.now = T0 + 2 * MINUTE;
  look(api);
  t.match(kept, [[FARM, { at: T0 + 2 * MINUTE, ready: 5, live: 2, coresTotal: 8 }]]);
  t.match((await client.get(HISTORY)).body, { tasks_succeeded: [2501, 5, 0, 0] });
});
