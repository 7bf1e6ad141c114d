import { readFileSync } from 'node:fs';
import { test } from 'tap';
import { templateSchema } from '../../../src/openjd/template/schema/template-schema.ts';
import { startApi } from '../kit/api-fixture.ts';

void test('reports liveness and version', async (t) => {
  const { client } = await startApi(t);
  t.same((await client.get('/healthz')).body, { status: 'ok' });
  t.same((await client.get('/api/v1/version')).body, {
    version: '0.1.0',
    commit: 'abc',
    built_at: '2026-11-20T10:00:00Z',
    node: 'v20.20.2',
    api: '1',
  });
  const metrics = await client.get('/metrics');
  t.equal(metrics.headers['content-type'], 'text/plain; version=0.0.4; charset=utf-8');
  t.equal(metrics.text, '# TYPE svc_up gauge\nsvc_up 1\n');
});

void test('serves the contract unchanged', async (t) => {
  const { client } = await startApi(t);
  const answer = await client.get('/api/v1/openapi.yaml');
  t.equal(answer.headers['content-type'], 'application/yaml');
  t.equal(answer.text, readFileSync('http/openapi/openapi.yaml', 'utf8'));
});

void test('serves the schema of templates', async (t) => {
  const { client } = await startApi(t);
  const answer = await client.get('/api/v1/openjd/schema.json');
  t.equal(answer.headers['content-type'], 'application/schema+json');
  t.equal(answer.text, JSON.stringify(templateSchema()));
});

const DETAILS = {
  stopping: false,
  store: {
    state: { file_bytes: 40_960, page_bytes: 4096, used_pages: 7, free_pages: 3 },
    logs: { file_bytes: 16_384, page_bytes: 4096, used_pages: 4, free_pages: 0 },
  },
};

void test('a stopping service is not ready and rejects requests', async (t) => {
  const { api, client } = await startApi(t);
  api.isStopping = true;
  t.match(await client.get('/readyz'), {
    status: 503,
    body: { status: 'degraded', checks: { store: 'ok', bus: 'ok' }, details: { ...DETAILS, stopping: true } },
  });
  t.equal((await client.get('/healthz')).status, 200);
  t.equal((await client.get('/metrics')).status, 200);
  for (const path of ['/api/v1/jobs', '/api/v1/version', '/nothing']) {
    t.match(await client.get(path), {
      status: 503,
      headers: { connection: 'close' },
      body: { status: 503, detail: 'the service is stopping' },
    });
  }
});

void test('readiness checks store and bus in parallel', async (t) => {
  const { api, client } = await startApi(t);
  t.match(await client.get('/readyz'), {
    status: 200,
    body: { status: 'ok', checks: { store: 'ok', bus: 'ok' }, details: DETAILS },
  });
  t.same(api.delays, [], 'no timer is left');
  api.health = { store: () => Promise.resolve(), bus: () => Promise.reject(new Error('not connected')) };
  const degraded = await client.get('/readyz');
  t.equal(degraded.status, 503);
  t.same(degraded.body, {
    status: 'degraded',
    checks: { store: 'ok', bus: 'not connected' },
    details: DETAILS,
  });
  api.health = { store: () => new Promise(() => undefined), bus: () => new Promise(() => undefined) };
  const late = client.get('/readyz');
  await api.until(() => api.delays.length === 2);
  t.same(
    api.delays.map((delay) => delay.milliseconds),
    [5000, 5000],
  );
  for (const delay of [...api.delays]) delay.end();
  t.same((await late).body, {
    status: 'degraded',
    checks: { store: 'no answer within 5 s', bus: 'no answer within 5 s' },
    details: DETAILS,
  });
});
