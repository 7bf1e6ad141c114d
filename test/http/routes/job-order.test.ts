import { test } from 'tap';
import { countsOf } from '../../../src/core/lifecycle/task-counts.ts';
import { queueId } from '../../../src/core/ids.ts';
import { put } from '../../../src/core/records/change-set.ts';
import type { JobRecord } from '../../../src/core/records/job.ts';
import { keys } from '../../../src/core/records/tables.ts';
import { startApi } from '../kit/api-fixture.ts';
import { jobNumber, jobRecord, T0, uuid } from '../kit/records.ts';

const JOB = jobNumber(3);
const PATH = `/api/v1/jobs/${JOB}/order`;

const job = (nth: number, changes: Partial<JobRecord>): JobRecord =>
  jobRecord({ id: jobNumber(nth), name: `job ${nth}`, createdAt: T0 + nth, ...changes });

void test('previews which jobs of the queue a job passes with another priority', async (t) => {
  const { api, client } = await startApi(t);
  const jobs = [
    job(1, { priority: 70 }),
    job(2, { priority: 50, status: 'running' }),
    job(3, { priority: 50 }),
    job(4, { priority: 50 }),
    job(5, { priority: 40 }),
    job(6, { priority: 99, status: 'paused' }),
    job(7, { priority: 99, startAfter: T0 + 1000 }),
    job(8, { priority: 99, taskCounts: countsOf(1, 'running') }),
    job(9, { priority: 99, queueId: queueId(uuid('b', 2)) }),
  ];
  api.write(...jobs.map((each) => put('job', keys.job(each.id), each)));
  const order = async (query: string): Promise<unknown> => (await client.get(`${PATH}${query}`)).body;
  const ids = (...numbers: number[]): object[] => numbers.map((nth) => ({ id: jobNumber(nth), ready: 1 }));
  t.match(await order('?with_priority=50'), {
    position: { before: 3, after: 3 },
    total: 5,
    is_partial: false,
    passed_total: 0,
  });
  const raised = await order('?with_priority=60');
  t.match(raised, { priority: { before: 50, after: 60 }, position: { before: 3, after: 2 }, passed: ids(2) });
  t.match(await order('?with_priority=70'), { position: { after: 2 } }, 'the older job stays before it');
  t.match(await order(''), {
    priority: { after: 71 },
    top_priority: 71,
    position: { before: 3, after: 1 },
    passed_total: 2,
    passed: ids(1, 2),
  });
  t.match(await order('?with_priority=0'), { position: { before: 3, after: 5 }, passed: ids(4, 5) });
  t.match(await client.get(`/api/v1/jobs/${jobNumber(1)}/order`), {
    body: { top_priority: 70, position: { before: 1, after: 1 }, passed: [] },
  });
});

void test('an older job needs only the priority of the first one; jobs that have ended have no place', async (t) => {
  const { api, client } = await startApi(t);
  const jobs = [
    job(1, { priority: 70 }),
    job(3, { priority: 50, createdAt: T0 }),
    job(4, { status: 'failed' }),
  ];
  api.write(...jobs.map((each) => put('job', keys.job(each.id), each)));
  t.match((await client.get(PATH)).body, { top_priority: 70, position: { before: 2, after: 1 } });
  t.equal((await client.get(`/api/v1/jobs/${jobNumber(4)}/order`)).status, 409);
  t.equal((await client.get(`/api/v1/jobs/${jobNumber(9)}/order`)).status, 404);
  t.equal((await client.get(`${PATH}?with_priority=high`)).status, 400);
});
