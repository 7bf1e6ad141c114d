import { test } from 'tap';
import { startApi } from '../kit/api-fixture.ts';

const LIMIT = { limit: { rps: 2, burst: 3 }, trustProxy: false };

void test('the fourth request of a burst of three gets 429 with Retry-After', async (t) => {
  const { api, client } = await startApi(t, [], LIMIT);
  for (let each = 0; each < 3; each++) t.equal((await client.get('/api/v1/farms')).status, 200);
  const refused = await client.get('/api/v1/farms', { 'x-request-id': 'fourth' });
  t.equal(refused.headers['retry-after'], '1');
  t.same(refused.body, {
    type: 'about:blank',
    title: 'Too Many Requests',
    status: 429,
    detail: 'more than 2 requests per second from one address; retry in 1 s',
    instance: 'fourth',
  });
  t.equal(refused.headers['x-api-version'], '1');
  const others: [string, string][] = [
    ['GET', '/api/v1/nowhere'],
    ['DELETE', '/api/v1/farms'],
    ['OPTIONS', '/api/v1/farms'],
    ['HEAD', '/api/v1/openapi.yaml'],
    ['POST', '/api/v1/farms'],
  ];
  for (const [method, path] of others) {
    const answer = await client.send(method, path);
    t.equal(answer.status, 429, `${method} ${path}`);
    t.equal(answer.headers['retry-after'], '1');
  }
  t.same(api.asked, []);
  for (const path of ['/healthz', '/readyz', '/metrics', '/nowhere', '/api/v2/farms']) {
    for (let each = 0; each < 5; each++) t.not((await client.get(path)).status, 429, path);
  }
  api.steadyNow = 499.9;
  t.equal((await client.get('/api/v1/farms')).status, 429);
  api.steadyNow = 500;
  t.equal((await client.get('/api/v1/farms')).status, 200);
  t.equal((await client.get('/api/v1/farms')).status, 429);
});

void test('X-Forwarded-For of an untrusted client is ignored', async (t) => {
  const { client } = await startApi(t, [], { limit: { rps: 1, burst: 1 }, trustProxy: false });
  t.equal((await client.get('/api/v1/farms', { 'x-forwarded-for': '192.0.2.1' })).status, 200);
  t.equal((await client.get('/api/v1/farms', { 'x-forwarded-for': '192.0.2.2' })).status, 429);
});

void test('behind a trusted proxy each of its clients has a bucket', async (t) => {
  const { client } = await startApi(t, [], { limit: { rps: 1, burst: 1 }, trustProxy: true });
  const statusFor = async (forwarded: string): Promise<number> =>
    (await client.get('/api/v1/farms', { 'x-forwarded-for': forwarded })).status;
  t.equal(await statusFor('192.0.2.1'), 200);
  t.equal(await statusFor('192.0.2.2'), 200);
  t.equal(await statusFor('192.0.2.3, 192.0.2.1'), 429, 'the entry from the client is ignored');
  t.equal(await statusFor('2001:db8::1'), 200);
  t.equal(await statusFor('2001:db8::2'), 429, 'another address of the same /64');
});

void test('Retry-After of a slow bucket exceeds one second', async (t) => {
  const { api, client } = await startApi(t, [], { limit: { rps: 1, burst: 1 }, trustProxy: false });
  api.steadyNow = 10_000;
  t.equal((await client.get('/api/v1/farms')).status, 200);
  api.steadyNow = 10_001;
  t.equal((await client.get('/api/v1/farms')).headers['retry-after'], '1', '999 ms, rounded up');
});

void test('without a limit no request is rejected', async (t) => {
  const { client } = await startApi(t);
  for (let each = 0; each < 100; each++) t.equal((await client.get('/api/v1/farms')).status, 200);
});
