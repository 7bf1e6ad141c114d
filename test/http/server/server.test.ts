import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { test } from 'tap';
import { startFront } from '../../../http/front.ts';
import { done } from '../../../src/core/problems.ts';
import { put } from '../../../src/core/records/change-set.ts';
import { keys } from '../../../src/core/records/tables.ts';
import { ApiFixture, BROWSER_OPTIONS, NO_RATE_LIMIT, wideLimits, startApi } from '../kit/api-fixture.ts';
import { testEngine } from '../../kit/http-engine.ts';
import { FARM, farmRecord, jobRecord, QUEUE, queueRecord } from '../kit/records.ts';

const MAX_TEMPLATE_BYTES = 16 * 1024 * 1024;
const SUBMIT = `/api/v1/jobs?farm_id=${FARM}&queue_id=${QUEUE}`;

function furnish(fixture: ApiFixture): void {
  fixture.write(put('farm', keys.farm(FARM), farmRecord()), put('queue', keys.queue(QUEUE), queueRecord()));
  fixture.answer = () => done(jobRecord());
}

const statusOf = (reply: string): number => Number(reply.split(' ')[1] ?? 0);
const count = (reply: string): number => reply.split('HTTP/1.1 ').length - 1;

/** Where the parser of node:http refuses a head before the service sees it, with another reason. */
const OF_NODE: ReadonlyMap<string, string> = new Map([['two codings', 'Transfer-Encoding is not chunked']]);

void test('rejects ambiguous framing and closes the connection', async (t) => {
  const { api, client } = await startApi(t);
  const smuggled =
    'POST /api/v1/farms HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 12\r\n\r\n{"name":"x"}';
  const head = (lines: string): string => `POST /api/v1/farms HTTP/1.1\r\n${lines}\r\n`;
  const cases: [string, string, string][] = [
    [
      'two lengths',
      head('Host: a\r\nContent-Length: 0\r\nContent-Length: 5\r\n'),
      'more than one Content-Length header',
    ],
    [
      'two equal lengths',
      head('Host: a\r\nContent-Length: 0\r\nContent-Length: 0\r\n'),
      'more than one Content-Length header',
    ],
    ['two hosts', head('Host: a\r\nHost: b\r\nContent-Length: 0\r\n'), 'more than one Host header'],
    [
      'two codings',
      `${head('Host: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: gzip\r\n')}0\r\n\r\n`,
      'more than one Transfer-Encoding header',
    ],
    [
      'another coding',
      `${head('Host: a\r\nTransfer-Encoding: xchunked\r\n')}0\r\n\r\n`,
      'Transfer-Encoding is not chunked',
    ],
    ['an empty length', head('Host: a\r\nContent-Length: \r\n'), 'Content-Length is not a number'],
  ];
  for (const [name, bytes, detail] of cases) {
    const reply = await client.raw(bytes);
    t.equal(statusOf(reply), 400, name);
    t.match(reply, testEngine().name === 'node' ? (OF_NODE.get(name) ?? detail) : detail, name);
    t.match(reply, /content-type: application\/problem\+json/i, name);
    t.match(reply, /connection: close/i, name);
    const withSecond = await client.raw(bytes + smuggled);
    t.ok(count(withSecond) <= 1, `${name}: a pipelined request after it is not answered`);
  }
  // The engine rejects these itself, with its own message.
  const byEngine = [
    head('Host: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n'),
    head('Host: a\r\nTransfer-Encoding: gzip\r\n'),
    head('Host: a\r\nContent-Length: -1\r\n'),
    head('Host: a\r\nContent-Length: +5\r\n'),
    head('Host: a\r\nContent-Length: 0x5\r\n'),
    head('Host: a\r\nContent-Length: 99999999999999999999\r\n'),
    `${head('Host: a\r\nTransfer-Encoding: chunked\r\n')}5;x=y\r\nhello\r\n0\r\n\r\n`,
  ];
  for (const bytes of byEngine) {
    const reply = await client.raw(bytes + smuggled);
    t.equal(count(reply), 1, bytes);
    t.ok(statusOf(reply) === 400 || statusOf(reply) === 415, `${bytes} gives ${reply.slice(0, 30)}`);
  }
  t.same(api.asked, [], 'no smuggled request reaches a handler');
});

void test('oversized, outdated or broken request headers do not reach a handler', async (t) => {
  const { api, client } = await startApi(t);
  const get = (rest: string): string =>
    `GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${rest}\r\n`;
  t.equal(
    statusOf(await client.raw(get(`X-A: ${'a'.repeat(60_000)}\r\n`))),
    200,
    '60 kB of headers are fine',
  );
  t.equal(statusOf(await client.raw(get(`X-A: ${'a'.repeat(70_000)}\r\n`))), 431);
  t.equal(statusOf(await client.raw(get('X-A: 1\r\n'.repeat(120)))), 431);
  t.equal(statusOf(await client.raw('GET /healthz HTTP/1.0\r\nHost: a\r\n\r\n')), 505);
  t.equal(statusOf(await client.raw('GET http://evil/healthz HTTP/1.1\r\nHost: a\r\n\r\n')), 505);
  t.same(api.logged, []);
});

void test('a body over 16 MiB gets 413, declared or not, and the service continues', async (t) => {
  const { api, client } = await startApi(t);
  furnish(api);
  const body = Buffer.alloc(20 * 1024 * 1024, 'a');
  const declared = { 'content-type': 'application/yaml', 'content-length': body.length };
  const chunked = { 'content-type': 'application/yaml', 'transfer-encoding': 'chunked' };
  for (const headers of [declared, chunked]) {
    t.match(await client.send('POST', SUBMIT, { headers, body }), {
      status: 413,
      body: { title: 'Content Too Large', detail: `the request body exceeds ${MAX_TEMPLATE_BYTES} bytes` },
    });
  }
  t.same(api.prepared, []);
  const fitting = body.subarray(0, MAX_TEMPLATE_BYTES);
  const headers = { 'content-type': 'application/yaml', 'transfer-encoding': 'chunked' };
  t.equal((await client.send('POST', SUBMIT, { headers, body: fitting })).status, 201);
  t.equal(api.prepared[0]?.text.length, MAX_TEMPLATE_BYTES);
});

void test('a client that disconnects while sending leaks nothing', async (t) => {
  const { api, client } = await startApi(t);
  furnish(api);
  for (const head of ['Content-Length: 1000', 'Transfer-Encoding: chunked']) {
    const socket = connect(client.port, '127.0.0.1');
    await once(socket, 'connect');
    const part = head.startsWith('C') ? 'name: ' : '6\r\nname: \r\n';
    socket.write(`POST ${SUBMIT} HTTP/1.1\r\nHost: a\r\nContent-Type: text/yaml\r\n${head}\r\n\r\n${part}`);
    // The engine answers in order, so a later answer shows that the first bytes were received.
    t.equal((await client.get('/healthz')).status, 200);
    socket.resetAndDestroy();
    await once(socket, 'close');
    t.equal((await client.get('/healthz')).status, 200);
  }
  t.same(api.prepared, []);
  t.same(api.asked, []);
  t.same(api.logged, []);
});

void test('a client that disconnects while an actor works leaks nothing', async (t) => {
  const { api, client } = await startApi(t);
  furnish(api);
  const answers: (() => void)[] = [];
  api.answer = () =>
    new Promise((resolve) => {
      answers.push(() => {
        resolve(done(jobRecord()));
      });
    });
  const socket = connect(client.port, '127.0.0.1');
  await once(socket, 'connect');
  socket.write(
    `POST ${SUBMIT} HTTP/1.1\r\nHost: a\r\nContent-Type: text/yaml\r\nContent-Length: 2\r\n\r\na:`,
  );
  await api.until(() => answers.length === 1);
  socket.resetAndDestroy();
  await once(socket, 'close');
  t.equal((await client.get('/healthz')).status, 200);
  answers[0]?.();
  t.equal((await client.get('/healthz')).status, 200);
  t.same(api.logged, []);
});

void test('HEAD has the headers of GET and no body', async (t) => {
  const { api, client } = await startApi(t);
  api.write(put('farm', keys.farm(FARM), farmRecord()));
  for (const path of [
    '/healthz',
    '/api/v1/farms',
    `/api/v1/farms/${FARM}`,
    '/api/v1/openapi.yaml',
    '/metrics',
    '/nowhere',
  ]) {
    const get = await client.get(path);
    const head = await client.send('HEAD', path);
    t.equal(head.status, get.status, path);
    t.equal(head.text, '', path);
    t.equal(head.headers['content-length'], String(Buffer.byteLength(get.text)), path);
    t.equal(head.headers['content-type'], get.headers['content-type'], path);
  }
  const two =
    'HEAD /healthz HTTP/1.1\r\nHost: a\r\n\r\n' +
    'GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';
  t.equal(count(await client.raw(two)), 2, 'the connection remains usable');
});

void test('answers unknown paths, wrong methods and OPTIONS', async (t) => {
  const { api, client } = await startApi(t);
  const unknown = [
    '/',
    '/api/v1',
    '/api/v2/farms',
    '/api/v1/farms//',
    '//healthz',
    '/api/v1/pools',
    '/API/V1/farms',
    '/api/v1/farms/a/b',
    '/debug/pprof/',
  ];
  for (const path of unknown) t.equal((await client.get(path)).status, 404, path);
  for (const path of ['/api/v1/jobs/x/pause', '/api/v1/auth/sign-in', '/api/v1/tasks/x/pause']) {
    t.equal((await client.send('POST', path)).status, 404, path);
  }
  const wrong: [string, string, string][] = [
    ['PATCH', '/api/v1/workers/x', 'GET, HEAD, DELETE, OPTIONS'],
    ['PUT', '/api/v1/jobs/x', 'GET, HEAD, DELETE, PATCH, OPTIONS'],
    ['GET', '/api/v1/jobs/x/cancel', 'POST, OPTIONS'],
    ['HEAD', '/api/v1/jobs/x/cancel', 'POST, OPTIONS'],
    ['POST', '/healthz', 'GET, HEAD, OPTIONS'],
    ['DELETE', '/api/v1/farms', 'GET, HEAD, POST, OPTIONS'],
    ['PURGE', '/api/v1/farms/x', 'GET, HEAD, PUT, DELETE, OPTIONS'],
  ];
  for (const [method, path, allow] of wrong) {
    const answer = await client.send(method, path);
    t.equal(answer.status, 405, `${method} ${path}`);
    t.equal(answer.headers['allow'], allow, `${method} ${path}`);
  }
  const options = await client.send('OPTIONS', '/api/v1/farms/x');
  t.match(options, { status: 204, text: '' });
  t.match(options.headers, {
    allow: 'GET, HEAD, PUT, DELETE, OPTIONS',
    'access-control-allow-origin': '*',
    'access-control-allow-methods': 'GET, HEAD, PUT, DELETE, OPTIONS',
    'access-control-allow-headers':
      'Accept, Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, X-Request-ID',
  });
  t.equal((await client.send('OPTIONS', '/api/nowhere')).status, 404);
  t.same(api.asked, []);
});

void test('allows the configured origins', async (t) => {
  const open = await startApi(t, ['*']);
  t.equal(
    (await open.client.get('/healthz', { origin: 'https://any' })).headers['access-control-allow-origin'],
    '*',
  );
  const { client } = await startApi(t, ['https://farm.example', 'http://localhost:3000']);
  const named = await client.get('/healthz', { origin: 'https://farm.example' });
  t.equal(named.headers['access-control-allow-origin'], 'https://farm.example');
  t.equal(named.headers['vary'], 'Accept-Encoding, Origin');
  for (const origin of [
    'https://evil.example',
    'https://farm.example.evil',
    'null',
    'HTTPS://farm.example',
  ]) {
    const other = await client.get('/healthz', { origin });
    t.notOk('access-control-allow-origin' in other.headers, origin);
    t.equal(other.headers['vary'], 'Accept-Encoding, Origin');
    const preflight = await client.send('OPTIONS', '/api/v1/jobs', { headers: { origin } });
    t.notOk('access-control-allow-methods' in preflight.headers, origin);
  }
});

void test('accepts a safe request id of the client', async (t) => {
  const { client } = await startApi(t);
  const idFor = async (given: string | string[]): Promise<string | undefined> =>
    (await client.get('/healthz', { 'x-request-id': given })).headers['x-request-id'];
  t.equal(await idFor('Trace_1.2-3'), 'Trace_1.2-3');
  t.equal(await idFor('x'.repeat(128)), 'x'.repeat(128));
  for (const given of ['x'.repeat(129), 'a b', 'a"b', '', ['a', 'b']]) {
    t.match(await idFor(given), /^00000000-0000-7000-8000-/, String(given));
  }
});

void test('every API response has the version and the request id, and a problem contains the id', async (t) => {
  const { api, client } = await startApi(t, [], { limit: { rps: 1, burst: 8 }, trustProxy: false });
  const cases: [number, string, string, Record<string, string>, string?][] = [
    [200, 'GET', '/api/v1/farms', {}],
    [204, 'OPTIONS', '/api/v1/farms', {}],
    [304, 'GET', '/api/v1/farms', { 'if-none-match': '*' }],
    [400, 'GET', '/api/v1/jobs?limit=0', {}],
    [404, 'GET', '/api/v1', {}],
    [405, 'DELETE', '/api/v1/farms', {}],
    [413, 'POST', '/api/v1/farms', { 'content-type': 'application/json' }, 'x'.repeat(65_537)],
    [415, 'POST', '/api/v1/farms', { 'content-type': 'text/html' }, '{}'],
    [429, 'GET', '/api/v1/farms', {}],
  ];
  for (const [status, method, path, headers, body] of cases) {
    const id = `test-${status}`;
    const sent = { headers: { ...headers, 'x-request-id': id }, ...(body !== undefined && { body }) };
    const answer = await client.send(method, path, sent);
    t.equal(answer.status, status, `${method} ${path}`);
    t.match(answer.headers, { 'x-request-id': id, 'x-api-version': '1' }, String(status));
    if (status < 400) continue;
    t.equal(answer.headers['content-type'], 'application/problem+json');
    t.match(answer.body, { type: 'about:blank', status, instance: id });
  }
  const broken = await client.raw('GET /api/v1/farms HTTP/1.1\r\nX-Request-ID: test-raw\r\n\r\n');
  t.equal(statusOf(broken), 400);
  t.same(api.asked, []);
  for (const path of ['/healthz', '/nowhere', '/api/v10/farms', '/api/v2/farms']) {
    t.notOk('x-api-version' in (await client.get(path)).headers, path);
  }
});

void test('every response has the security headers', async (t) => {
  const { client } = await startApi(t);
  for (const path of ['/healthz', '/api/v1/farms', '/nowhere']) {
    t.match((await client.get(path)).headers, {
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'referrer-policy': 'no-referrer',
      'cache-control': path === '/api/v1/farms' ? 'private, no-cache' : 'no-store',
    });
  }
});

void test('answers requests in one segment in order', async (t) => {
  const { client } = await startApi(t);
  const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;
  const reply = await client.raw(
    get('/healthz') + get('/nowhere') + `GET /api/v1/farms HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
  );
  t.match(reply, /200 OK[^]*404 Not Found[^]*200 OK/);
});

void test('an address in use is an error', async (t) => {
  const { server } = await startApi(t);
  const second = startFront(
    {
      host: '127.0.0.1',
      port: server.port,
      engine: testEngine(),
      ...BROWSER_OPTIONS,
      profiler: null,
      pprofAddress: null,
      pages: null,
      accessLog: null,
      rateLimit: NO_RATE_LIMIT,
      ...wideLimits(),
    },
    new ApiFixture().ports(),
  );
  await t.rejects(second, {
    message: `cannot listen on 127.0.0.1:${server.port}: address in use or not assigned to this machine`,
  });
  await t.rejects(
    startFront(
      {
        host: '192.0.2.1',
        port: 0,
        engine: testEngine(),
        ...BROWSER_OPTIONS,
        profiler: null,
        pprofAddress: null,
        pages: null,
        accessLog: null,
        rateLimit: NO_RATE_LIMIT,
        ...wideLimits(),
      },
      new ApiFixture().ports(),
    ),
    /cannot listen/,
  );
});

/** Starts a submission that waits for an actor, and returns its completion. */
async function begin(
  fixture: ApiFixture,
  port: number,
): Promise<{ socket: Socket; reply: Promise<string>; finish(): void }> {
  let finish = (): void => undefined;
  fixture.answer = () =>
    new Promise((resolve) => {
      finish = () => {
        resolve(done(jobRecord()));
      };
    });
  const socket = connect(port, '127.0.0.1');
  let received = '';
  socket.on('data', (data) => {
    received += String(data);
  });
  socket.on('error', () => undefined);
  const reply = once(socket, 'close').then(() => received);
  socket.write(
    `POST ${SUBMIT} HTTP/1.1\r\nHost: a\r\nContent-Type: text/yaml\r\nContent-Length: 2\r\n\r\na:`,
  );
  await fixture.until(() => fixture.asked.length === 1);
  return {
    socket,
    reply,
    finish: () => {
      finish();
    },
  };
}

void test('a stop waits for running requests and accepts no connection', async (t) => {
  const { api, client, server } = await startApi(t);
  furnish(api);
  const running = await begin(api, client.port);
  const kept = connect(client.port, '127.0.0.1');
  t.teardown(() => kept.destroy());
  let answers = '';
  kept.on('data', (data) => {
    answers += String(data);
  });
  kept.write('GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n');
  await once(kept, 'data');
  const stopped = server.stop(60_000);
  await t.rejects(once(connect(client.port, '127.0.0.1'), 'connect'), { code: 'ECONNREFUSED' });
  kept.write('GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n');
  await once(kept, 'close');
  t.match(answers, /^HTTP\/1\.1 200 [^]*HTTP\/1\.1 200 [^]*svc_up 1/, 'open connections are still served');
  running.finish();
  await stopped;
  const reply = await running.reply;
  t.equal(statusOf(reply), 201);
  t.match(reply, /connection: close/i);
  await server.stop(0);
});

void test('a stop closes connections that do not end in time', async (t) => {
  const { api, client, server } = await startApi(t);
  furnish(api);
  const running = await begin(api, client.port);
  await server.stop(1);
  t.equal(await running.reply, '');
  running.finish();
  t.same(api.logged, []);
});
