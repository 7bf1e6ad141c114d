import { test, type Test } from 'tap';
import { attemptIdOf } from '../../../src/core/ids.ts';
import { note } from '../../../src/core/diagnostics/record.ts';
import type { LogChunk } from '../../../src/core/records/log-chunk.ts';
import type { DomainEvent } from '../../../src/core/wire/events.ts';
import { refusedUpgrade, upgradeHead, WebSocketClient, type Envelope } from '../../kit/web-socket.ts';
import { startApi, type ApiFixture, NO_RATE_LIMIT } from '../kit/api-fixture.ts';
import {
  FARM,
  FRAMES,
  jobChanges,
  jobNumber,
  QUEUE,
  T0,
  taskIdAt,
  WORKER,
  type StepSketch,
} from '../kit/records.ts';

const JOB = jobNumber(1);
/** Replay depth of the fixture. */
const DEPTH = 20;
/** Numbers start after this one. */
const START = T0 * 1000;

const jobEvent = (number: number, name = 'a job'): DomainEvent => ({
  subject: 'jobs',
  payload: {
    job_id: jobNumber(number),
    name,
    owner: 'anonymous',
    queue_id: QUEUE,
    status: 'running',
    updated_at: '2026-11-20T10:00:00.000Z',
  },
});

const jobPush = (seq: number, number: number, name = 'a job'): Envelope => ({
  type: 'push',
  subject: 'jobs',
  seq: START + seq,
  payload: {
    job_id: jobNumber(number),
    task_id: '',
    name,
    owner: 'anonymous',
    queue_id: QUEUE,
    status: 'running',
    updated_at: '2026-11-20T10:00:00.000Z',
  },
});

const ack = (subject: string, seq: number, clientSeq = 1, error = ''): Envelope => ({
  type: 'ack',
  subject,
  seq,
  payload: { client_seq: clientSeq, error },
});

const gap = (subject: string, seq: number): Envelope => ({
  type: 'error',
  subject,
  seq,
  payload: { code: 'gap', message: 'events were dropped; reload the data for this subject' },
});

const stepOf = (taskCount: number): StepSketch => ({
  name: 'render',
  untouched: 'ready',
  taskCount,
  space: FRAMES(taskCount),
  touched: new Map(),
});

interface Stage {
  readonly api: ApiFixture;
  readonly port: number;
  readonly open: (headers?: Readonly<Record<string, string>>) => Promise<WebSocketClient>;
}

async function stage(t: Test, corsOrigins: readonly string[] = []): Promise<Stage> {
  const { api, server } = await startApi(t, corsOrigins);
  const clients: WebSocketClient[] = [];
  t.teardown(() => {
    for (const client of clients) client.destroy();
  });
  const sketch = stepOf(3);
  api.write(...jobChanges({}, [sketch]));
  return {
    api,
    port: server.port,
    open: async (headers) => {
      const client = await WebSocketClient.open(server.port, headers);
      clients.push(client);
      return client;
    },
  };
}

/** Waits for a pong: everything that the client has sent before is processed. */
async function settled(client: WebSocketClient): Promise<void> {
  client.send({ type: 'ping', seq: 4711 });
  await client.nextWhere(({ type, seq }) => type === 'pong' && seq === 4711);
}

void test('the upgrade has the common headers', async (t) => {
  const { open } = await stage(t);
  const { head } = await open({ 'X-Request-ID': 'mine-1' });
  t.match(head, /^HTTP\/1\.1 101 Switching Protocols\r\n/);
  t.match(head, /X-API-Version: 1/);
  t.match(head, /X-Request-ID: mine-1/);
  t.notMatch(head, /Sec-WebSocket-(Protocol|Extensions)/i);
});

void test("sends acknowledgement, replay and live events in that order, with the contract's payload", async (t) => {
  const { api, open } = await stage(t);
  api.events.publish([jobEvent(1), jobEvent(2), jobEvent(3)]);
  const client = await open();
  client.subscribe('jobs', START + 1, 5);
  await settled(client);
  api.events.publish([jobEvent(4), jobEvent(5)]);
  await client.nextWhere(({ seq }) => seq === START + 5);
  const received = client.received.filter(({ type }) => type !== 'pong');
  t.strictSame(received, [
    ack('jobs', START + 3, 5),
    jobPush(2, 2),
    jobPush(3, 3),
    jobPush(4, 4),
    jobPush(5, 5),
  ]);
});

void test('supports since_seq for new events, all retained events and numbers of an earlier run', async (t) => {
  const { api, open } = await stage(t);
  api.events.publish([jobEvent(1), jobEvent(2)]);
  const client = await open();
  client.subscribe('jobs');
  t.strictSame(await client.take(3), [ack('jobs', START + 2), jobPush(1, 1), jobPush(2, 2)], 'absent');
  client.subscribe('jobs', 0, 2);
  t.strictSame(await client.take(3), [ack('jobs', START + 2, 2), jobPush(1, 1), jobPush(2, 2)], '0');
  client.subscribe('jobs', START + 2, 3);
  t.strictSame(await client.take(1), [ack('jobs', START + 2, 3)], 'all');
  await settled(client);
  client.subscribe('jobs', START + 3, 4);
  t.strictSame(
    await client.take(4),
    [ack('jobs', START + 2, 4), gap('jobs', START), jobPush(1, 1), jobPush(2, 2)],
    'later than the newest',
  );
  client.subscribe('jobs', START - 1000, 5);
  t.strictSame(
    await client.take(4),
    [ack('jobs', START + 2, 5), gap('jobs', START), jobPush(1, 1), jobPush(2, 2)],
    'earlier than the first',
  );
  t.equal(api.events.figures.missed, 0, 'the lost events are from an earlier run');
});

void test('a client that reconnects too late gets a gap message and the retained events', async (t) => {
  const { api, open } = await stage(t);
  for (let number = 1; number <= DEPTH + 5; number++) api.events.publish([jobEvent(number)]);
  const client = await open();
  client.subscribe('jobs', START + 3);
  t.strictSame(await client.take(2), [ack('jobs', START + DEPTH + 5), gap('jobs', START + 5)]);
  const replayed = await client.take(DEPTH);
  t.strictSame(
    replayed,
    Array.from({ length: DEPTH }, (_, index) => jobPush(index + 6, index + 6)),
  );
  t.equal(api.events.figures.missed, 2);
  t.equal(api.events.figures.pushed, DEPTH);
  const other = await open();
  other.subscribe('jobs', START + 5);
  t.strictSame(await other.take(2), [ack('jobs', START + DEPTH + 5), jobPush(6, 6)], 'just in time');
});

void test('a client can unsubscribe and subscribe again', async (t) => {
  const { api, open } = await stage(t);
  const client = await open();
  client.subscribe('jobs');
  client.subscribe('workers', undefined, 2);
  t.strictSame(await client.take(2), [ack('jobs', START), ack('workers', START, 2)]);
  client.send({ type: 'unsubscribe', subject: 'jobs', seq: 3 });
  t.strictSame(await client.next(), ack('jobs', START, 3));
  client.send({ type: 'unsubscribe', subject: 'jobs', seq: 4 });
  t.strictSame(await client.next(), ack('jobs', 0, 4), 'unsubscribing twice succeeds');
  const worker = {
    worker_id: WORKER,
    name: 'node-1',
    hostname: 'node-1.farm',
    farm_id: FARM,
    status: 'removed',
  } as const;
  api.events.publish([jobEvent(1), { subject: 'workers', payload: worker }]);
  t.strictSame(await client.next(), { type: 'push', subject: 'workers', seq: START + 1, payload: worker });
  client.subscribe('jobs', START, 5);
  t.strictSame(await client.take(2), [ack('jobs', START + 1, 5), jobPush(1, 1)]);
});

void test('publishes tasks of a job, the log of a task, and diagnostics', async (t) => {
  const { api, open } = await stage(t);
  const task = { jobId: JOB, stepOrder: 0, index: 1 };
  const taskId = taskIdAt(0, 1);
  const chunk = (busSeq: number): LogChunk => ({
    id: `chunk-${busSeq}`,
    taskId: taskIdAt(0, 1) as LogChunk['taskId'],
    attemptId: attemptIdOf({ ...task, attemptNumber: 1 }),
    seqNum: busSeq,
    busSeq,
    stream: 'stdout',
    data: `line ${busSeq}\n`,
    at: '2026-11-20T10:00:01Z',
    receivedAt: T0,
  });
  api.addChunk(task, chunk(1));
  const client = await open();
  client.subscribe(`jobs/${JOB}/tasks`, 0, 1);
  client.subscribe(`tasks/${taskId}/logs`, 0, 2);
  client.subscribe('diagnostics', 0, 3);
  t.strictSame(await client.take(3), [
    ack(`jobs/${JOB}/tasks`, START, 1),
    ack(`tasks/${taskId}/logs`, START, 2),
    ack('diagnostics', START, 3),
  ]);
  const payload = {
    job_id: JOB,
    task_id: chunk(1).taskId,
    name: 'render',
    status: 'running',
    worker_id: WORKER,
    unschedulable_reason: '',
    updated_at: '2026-11-20T10:00:00.000Z',
  } as const;
  api.events.publish([
    { subject: 'tasks', payload: { ...payload, job_id: jobNumber(2) } },
    { subject: 'tasks', payload },
  ]);
  t.strictSame(await client.next(), {
    type: 'push',
    subject: `jobs/${JOB}/tasks`,
    seq: START + 1,
    payload,
  });
  api.addChunk(task, chunk(2));
  api.addChunk(task, chunk(3));
  api.emit({ kind: 'log', taskId: chunk(2).taskId });
  const logs = [2, 3].map((busSeq, index) => ({
    type: 'push',
    subject: `tasks/${taskId}/logs`,
    seq: START + 1 + index,
    payload: {
      task_id: taskId,
      attempt_id: chunk(busSeq).attemptId,
      seq_num: busSeq,
      stream: 'stdout',
      data: `line ${busSeq}\n`,
      at: '2026-11-20T10:00:01Z',
    },
  }));
  t.strictSame(await client.take(2), logs, 'only chunks stored from now on');
  api.diagnostics?.listen((record) => api.events.publishDiagnostic(record));
  api.diagnostics?.add('server', 1_500_000n, note('WARN', 'it is hot', { worker_id: 'w' }));
  api.diagnostics?.add('worker:w', 2_000_000n, note('INFO', 'it is cold', {}));
  t.strictSame(
    (await client.take(2)).map((envelope) => envelope.payload),
    [
      {
        component: 'server',
        level: 'WARN',
        msg: 'it is hot',
        attrs: { worker_id: 'w' },
        at: '1970-01-01T00:00:00.001500000Z',
      },
      { component: 'worker:w', level: 'INFO', msg: 'it is cold', at: '1970-01-01T00:00:00.002000000Z' },
    ],
  );
});

void test('a subject without subscribers retains its events for clients that reconnect', async (t) => {
  const { api, open } = await stage(t);
  const subject = `jobs/${JOB}/tasks`;
  const isFollowed = (): boolean => api.followedJobs.mayBeFollowed(JOB);
  t.equal(isFollowed(), false);
  const first = await open();
  first.subscribe(subject);
  t.strictSame(await first.next(), ack(subject, START));
  first.close();
  await first.closed;
  t.equal(isFollowed(), true, 'its events are still published');
  const event: DomainEvent = {
    subject: 'tasks',
    payload: {
      job_id: JOB,
      task_id: taskIdAt(0, 1) as LogChunk['taskId'],
      name: 'render',
      status: 'ready',
      worker_id: '',
      unschedulable_reason: '',
      updated_at: '2026-11-20T10:00:00.000Z',
    },
  };
  api.events.publish([event]);
  const second = await open();
  second.subscribe(subject, START);
  t.strictSame((await second.take(2)).at(1)?.payload, event.payload);
  second.close();
  await second.closed;
  const third = await open();
  await settled(third);
  api.steadyNow += 5 * 60_000;
  api.now += 5 * 60_000;
  api.events.tick();
  t.equal(isFollowed(), false);
  api.events.publish([event]);
  third.subscribe(subject, START + 1);
  const later = api.now * 1000;
  t.strictSame(
    await third.take(2),
    [ack(subject, later), gap(subject, later)],
    'after 5 minutes it is dropped',
  );
  t.equal(isFollowed(), true);
  api.events.stop();
  t.equal(isFollowed(), false);
});

void test('every subscriber gets a gap when tasks have changed without events', async (t) => {
  const { api, open } = await stage(t);
  const subject = `jobs/${JOB}/tasks`;
  const event: DomainEvent = {
    subject: 'tasks',
    payload: {
      job_id: JOB,
      task_id: taskIdAt(0, 1) as LogChunk['taskId'],
      name: 'render',
      status: 'ready',
      worker_id: '',
      unschedulable_reason: '',
      updated_at: '2026-11-20T10:00:00.000Z',
    },
  };
  const lost: DomainEvent = { subject: 'tasks-lost', payload: { job_id: JOB } };
  const client = await open();
  client.subscribe(subject);
  t.strictSame(await client.next(), ack(subject, START));
  api.events.publish([lost]);
  t.strictSame(await client.next(), gap(subject, START + 1), 'without any further event');
  api.events.publish([lost, event]);
  t.strictSame(await client.take(2), [
    gap(subject, START + 2),
    { type: 'push', subject, seq: START + 3, payload: event.payload },
  ]);
  const late = await open();
  late.subscribe(subject, START + 1);
  t.strictSame(
    (await late.take(3)).map(({ type, seq }) => [type, seq]),
    [
      ['ack', START + 3],
      ['error', START + 2],
      ['push', START + 3],
    ],
    'a client that reconnects, too',
  );
  api.events.publish([{ subject: 'tasks-lost', payload: { job_id: jobNumber(9) } }]);
});

void test('rejects unknown subjects', async (t) => {
  const { api, open } = await stage(t);
  api.diagnostics = null;
  const client = await open();
  const other = taskIdAt(0, 3);
  const cases: [string, string][] = [
    ['job', 'unknown subject: job'],
    ['jobs/', 'unknown subject: jobs/'],
    ['tasks', 'unknown subject: tasks'],
    [`jobs/${jobNumber(9)}/tasks`, `unknown subject: there is no job ${jobNumber(9)}`],
    [`tasks/${other}/logs`, `unknown subject: there is no task ${other}`],
    ['tasks/x/logs', 'unknown subject: there is no task x'],
    ['diagnostics', 'diagnostics are disabled: diagnostics.buffer_size is 0'],
  ];
  for (const [subject, error] of cases) {
    client.subscribe(subject, 0, 8);
    t.strictSame(await client.next(), ack(subject, 0, 8, error));
  }
});

void test('an invalid frame gets an error and keeps the connection open', async (t) => {
  const { open } = await stage(t);
  const client = await open();
  const bad = (code: string, message: string): Envelope => ({
    type: 'error',
    subject: '',
    seq: 0,
    payload: { code, message },
  });
  client.send('{');
  client.send('{"type":"shout"}');
  client.sendBinary(Buffer.from('{"type":"ping"}'));
  client.send({ type: 'ping', seq: 3 });
  client.ping();
  t.strictSame(await client.take(4), [
    bad('bad-frame', 'the frame is not valid JSON'),
    bad('unknown-type', 'the type shout is not one of subscribe, unsubscribe, ping'),
    bad('bad-frame', 'a frame must be text'),
    { type: 'pong', subject: '', seq: 3, payload: {} },
  ]);
  client.send('x'.repeat(20_000));
  const { code } = await client.closed;
  t.ok([1006, 1009].includes(code), `a message that is too long ends the connection: ${code}`);
});

void test('a connection can have 1,000 subjects', async (t) => {
  const { api, open } = await stage(t);
  const sketch = stepOf(1001);
  api.write(...jobChanges({ id: jobNumber(2) }, [sketch]));
  const client = await open();
  const subjectOf = (index: number): string => `tasks/${taskIdAt(0, index, jobNumber(2))}/logs`;
  for (let index = 0; index < 1000; index++) client.subscribe(subjectOf(index), 0, index);
  const acks = await client.take(1000);
  t.ok(acks.every(({ payload }) => payload['error'] === ''));
  client.subscribe(subjectOf(1000), 0, 1000);
  t.strictSame(
    await client.next(),
    ack(subjectOf(1000), 0, 1000, 'a connection can have at most 1000 subjects'),
  );
  client.subscribe(subjectOf(7), 0, 1001);
  t.equal((await client.next()).payload['error'], '', 'a repeated subscription is not counted');
});

void test('a client that does not read delays no other client and is notified of lost events', async (t) => {
  const { api, open } = await stage(t);
  const [slow, quick] = [await open(), await open()];
  for (const client of [slow, quick]) {
    client.subscribe('jobs');
    await client.next();
  }
  slow.pause();
  const name = 'x'.repeat(4000);
  const rounds = 300;
  let number = 0;
  for (let round = 0; round < rounds; round++) {
    const batch = Array.from({ length: DEPTH }, () => jobEvent((number += 1), name));
    api.events.publish(batch);
    await quick.nextWhere(({ seq }) => seq === START + number);
  }
  const total = rounds * DEPTH;
  const received = quick.received.filter(({ type }) => type === 'push').map(({ seq }) => seq - START);
  t.strictSame(
    received,
    Array.from({ length: total }, (_, index) => index + 1),
    'the other client has all events',
  );
  slow.resume();
  await slow.nextWhere(({ seq, type }) => type === 'push' && seq === START + total);
  const events = slow.received.filter(({ subject }) => subject === 'jobs');
  let last = 0;
  let lost = 0;
  for (const { type, seq, payload } of events.slice(1)) {
    if (type === 'error') {
      t.equal(payload['code'], 'gap');
      lost += seq - START - last;
      last = seq - START;
    } else {
      t.equal(seq - START, last + 1);
      last += 1;
    }
  }
  t.ok(lost > 0, 'the ring has advanced without it');
  t.equal(api.events.figures.missed, lost);
  t.equal(api.events.figures.pushed, 2 * total - lost);
});

void test('disconnects a client that sends requests without reading replies', async (t) => {
  const { api, open } = await stage(t);
  const client = await open();
  client.pause();
  const ping = `{"type":"shout ${'x'.repeat(15_000)}"}`;
  while (api.events.figures.clients > 0) {
    for (let n = 0; n < 500; n++) client.send(ping);
    await new Promise((resolve) => setImmediate(resolve));
  }
  client.resume();
  await client.closed;
  t.equal(api.events.figures.clients, 0);
});

void test('1,000 clients receive every event once, in order', async (t) => {
  const { api, open } = await stage(t);
  const clients = await Promise.all(Array.from({ length: 1000 }, () => open()));
  for (const client of clients) client.subscribe('jobs');
  await Promise.all(clients.map((client) => client.next()));
  t.equal(api.events.figures.clients, 1000);
  for (let number = 1; number <= DEPTH; number++) api.events.publish([jobEvent(number)]);
  const expected = Array.from({ length: DEPTH }, (_, index) => jobPush(index + 1, index + 1));
  for (const client of clients) {
    const received = await client.take(DEPTH);
    if (JSON.stringify(received) !== JSON.stringify(expected)) t.fail(JSON.stringify(received));
  }
  for (const client of clients.slice(0, 999)) client.close();
  await Promise.all(clients.slice(0, 999).map((client) => client.closed));
  // The server learns of each end in a turn of its own.
  while (api.events.figures.clients > 1) await new Promise((resolve) => setImmediate(resolve));
  await settled(clients[999] as WebSocketClient);
  t.equal(api.events.figures.clients, 1);
});

void test('rejects invalid handshakes', async (t) => {
  const { client, api } = await startApi(t, ['https://farm.example']);
  const answer = async (
    headers: Readonly<Record<string, string>>,
    path = '/api/v1/ws',
  ): Promise<{ status: number; head: string; detail: unknown }> => {
    const { head, body } = await refusedUpgrade(client.port, upgradeHead(path, headers));
    const problem = JSON.parse(body) as Record<string, unknown>;
    t.match(head, /content-type: application\/problem\+json/i);
    t.match(head, /x-api-version: 1/i);
    t.match(head, new RegExp(`x-request-id: ${String(problem['instance'])}`, 'i'));
    return { status: Number(head.split(' ')[1]), head, detail: problem['detail'] };
  };
  const only = 'this path accepts only WebSocket connections';
  const version = 'the WebSocket protocol version must be 13';
  const key = 'Sec-WebSocket-Key must be 16 bytes in base64';
  const origin =
    'pages of this origin are not allowed to open the event channel (http.cors_origins, http.public_url)';
  const cases: [string, Readonly<Record<string, string>>, number, string][] = [
    ['no upgrade', { Upgrade: '' }, 426, only],
    ['another upgrade', { Upgrade: 'h2c' }, 426, only],
    ['a connection without upgrade', { Connection: 'keep-alive' }, 426, only],
    ['no version', { 'Sec-WebSocket-Version': '' }, 426, version],
    ['an old version', { 'Sec-WebSocket-Version': '8' }, 426, version],
    ['no key', { 'Sec-WebSocket-Key': '' }, 400, key],
    ['a short key', { 'Sec-WebSocket-Key': 'YQ==' }, 400, key],
    ['an invalid key', { 'Sec-WebSocket-Key': '!'.repeat(24) }, 400, key],
    ['a page of another origin', { Origin: 'https://evil.example' }, 403, origin],
    ['a page with an opaque origin', { Origin: 'null' }, 403, origin],
    [
      'two lengths',
      { 'Content-Length': '0', 'content-length': '0' },
      400,
      'more than one Content-Length header',
    ],
  ];
  for (const [name, headers, status, detail] of cases) {
    const found = await answer(headers);
    t.strictSame({ status: found.status, detail: found.detail }, { status, detail }, name);
    if (status === 426) t.match(found.head, /upgrade: websocket/i, name);
  }
  t.equal((await client.get('/api/v1/ws')).status, 426);
  t.equal((await client.send('HEAD', '/api/v1/ws')).status, 426);
  t.equal((await client.json('POST', '/api/v1/ws', {})).status, 405);
  for (const allowed of ['https://farm.example', `http://127.0.0.1:${client.port}`]) {
    const socket = await WebSocketClient.open(client.port, {
      Origin: allowed,
      Host: `127.0.0.1:${client.port}`,
    });
    socket.destroy();
  }
  api.isStopping = true;
  t.equal((await answer({})).status, 503);
});

void test('handshakes are rate-limited', async (t) => {
  const { client } = await startApi(t, [], { ...NO_RATE_LIMIT, limit: { rps: 1, burst: 1 } });
  const socket = await WebSocketClient.open(client.port);
  await t.rejects(WebSocketClient.open(client.port), /^HTTP\/1\.1 429 .*Retry-After: 1/is);
  socket.destroy();
});

void test('a stopping server closes its connections with 1001', async (t) => {
  const { api, server } = await startApi(t);
  const clients = await Promise.all([1, 2].map(() => WebSocketClient.open(server.port)));
  clients[0]?.subscribe('jobs');
  await clients[0]?.next();
  api.events.publish([jobEvent(1)]);
  await server.stop(5000);
  for (const client of clients) {
    t.strictSame(await client.closed, { code: 1001, reason: 'the service is stopping' });
  }
  t.equal(api.events.figures.clients, 0);
});
