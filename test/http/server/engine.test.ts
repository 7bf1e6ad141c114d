import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'tap';
import { HEAD_MS, LATE_HEAD } from '../../../http/server/engine.ts';
import { done } from '../../../src/core/problems.ts';
import { startApi } from '../kit/api-fixture.ts';
import { testEngine } from '../../kit/http-engine.ts';
import { farmRecord } from '../kit/records.ts';

const isNode = (): boolean => testEngine().name === 'node';

const CHUNKED =
  'POST /api/v1/farms HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n';
const SECOND = 'GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n';
const count = (reply: string): number => reply.split('HTTP/1.1 ').length - 1;

void test('a connection ends with the response to a chunked body, so that its framing hides no request', async (t) => {
  const { api, client } = await startApi(t);
  api.answer = () => done(farmRecord());
  const bodies = [
    'c\n{"name":"x"}\n0\n\n',
    'c\r\n{"name":"x"}\n0\r\n\r\n',
    'c\n{"name":"x"}\r\n0\r\n\r\n',
    'c\r\n{"name":"x"}\r\n0\n\r\n',
  ];
  for (const body of bodies) {
    const alone = await client.raw(CHUNKED + body);
    t.equal(count(alone), 1, body);
    t.match(alone, /connection: close/i, body);
    t.ok(count(await client.raw(CHUNKED + body + SECOND)) <= 1, `${body}: no second response`);
  }
  const valid = await client.raw(`${CHUNKED}c\r\n{"name":"x"}\r\n0\r\n\r\n`);
  t.match(valid, /connection: close/i);
  t.same(api.logged, []);
});

void test('no response names the engine in a header', async (t) => {
  const { client } = await startApi(t);
  for (const path of ['/healthz', '/api/v1/farms', '/nowhere', '/metrics']) {
    t.notOk('uwebsockets' in (await client.get(path)).headers, path);
    t.notOk('server' in (await client.get(path)).headers, path);
  }
});

/** Malformed heads, with what node:http says; uWebSockets.js takes all of them for incomplete ones. */
const MALFORMED: readonly (readonly [name: string, bytes: string, ofNode: string])[] = [
  ['no request line', 'garbage\r\n\r\n', 'the head of the request is malformed'],
  ['no version', 'GET /healthz\r\nHost: a\r\n\r\n', 'the head of the request is malformed'],
  ['no host', 'GET /healthz HTTP/1.1\r\n\r\n', 'the Host header is missing'],
  [
    'a blank before a colon',
    'GET /healthz HTTP/1.1\r\nHost : a\r\n\r\n',
    'the head of the request is malformed',
  ],
  [
    'a header without a colon',
    'GET /healthz HTTP/1.1\r\nHost: a\r\nX\r\n\r\n',
    'the head of the request is malformed',
  ],
  [
    'a folded header',
    'GET /healthz HTTP/1.1\r\nHost: a\r\nX: a\r\n b\r\n\r\n',
    'the head of the request is malformed',
  ],
  [
    'a control character',
    'GET /healthz HTTP/1.1\r\nHost: a\r\nX: a\0b\r\n\r\n',
    'the head of the request is malformed',
  ],
  [
    'a line that ends with LF',
    'GET /healthz HTTP/1.1\r\nHost: a\n\r\n',
    'the head of the request is malformed',
  ],
  ['nothing', '', LATE_HEAD.detail],
];

void test('a malformed request head gets 400 and closes the connection', async (t) => {
  const { api, client } = await startApi(t);
  t.ok(HEAD_MS < 8_000, 'before uWebSockets.js closes the connection without a response');
  const replies = await Promise.all(MALFORMED.map(([, bytes]) => client.raw(bytes)));
  for (const [index, [name, , ofNode]] of MALFORMED.entries()) {
    const reply = replies[index] ?? '';
    t.match(reply, /^HTTP\/1\.1 400 Bad Request\r\n/, name);
    t.match(reply, /content-type: application\/problem\+json/i, name);
    t.match(reply, isNode() ? ofNode : LATE_HEAD.detail, name);
  }
  t.same(api.logged, []);
});

void test('connections that end or send a request are not refused', async (t) => {
  const { client } = await startApi(t);
  for (let round = 0; round < 50; round++) {
    const silent = connect(client.port, '127.0.0.1');
    await once(silent, 'connect');
    if (round % 2 === 0) silent.resetAndDestroy();
    else silent.destroy();
    await once(silent, 'close');
  }
  const before = connect(client.port, '127.0.0.1');
  t.teardown(() => before.destroy());
  await once(before, 'connect');
  t.equal((await client.get('/healthz')).status, 200);
  let received = '';
  before.on('data', (data) => {
    received += String(data);
  });
  const refused = await client.raw('');
  t.match(refused, /^HTTP\/1\.1 400 /);
  if (isNode())
    t.match(received, /^HTTP\/1\.1 400 /, 'node:http knows on which connection a request arrives');
  else t.equal(received, '', 'a connection that may have sent the request of its address stays');
});

void test('a request that asks for another protocol is answered without it', async (t) => {
  const { api, client } = await startApi(t);
  api.answer = () => done(farmRecord());
  const body = '{"name":"x"}';
  const upgrade = 'Connection: Upgrade\r\nUpgrade: h2c\r\n';
  const get = `GET /healthz HTTP/1.1\r\nHost: a\r\n${upgrade}\r\n`;
  const post = `POST /api/v1/farms HTTP/1.1\r\nHost: a\r\n${upgrade}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const last = 'GET /nowhere HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';
  const reply = await client.raw(get + last);
  t.match(reply, /^HTTP\/1\.1 200 OK[^]*HTTP\/1\.1 404 Not Found/, 'the connection remains usable');
  const created = await client.raw(post);
  t.match(created, /^HTTP\/1\.1 201 Created/, 'and its body is read');
  t.same(api.logged, []);
});

void test('a client that waits for the permission to send its body gets it', async (t) => {
  const { client } = await startApi(t);
  const head =
    'POST /api/v1/farms HTTP/1.1\r\nHost: a\r\nConnection: close\r\nExpect: 100-continue\r\nContent-Type: text/html\r\nContent-Length: 0\r\n\r\n';
  t.match(await client.raw(head), /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 415 /);
});
