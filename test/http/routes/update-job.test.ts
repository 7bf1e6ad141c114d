import { test } from 'tap';
import { replyTo } from '../../../actors/kernel/address.ts';
import { farmId, queueId } from '../../../src/core/ids.ts';
import { done, refused } from '../../../src/core/problems.ts';
import { put } from '../../../src/core/records/change-set.ts';
import { keys } from '../../../src/core/records/tables.ts';
import { startApi, type ApiFixture } from '../kit/api-fixture.ts';
import { FARM, jobChanges, jobNumber, jobRecord, T0, uuid } from '../kit/records.ts';

const JOB = jobNumber(1);
const PATH = `/api/v1/jobs/${JOB}`;

const to = replyTo('front');

function addQueue(fixture: ApiFixture, nth: number, farm = FARM): void {
  const id = queueId(uuid('b', nth));
  const record = {
    version: 1 as const,
    id,
    farmId: farm,
    name: `queue ${nth}`,
    description: '',
    priority: 0,
    maxConcurrentTasks: 0,
    paused: false,
    retry: { maxAttempts: 5 },
    createdAt: T0,
    updatedAt: T0,
  };
  fixture.write(put('queue', keys.queue(id), record));
}

void test('sets and removes the start time of a job', async (t) => {
  const { api, client } = await startApi(t);
  const record = jobRecord({ id: JOB });
  api.write(put('job', keys.job(JOB), record));
  const startAfter = Date.UTC(2026, 10, 22, 18);
  api.answer = () => done({ ...record, startAfter });
  t.match(await client.json('PATCH', PATH, { start_after: '2026-11-22T20:00:00+02:00' }), {
    status: 200,
    body: { start_after: '2026-11-22T18:00:00.000Z' },
  });
  api.answer = () => done(record);
  t.notMatch((await client.json('PATCH', PATH, { start_after: null })).body, { start_after: String });
  t.match(
    api.asked.map(({ message }) => message),
    [{ update: { startAfter } }, { update: { startAfter: null } }],
  );
  for (const wrong of ['tomorrow', '2026-11-22', 5])
    t.match(await client.json('PATCH', PATH, { start_after: wrong }), {
      status: 400,
      body: { errors: [{ pointer: '/start_after' }] },
    });
});

void test('sets and removes caps of a job and its steps', async (t) => {
  const { api, client } = await startApi(t);
  const record = jobRecord({ id: JOB });
  const name = 'render';
  const space = { kind: 'single' } as const;
  api.write(
    ...jobChanges({ id: JOB }, [{ name, untouched: 'ready', taskCount: 1, space, touched: new Map() }]),
  );
  api.answer = () => done({ ...record, maxConcurrentTasks: 4, stepCaps: { [name]: 2 } });
  const caps = { max_concurrent_tasks: 4, step_max_concurrent_tasks: { [name]: 2 } };
  t.match(await client.json('PATCH', PATH, caps), { status: 200, body: caps });
  api.answer = () => done({ ...record, maxConcurrentTasks: 0, stepCaps: {} });
  const { body } = await client.json('PATCH', PATH, {
    max_concurrent_tasks: null,
    step_max_concurrent_tasks: { [name]: null },
  });
  t.notMatch(body, { max_concurrent_tasks: Number });
  t.notMatch(body, { step_max_concurrent_tasks: Object });
  t.match(
    api.asked.map(({ message }) => message),
    [
      { update: { caps: { maxConcurrentTasks: 4, stepCaps: { [name]: 2 } } } },
      { update: { caps: { maxConcurrentTasks: 0, stepCaps: { [name]: 0 } } } },
    ],
  );
  for (const [wrong, pointer] of [
    [{ max_concurrent_tasks: -1 }, '/max_concurrent_tasks'],
    [{ step_max_concurrent_tasks: { [name]: 'x' } }, `/step_max_concurrent_tasks/${name}`],
    [{ step_max_concurrent_tasks: { other: 1 } }, '/step_max_concurrent_tasks'],
  ] as const)
    t.match(await client.json('PATCH', PATH, wrong), { status: 400, body: { errors: [{ pointer }] } });
});

void test('the job actor changes a job, and the farm actor moves it', async (t) => {
  const { api, client } = await startApi(t);
  const record = jobRecord({ id: JOB });
  api.write(put('job', keys.job(JOB), record));
  addQueue(api, 2);
  api.answer = () => done({ ...record, status: 'paused', priority: 7, queueId: queueId(uuid('b', 2)) });
  const answer = await client.json('PATCH', PATH, {
    action: 'pause',
    priority: 7,
    max_attempts: 2,
    retry_delay_seconds: 0,
    failure_limit: 0,
  });
  t.match(answer, {
    status: 200,
    body: {
      id: JOB,
      status: 'paused',
      priority: 7,
      queue_id: uuid('b', 2),
      effective_retry: { max_attempts: 5, retry_delay_seconds: 10, failure_limit: 0 },
    },
  });
  await client.json('PATCH', PATH, { queue_id: uuid('b', 2), action: 'resume' });
  const nothing = {
    action: null,
    priority: null,
    queue_id: null,
    max_attempts: null,
    retry_delay_seconds: null,
    failure_limit: null,
  };
  t.equal((await client.json('PATCH', PATH, nothing)).status, 200);
  t.equal((await client.json('PATCH', PATH, {})).status, 200);
  const unchanged = {
    actor: 'job',
    id: JOB,
    message: { type: 'job.update', update: { retry: {} }, queue: null, replyTo: to },
  };
  t.strictSame(api.asked, [
    {
      actor: 'job',
      id: JOB,
      message: {
        type: 'job.update',
        update: {
          action: 'pause',
          priority: 7,
          retry: { maxAttempts: 2, retryDelaySeconds: 0, failureLimit: 0 },
        },
        queue: null,
        replyTo: to,
      },
    },
    {
      actor: 'farm',
      id: FARM,
      message: {
        type: 'job.requeue',
        jobId: JOB,
        queueId: uuid('b', 2),
        update: { action: 'resume', retry: {} },
        replyTo: to,
      },
    },
    unchanged,
    unchanged,
  ]);
  api.answer = () => refused('conflict', 'the job is failed already');
  t.match(await client.json('PATCH', PATH, { action: 'pause' }), {
    status: 409,
    body: { detail: 'the job is failed already' },
  });
});

void test('an invalid change reaches no actor', async (t) => {
  const { api, client } = await startApi(t);
  api.write(put('job', keys.job(JOB), jobRecord({ id: JOB })));
  addQueue(api, 3, farmId(uuid('f', 2)));
  const cases: [unknown, RegExp][] = [
    [{ action: 'stop' }, /^\/action: must be one of pause, resume/],
    [{ priority: 1.5 }, /^\/priority: /],
    [{ priority: 2 ** 31 }, /^\/priority: /],
    [{ max_attempts: 0 }, /^\/max_attempts: /],
    [{ retry_delay_seconds: -1 }, /^\/retry_delay_seconds: /],
    [{ failure_limit: -1 }, /^\/failure_limit: /],
    [{ queue_id: 7 }, /^\/queue_id: /],
    [{ queue_id: 'nowhere' }, /^\/queue_id: the farm has no queue nowhere$/],
    [{ queue_id: uuid('b', 3) }, /^\/queue_id: the farm has no queue /],
    [[], /must be/],
  ];
  for (const [json, detail] of cases) {
    t.match(await client.json('PATCH', PATH, json), { status: 400, body: { detail } }, JSON.stringify(json));
  }
  t.equal((await client.json('PATCH', `/api/v1/jobs/${jobNumber(2)}`, {})).status, 404);
  t.match(await client.send('PATCH', PATH), { status: 400, body: { detail: 'the request has no body' } });
  t.equal((await client.send('PATCH', PATH, { body: '{}' })).status, 415);
  t.same(api.asked, []);
});
