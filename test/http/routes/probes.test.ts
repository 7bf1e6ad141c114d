import { readFileSync } from 'node:fs';
import { test } from 'tap';
import { openHouse } from '../kit/house.ts';

void test('the process is alive, and says what it is', async (t) => {
  const { client } = await openHouse(t);
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

void test('the contract is served word for word', async (t) => {
  const { client } = await openHouse(t);
  const answer = await client.get('/api/v1/openapi.yaml');
  t.equal(answer.headers['content-type'], 'application/yaml');
  t.equal(answer.text, readFileSync('http/openapi/openapi.yaml', 'utf8'));
});

void test('readiness asks the store and the bus at the same time', async (t) => {
  const { house, client } = await openHouse(t);
  t.match(await client.get('/readyz'), {
    status: 200,
    body: { status: 'ok', checks: { store: 'ok', bus: 'ok' } },
  });
  t.same(house.delays, [], 'no wait is left over');
  house.health = { store: () => Promise.resolve(), bus: () => Promise.reject(new Error('not connected')) };
  const degraded = await client.get('/readyz');
  t.equal(degraded.status, 503);
  t.same(degraded.body, { status: 'degraded', checks: { store: 'ok', bus: 'not connected' } });
  house.health = { store: () => new Promise(() => undefined), bus: () => new Promise(() => undefined) };
  const late = client.get('/readyz');
  await house.until(() => house.delays.length === 2);
  t.same(
    house.delays.map((delay) => delay.milliseconds),
    [5000, 5000],
  );
  for (const delay of [...house.delays]) delay.end();
  t.same((await late).body, {
    status: 'degraded',
    checks: { store: 'no answer within 5 s', bus: 'no answer within 5 s' },
  });
});
