import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { test } from 'tap';
import { BodyBudget } from '../../../http/guards/body-budget.ts';
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

type StartWith = (
  t: Parameters<typeof startApi>[0],
  perClient: number,
  total: number,
) => Promise<StartedApi & { readonly bodies: BodyBudget }>;

const startWith: StartWith = async (t, perClient, total) => {
  const bodies = new BodyBudget({ perClient, total });
  const limits = { bodies, connectionsPerClient: 1 };
  const started = await startApi(t, [], { ...NO_RATE_LIMIT, trustProxy: true }, null, null, limits);
  furnish(started.api);
  return { ...started, bodies };
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

/** Waits until the memory of all bodies fits: the server reads what was sent, and drops what has ended, in later turns. */
async function untilHeld(bodies: BodyBudget, fits: (bytes: number) => boolean): Promise<number> {
  while (!fits(bodies.total)) await setImmediate();
  return bodies.total;
}

void test('bodies that do not end take a limited amount of memory from each client and from all', async (t) => {
  const { client, bodies } = await startWith(t, 4 * MIB, 9 * MIB);
  const size = 3 * MIB;
  const headers = (address: string): object => ({ ...YAML_BODY, 'x-forwarded-for': address });
  const submit = (address: string): ReturnType<typeof client.send> =>
    client.send('POST', SUBMIT, { headers: { ...headers(address) }, body: 'a'.repeat(size) });
  const send = async (address: string): Promise<string> => replyOf(await endless(client.port, address, size));

  const first = await endless(client.port, '192.0.2.1', size);
  t.teardown(() => first.destroy());
  const held = await untilHeld(bodies, (bytes) => bytes >= size);
  const second = await send('192.0.2.1');
  t.match(second, /^HTTP\/1\.1 429 [^]*Retry-After: 1\r\n[^]*Connection: close/i);
  t.match(second, 'http.body_bytes_per_client');

  t.equal((await submit('192.0.2.2')).status, 201, 'another client has its own share');
  await untilHeld(bodies, (bytes) => bytes === held);
  const other = await endless(client.port, '192.0.2.2', size);
  await untilHeld(bodies, (bytes) => bytes >= held + size);
  const third = await send('192.0.2.3');
  t.match(third, /^HTTP\/1\.1 503 [^]*Retry-After: 1\r\n/i);
  t.match(third, '(http.body_bytes)');

  other.destroy();
  await untilHeld(bodies, (bytes) => bytes === held);
  t.equal((await submit('192.0.2.3')).status, 201, 'a connection that ends gives its bytes back');
  await untilHeld(bodies, (bytes) => bytes === held);
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
