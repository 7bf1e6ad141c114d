import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { test } from 'tap';
import { MAX_MEMBERS } from '../../../http/pipeline/body.ts';
import { put } from '../../../src/core/records/change-set.ts';
import { done } from '../../../src/core/problems.ts';
import { keys } from '../../../src/core/records/tables.ts';
import { type ApiFixture, NO_RATE_LIMIT, startApi, type StartedApi } from '../kit/api-fixture.ts';
import { FARM, farmRecord, jobRecord, QUEUE, queueRecord } from '../kit/records.ts';

const SUBMIT = `/api/v1/jobs?farm_id=${FARM}&queue_id=${QUEUE}`;
const KIB = 1024;
const MIB = 1024 * KIB;
const JSON_BODY = { 'content-type': 'application/json' };
const YAML_BODY = { 'content-type': 'application/yaml' };

function furnish(fixture: ApiFixture): void {
  fixture.write(put('farm', keys.farm(FARM), farmRecord()), put('queue', keys.queue(QUEUE), queueRecord()));
  fixture.answer = () => done(jobRecord());
}

type StartWith = (t: Parameters<typeof startApi>[0], bodies: number, total: number) => Promise<StartedApi>;

const startWith: StartWith = async (t, perClient, total) => {
  const limits = { bodies: { perClient, total }, connectionsPerClient: 1 };
  const started = await startApi(t, [], { ...NO_RATE_LIMIT, trustProxy: true }, null, null, limits);
  furnish(started.api);
  return started;
};

void test('each operation has its limit for the body', async (t) => {
  const { api, client } = await startApi(t);
  furnish(api);
  const cases: [string, string, number][] = [
    ['POST', '/api/v1/farms', 64 * KIB],
    ['PUT', `/api/v1/farms/${FARM}`, 64 * KIB],
    ['POST', '/api/v1/queues', 64 * KIB],
    ['POST', '/api/v1/storage-locations', 64 * KIB],
    ['POST', '/api/v1/compute-locations', 64 * KIB],
    ['POST', '/api/v1/usage-pools', 64 * KIB],
    ['PATCH', '/api/v1/jobs/x', 64 * KIB],
    ['POST', '/api/v1/jobs/x/retry', 64 * KIB],
    ['POST', '/api/v1/jobs/bulk', MIB],
    ['POST', '/api/v1/tasks/bulk', MIB],
    ['POST', '/api/v1/workers/bulk', MIB],
  ];
  for (const [method, path, limit] of cases) {
    const over = await client.send(method, path, { headers: JSON_BODY, body: ' '.repeat(limit + 1) });
    t.match(
      over,
      { status: 413, body: { detail: `the request body exceeds ${limit} bytes` } },
      `${method} ${path}`,
    );
    const fitting = await client.send(method, path, { headers: JSON_BODY, body: ' '.repeat(limit) });
    t.match(fitting, { status: 400, body: { detail: /not valid JSON/ } }, `${method} ${path}`);
  }
  t.same(api.asked, []);
});

void test('members are counted before a body is parsed', async (t) => {
  const { client } = await startApi(t);
  const list = (ids: number): string => `{"action":"pause","ids":[${Array(ids).fill('"a,[{"').join(',')}]}`;
  const bulk = (body: string): ReturnType<typeof client.send> =>
    client.send('POST', '/api/v1/jobs/bulk', { headers: JSON_BODY, body });
  t.match(await bulk(list(MAX_MEMBERS)), {
    status: 400,
    body: { detail: `the body is larger than ${MAX_MEMBERS} members and elements` },
  });
  t.match(await bulk(`{"a":${'['.repeat(60)}${']'.repeat(60)}${',"b":1'.repeat(MAX_MEMBERS)}}`), {
    status: 400,
    body: { detail: /larger than/ },
  });
  t.match(await bulk(list(MAX_MEMBERS - 3)), { status: 400, body: { detail: /^\/ids: / } });
});

/** Opens a submission with a body that does not end, and sends bytes of it. */
async function endless(port: number, address: string, bytes: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.write(
    `POST ${SUBMIT} HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: ${address}\r\nContent-Type: text/yaml\r\nTransfer-Encoding: chunked\r\n\r\n`,
  );
  socket.write(`${bytes.toString(16)}\r\n${'a'.repeat(bytes)}\r\n`);
  return socket;
}

/** Ends the body and returns the reply to it. */
async function replyOf(socket: Socket): Promise<string> {
  socket.write('0\r\n\r\n');
  socket.setEncoding('latin1');
  let text = '';
  socket.on('data', (data) => {
    text += String(data);
  });
  await once(socket, 'close');
  return text;
}

/** Repeats a request until the server has read, or dropped, what others have sent before it: then its status changes. */
async function untilStatus<Reply>(
  request: () => Promise<Reply>,
  statusOf: (reply: Reply) => number,
  status: number,
): Promise<Reply> {
  for (;;) {
    const reply = await request();
    if (statusOf(reply) === status) return reply;
  }
}

void test('bodies that do not end take a limited amount of memory from each client and from all', async (t) => {
  const { client } = await startWith(t, 4 * MIB, 9 * MIB);
  const body = 'a'.repeat(3 * MIB);
  const from = (address: string): object => ({ ...YAML_BODY, 'x-forwarded-for': address });
  const submit = (address: string): ReturnType<typeof client.send> =>
    client.send('POST', SUBMIT, { headers: { ...from(address) }, body });

  const first = await endless(client.port, '192.0.2.1', 3 * MIB);
  t.teardown(() => first.destroy());
  const refused = (address: string, status: number): Promise<string> =>
    untilStatus(
      async () => replyOf(await endless(client.port, address, 3 * MIB)),
      (reply) => Number(reply.split(' ')[1]),
      status,
    );
  const second = await refused('192.0.2.1', 429);
  t.match(second, /^HTTP\/1\.1 429 [^]*Retry-After: 1\r\n[^]*Connection: close/i);
  t.match(second, 'http.body_bytes_per_client');

  t.equal((await submit('192.0.2.2')).status, 201, 'another client has its own share');
  const other = await endless(client.port, '192.0.2.2', 3 * MIB);
  const third = await refused('192.0.2.3', 503);
  t.match(third, /^HTTP\/1\.1 503 [^]*Retry-After: 1\r\n/i);
  t.match(third, '(http.body_bytes)');

  other.destroy();
  await once(other, 'close');
  await untilStatus(
    () => submit('192.0.2.3'),
    ({ status }) => status,
    201,
  );
  t.pass('a connection that ends gives its bytes back');
  t.equal((await submit('192.0.2.3')).status, 201, 'and so does a request that ends');
});

void test('chunks of one byte take no more memory than their bytes', async (t) => {
  const { api, client } = await startWith(t, MIB, MIB);
  const text = 'name: x';
  const chunks = [...text].map((character) => `1\r\n${character}\r\n`).join('');
  const reply = await client.raw(
    `POST ${SUBMIT} HTTP/1.1\r\nHost: a\r\nContent-Type: text/yaml\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`,
  );
  t.match(reply, /^HTTP\/1\.1 201 /);
  t.equal(api.prepared[0]?.text, text);
});
