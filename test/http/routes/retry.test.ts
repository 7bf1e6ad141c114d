import { test } from 'tap';
import { replyTo } from '../../../actors/kernel/address.ts';
import { farmId, workerId } from '../../../src/core/ids.ts';
import { done, refused } from '../../../src/core/problems.ts';
import { put } from '../../../src/core/records/change-set.ts';
import { keys } from '../../../src/core/records/tables.ts';
import { startApi } from '../kit/api-fixture.ts';
import { FARM, FRAMES, jobChanges, jobNumber, taskIdAt, uuid, WORKER, workerRecord } from '../kit/records.ts';

const JOB = jobNumber(1);
const to = replyTo('front');

void test('the job actor retries jobs and tasks', async (t) => {
  const { api, client } = await startApi(t);
  api.write(
    ...jobChanges({}, [
      { name: 'render', untouched: 'canceled', taskCount: 3, space: FRAMES(3), touched: new Map() },
    ]),
  );
  const task = `/api/v1/tasks/${taskIdAt(0, 2)}/retry`;
  api.answer = () => done({ retried: 3, status: null });
  t.match(await client.send('POST', `/api/v1/jobs/${JOB}/retry`), {
    status: 200,
    body: { job_id: JOB, retried: 3 },
  });
  for (const status of ['ready', 'pending']) {
    api.answer = () => done({ retried: 1, status });
    t.match(await client.send('POST', task), { status: 202, body: { task_id: taskIdAt(0, 2), status } });
  }
  const asked = {
    actor: 'job',
    id: JOB,
    message: { type: 'job.retry', target: { stepOrder: 0, index: 2 }, replyTo: to },
  };
  t.strictSame(api.asked, [
    { actor: 'job', id: JOB, message: { type: 'job.retry', target: 'job', replyTo: to } },
    asked,
    asked,
  ]);
  api.answer = () => refused('conflict', 'the task is running, neither failed nor canceled');
  t.match(await client.send('POST', task), {
    status: 409,
    body: { detail: 'the task is running, neither failed nor canceled' },
  });
  t.equal((await client.send('POST', `/api/v1/jobs/${JOB}/retry`)).status, 409);
});

void test('returns 404 for retries of unknown items', async (t) => {
  const { api, client } = await startApi(t);
  t.equal((await client.send('POST', `/api/v1/jobs/${JOB}/retry`)).status, 404);
  t.equal((await client.send('POST', `/api/v1/tasks/${taskIdAt(0, 0)}/retry`)).status, 404);
  t.same(api.asked, []);
});

void test('selects tasks by step, range and worker', async (t) => {
  const { api, client } = await startApi(t);
  const step = { untouched: 'canceled', taskCount: 30, space: FRAMES(30), touched: new Map() } as const;
  const gone = workerId(uuid('e', 9));
  const elsewhere = workerId(uuid('e', 5));
  api.write(
    ...jobChanges({}, [
      { name: 'render', ...step },
      { name: 'comp', ...step },
    ]),
    ...jobChanges({ id: jobNumber(2) }, [{ name: 'only', ...step }]),
    put('worker', keys.worker(WORKER), workerRecord({ ordinal: 4 })),
    put('worker', keys.worker(elsewhere), workerRecord({ id: elsewhere, farmId: farmId(uuid('f', 2)) })),
    put('workerOrdinal', keys.workerOrdinal(FARM, 12), { version: 1, workerId: gone }),
  );
  api.answer = () => done({ retried: 2, status: null });
  const retry = (body: unknown, job = JOB) => client.json('POST', `/api/v1/jobs/${job}/retry`, body);
  const picked = async (body: object, job = JOB): Promise<unknown> => {
    t.match(await retry(body, job), { status: 200, body: { job_id: job, retried: 2 } });
    const [envelope] = api.asked.splice(0);
    return envelope?.message.type === 'job.retry' ? envelope.message.target : envelope;
  };
  const run = (start: number, count: number, stride = 1): object => ({ start, step: stride, count });
  t.strictSame(await picked({}), 'job');
  t.strictSame(await picked({ steps: 'render' }), 'job', 'unknown fields are ignored');
  t.strictSame(await picked({ step: 'comp' }), { selection: { stepOrder: 1 } });
  t.strictSame(await picked({ step: `${JOB}-0` }), { selection: { stepOrder: 0 } });
  t.strictSame(await picked({ step: 'comp', range: '20-28:4, 0-2,29' }), {
    selection: { stepOrder: 1, indices: [run(0, 3), run(20, 3, 4), run(29, 1)] },
  });
  t.strictSame(await picked({ range: '0-29' }, jobNumber(2)), {
    selection: { stepOrder: 0, indices: [run(0, 30)] },
  });
  t.strictSame(await picked({ worker_id: WORKER }, jobNumber(2)), { selection: { workerOrdinal: 4 } });
  t.strictSame(await picked({ worker_id: gone, step: 'render', range: '3' }), {
    selection: { stepOrder: 0, indices: [run(3, 1)], workerOrdinal: 12 },
  });
  const cases: readonly (readonly [unknown, string])[] = [
    [{ step: 'none' }, '/step: the job has no such step'],
    [{ range: '0' }, '/step: is required: the job has several'],
    [{ step: 'comp', range: '0-30' }, '/range: the tasks of the step are 0 to 29'],
    [{ step: 'comp', range: '-1-3' }, '/range: the tasks of the step are 0 to 29'],
    [
      { step: 'comp', range: '99999999999999999999' },
      '/range: "99999999999999999999" is outside the range of',
    ],
    [{ step: 'comp', range: '1-3,2' }, '/range: the parts that begin at 1 and at 2 overlap'],
    [{ step: 'comp', range: 'x' }, '/range: "x" is not a part of a range: write 5, 1-10 or 1-10:2'],
    [{ step: 'comp', range: ' ' }, '/range: the range is empty'],
    [{ step: 'comp', range: 5 }, '/range: must be string'],
    [{ step: '' }, '/step: must NOT have fewer than 1 characters'],
    [{ worker_id: 'none' }, '/worker_id: the farm has no such worker'],
    [{ worker_id: elsewhere }, '/worker_id: the farm has no such worker'],
    [[], 'must be object'],
  ];
  for (const [body, detail] of cases) {
    const answer = await retry(body);
    t.equal(answer.status, 400, detail);
    t.ok((answer.body as { detail: string }).detail.includes(detail), `${detail}: ${answer.text}`);
  }
  t.same(api.asked, []);
});

void test('a retry needs no body, whatever its headers contain', async (t) => {
  const { api, client } = await startApi(t);
  api.write(
    ...jobChanges({}, [
      { name: 's', untouched: 'canceled', taskCount: 1, space: FRAMES(1), touched: new Map() },
    ]),
  );
  api.answer = () => done({ retried: 1, status: null });
  const path = `/api/v1/jobs/${JOB}/retry`;
  for (const type of ['application/json', 'application/json; charset=latin1', 'text/plain']) {
    t.equal((await client.send('POST', path, { headers: { 'content-type': type } })).status, 200, type);
  }
  t.match(await client.send('POST', path, { headers: { 'content-type': 'text/plain' }, body: '{}' }), {
    status: 415,
  });
  t.equal((await client.send('POST', path, { body: '{}' })).status, 415);
  const json = { 'content-type': 'application/json' };
  t.equal((await client.send('POST', path, { headers: json, body: '{' })).status, 400);
  t.equal(api.asked.length, 3);
});
