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
const REST = { jobStatus: 'pending', steps: [] };
/** The part of a request that most tests do not vary. */
const PLAIN = { upstreams: [], scope: 'tasks', isDryRun: false };

void test('the job actor retries jobs and tasks', async (t) => {
  const { api, client } = await startApi(t);
  api.write(
    ...jobChanges({}, [
      { name: 'render', untouched: 'canceled', taskCount: 3, space: FRAMES(3), touched: new Map() },
    ]),
  );
  const task = `/api/v1/tasks/${taskIdAt(0, 2)}/retry`;
  api.answer = () => done({ retried: 3, status: null, ...REST });
  t.match(await client.send('POST', `/api/v1/jobs/${JOB}/retry`), {
    status: 200,
    body: { job_id: JOB, retried: 3 },
  });
  for (const status of ['ready', 'pending']) {
    api.answer = () => done({ retried: 1, status, ...REST });
    t.match(await client.send('POST', task), { status: 202, body: { task_id: taskIdAt(0, 2), status } });
  }
  const asked = {
    actor: 'job',
    id: JOB,
    message: { type: 'job.retry', request: { target: { stepOrder: 0, index: 2 }, ...PLAIN }, replyTo: to },
  };
  t.strictSame(api.asked, [
    {
      actor: 'job',
      id: JOB,
      message: { type: 'job.retry', request: { target: 'job', ...PLAIN }, replyTo: to },
    },
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
  api.answer = () => done({ retried: 2, status: null, ...REST });
  const retry = (body: unknown, job = JOB) => client.json('POST', `/api/v1/jobs/${job}/retry`, body);
  const picked = async (body: object, job = JOB): Promise<unknown> => {
    t.match(await retry(body, job), { status: 200, body: { job_id: job, retried: 2 } });
    const [envelope] = api.asked.splice(0);
    return envelope?.message.type === 'job.retry' ? envelope.message.request.target : envelope;
  };
  const run = (start: number, count: number, stride = 1): object => ({ start, step: stride, count });
  t.strictSame(await picked({}), 'job');
  t.strictSame(await picked({ steps: 'render' }), 'job', 'unknown fields are ignored');
  t.strictSame(await picked({ step: 'comp' }), { selection: { stepOrder: 1 } });
  t.strictSame(await picked({ step: `${JOB}-0` }), { selection: { stepOrder: 0 } });
  t.strictSame(await picked({ step: 'comp', index_range: '20-28:4, 0-2,29' }), {
    selection: { stepOrder: 1, indices: [run(0, 3), run(20, 3, 4), run(29, 1)], chunkChanges: 0 },
  });
  t.strictSame(await picked({ index_range: '0-29' }, jobNumber(2)), {
    selection: { stepOrder: 0, indices: [run(0, 30)], chunkChanges: 0 },
  });
  t.strictSame(await picked({ step: 'comp', range: '10-12' }), {
    selection: { stepOrder: 1, indices: [run(9, 3)], chunkChanges: 0 },
  });
  t.strictSame(await picked({ step: 'comp', range: 'Frame=1,30-40' }), {
    selection: { stepOrder: 1, indices: [run(0, 1), run(29, 1)], chunkChanges: 0 },
  });
  t.strictSame(await picked({ worker_id: WORKER }, jobNumber(2)), { selection: { workerOrdinal: 4 } });
  t.strictSame(await picked({ skipped: true }), { selection: { isSkipped: true } });
  t.strictSame(await picked({ worker_id: gone, step: 'render', index_range: '3' }), {
    selection: { stepOrder: 0, indices: [run(3, 1)], chunkChanges: 0, workerOrdinal: 12 },
  });
  const cases: readonly (readonly [unknown, string])[] = [
    [{ step: 'none' }, '/step: the job has no such step'],
    [{ index_range: '0' }, '/step: is required: the job has several'],
    [{ step: 'comp', index_range: '0-30' }, '/index_range: the tasks of the step are 0 to 29'],
    [{ step: 'comp', index_range: '-1-3' }, '/index_range: the tasks of the step are 0 to 29'],
    [
      { step: 'comp', index_range: '99999999999999999999' },
      '/index_range: "99999999999999999999" is outside the range of',
    ],
    [{ step: 'comp', index_range: '1-3,2' }, '/index_range: the parts that begin at 1 and at 2 overlap'],
    [
      { step: 'comp', index_range: 'x' },
      '/index_range: "x" is not a part of a range: write 5, 1-10 or 1-10:2',
    ],
    [{ step: 'comp', index_range: ' ' }, '/index_range: the range is empty'],
    [{ step: 'comp', index_range: 5 }, '/index_range: must be string'],
    [{ step: 'comp', range: '1', index_range: '1' }, '/index_range: cannot be combined with range'],
    [{ step: 'comp', range: 'Shot=1' }, '/range: there is no task parameter "Shot"; the step has Frame'],
    [
      { step: 'comp', range: '500-510' },
      '/range: no task has Frame="500-510"; the step has Frame "1" to "30"',
    ],
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
  api.answer = () => done({ retried: 1, status: null, ...REST });
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

void test('a retry with dependents restores the jobs that were canceled only because of it', async (t) => {
  const { api, client } = await startApi(t);
  const step = {
    name: 's',
    untouched: 'canceled',
    taskCount: 1,
    space: FRAMES(1),
    touched: new Map(),
  } as const;
  const [one, two, three, four, five, six] = [1, 2, 3, 4, 5, 6].map(jobNumber);
  if (!one || !two || !three || !four || !five || !six) throw new Error('no ids');
  const canceled = { status: 'canceled', cancelReason: 'canceled: upstream job failed' } as const;
  api.write(
    ...jobChanges({ id: one, status: 'failed' }, [step]),
    ...jobChanges({ id: two, name: 'two', ...canceled, dependsOn: [one] }, [step]),
    ...jobChanges({ id: three, name: 'three', ...canceled, dependsOn: [two] }, [step]),
    // Canceled by a user.
    ...jobChanges({ id: four, status: 'canceled', dependsOn: [one] }, [step]),
    ...jobChanges({ id: five, status: 'failed' }, [step]),
    // Another upstream job has failed too.
    ...jobChanges({ id: six, ...canceled, dependsOn: [one, five] }, [step]),
  );
  api.answer = ({ id }) =>
    done({
      retried: 1,
      status: null,
      jobStatus: id === one ? 'pending' : 'blocked',
      steps: id === one ? [{ stepOrder: 0, retried: 1, indices: [{ start: 0, step: 1, count: 1 }] }] : [],
    });
  const answer = await client.send('POST', `/api/v1/jobs/${one}/retry?with_dependents=true`);
  t.strictSame(answer.body, {
    job_id: one,
    retried: 1,
    status: 'pending',
    steps: [{ step_id: `${one}-0`, name: 's', retried: 1, tasks: 'Frame=1' }],
    dependents: [
      { job_id: two, name: 'two', retried: 1 },
      { job_id: three, name: 'three', retried: 1 },
    ],
  });
  t.strictSame(
    api.asked
      .splice(0)
      .map(({ id, message }) => [id, message.type === 'job.retry' ? message.request.scope : '']),
    [
      [one, 'later steps'],
      [two, 'restore'],
      [three, 'restore'],
    ],
  );
  await client.send('POST', `/api/v1/jobs/${one}/retry`);
  t.equal(api.asked.splice(0).length, 1, 'not without the parameter');
  await client.send('POST', `/api/v1/jobs/${one}/retry?with_dependents=true&dry_run=true`);
  t.ok(
    api.asked.splice(0).every(({ message }) => message.type === 'job.retry' && message.request.isDryRun),
    'a dry run',
  );
});
