import { test } from 'tap';
import { done } from '../../../src/core/problems.ts';
import { put } from '../../../src/core/records/change-set.ts';
import { keys } from '../../../src/core/records/tables.ts';
import { startApi, type ApiFixture } from '../kit/api-fixture.ts';
import { FRAMES, jobChanges, jobNumber, jobRecord } from '../kit/records.ts';

const JOB = jobNumber(1);
const PATH = `/api/v1/jobs/${JOB}`;
const STEP = {
  name: 'render',
  untouched: 'ready',
  taskCount: 3,
  space: FRAMES(3),
  touched: new Map(),
} as const;

/** Makes a write readable after a wait. Returns a function that reports the number of waits. */
function holdUp(fixture: ApiFixture, write: () => void): () => number {
  let waited = 0;
  fixture.behind = () => {
    waited += 1;
    return new Promise((resolve) => {
      setImmediate(() => {
        fixture.behind = () => null;
        write();
        resolve();
      });
    });
  };
  return () => waited;
}

void test('a GET waits until all durable data is readable, and renews its snapshot', async (t) => {
  const { api, client } = await startApi(t);
  t.equal((await client.get(PATH)).status, 404);
  const renewed = api.renewed;
  t.equal((await client.get('/api/v1/farms')).status, 200);
  t.equal(api.renewed, renewed, 'without a wait the snapshot is not renewed');
  const waited = holdUp(api, () => api.write(...jobChanges({}, [STEP])));
  t.equal((await client.get(PATH)).status, 200);
  t.equal(waited(), 1);
  t.ok(api.renewed > renewed);
});

void test('a request that must wait gets no cached response', async (t) => {
  const { api, client } = await startApi(t);
  api.write(...jobChanges({}, [STEP]));
  const record = api.store.get('job', keys.job(JOB)) ?? jobRecord();
  for (const path of [PATH, `${PATH}/tasks`, `${PATH}/summary`]) await client.get(path);
  const waited = holdUp(api, () => api.write(put('job', keys.job(JOB), { ...record, priority: 77 })));
  t.match((await client.get(PATH)).body, { priority: 77 });
  t.equal(waited(), 1);
  const known = await client.get(PATH);
  t.match(known.body, { priority: 77 });
  const tag = known.headers['etag'] ?? '';
  holdUp(api, () => api.write(put('job', keys.job(JOB), { ...record, priority: 78 })));
  t.equal((await client.get(PATH, { 'if-none-match': tag })).status, 200, 'there is no 304 response either');
  t.equal((await client.get(PATH, { 'if-none-match': tag })).status, 200);
});

/** Requests that change a job, with and without a body. */
const WRITES: readonly {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly body?: string;
}[] = [
  { method: 'PATCH', path: PATH, status: 409, body: '{"priority":3}' },
  { method: 'POST', path: `${PATH}/cancel`, status: 409 },
  { method: 'DELETE', path: PATH, status: 204 },
];

for (const { method, path, status, body } of WRITES) {
  void test(`${method} ${path}${body === undefined ? ' without a body' : ''} reads all data that was durable when it arrived`, async (t) => {
    const { api, client } = await startApi(t);
    api.answer = () =>
      status === 204 ? done(null) : { ok: false, problem: { kind: 'conflict', detail: 'asked' } };
    const sent = body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body };
    t.equal((await client.send(method, path, sent)).status, 404);
    t.equal(api.asked.length, 0);
    const renewed = api.renewed;
    const waited = holdUp(api, () => api.write(...jobChanges({}, [STEP])));
    const answer = await client.send(method, path, sent);
    t.equal(answer.status, status, answer.text);
    t.equal(api.asked.length, 1);
    t.equal(waited(), 1);
    t.ok(api.renewed > renewed);
  });
}

void test('probes, pages, preflights and rejected requests do not wait', async (t) => {
  const { api, client } = await startApi(t, ['https://a.example']);
  let asked = 0;
  api.behind = () => {
    asked += 1;
    return new Promise(() => undefined);
  };
  for (const path of ['/healthz', '/readyz', '/metrics', '/', '/assets/none.js']) {
    const answer = await client.get(path);
    t.ok(answer.status > 0, `${path}: ${answer.status}`);
  }
  const preflight = { origin: 'https://a.example', 'access-control-request-method': 'PATCH' };
  t.equal((await client.send('OPTIONS', PATH, { headers: preflight })).status, 204);
  t.equal((await client.send('PUT', PATH)).status, 405);
  t.equal(asked, 0);
});
