import { once } from 'node:events';
import { test, type Test } from 'tap';
import type { AccessRecord } from '../../../http/access-log/access-log.ts';
import { attemptIdOf, taskIdOf } from '../../../src/core/ids.ts';
import { put } from '../../../src/core/records/change-set.ts';
import { emptyTaskPage, writeTask } from '../../../src/core/records/task-page.ts';
import { keys } from '../../../src/core/records/tables.ts';
import { AUTH_OFF, startForBrowsers, type StartedApi } from '../kit/api-fixture.ts';
import { accountChanges } from '../kit/signed-in.ts';
import { FRAMES, jobChanges, jobNumber, T0, taskState } from '../kit/records.ts';

/** Starts a service whose access log is a list. */
async function startLogged(
  t: Test,
  { isSignedIn = false, trustProxy = false } = {},
): Promise<StartedApi & { readonly records: AccessRecord[] }> {
  const records: AccessRecord[] = [];
  const accessLog = (record: AccessRecord): void => void records.push(record);
  const rateLimit = { limit: null, trustProxy };
  const started = await startForBrowsers(
    t,
    {},
    { accessLog, rateLimit },
    { ...AUTH_OFF, enabled: isSignedIn },
  );
  return { ...started, records };
}

void test('each request gives one record', async (t) => {
  const { api, client, records } = await startLogged(t, { trustProxy: true });
  api.steadyNow = 1_000;
  const answer = await client.get('/api/v1/farms?name_contains=secret', {
    'user-agent': 'probe/1',
    'x-request-id': 'one',
    'x-forwarded-for': '192.0.2.7',
  });
  t.strictSame(records, [
    {
      time: new Date(T0).toISOString(),
      request_id: 'one',
      client: '192.0.2.7',
      user: 'anonymous',
      method: 'GET',
      path: '/api/v1/farms',
      status: 200,
      bytes: Buffer.byteLength(answer.text),
      duration_ms: 0,
      user_agent: 'probe/1',
    },
  ]);
  t.notMatch(JSON.stringify(records), /secret/, 'the query is not logged');
  await client.get('/api/v1/nothing');
  await client.get('/readyz');
  t.strictSame(
    records.slice(1).map(({ path, status }) => [path, status]),
    [
      ['/api/v1/nothing', 404],
      ['/readyz', 200],
    ],
  );
});

void test('a record has the duration of an answer that waits', async (t) => {
  const { api, client, records } = await startLogged(t);
  api.answer = () => {
    api.steadyNow += 1_234.5678;
    return Promise.resolve({ ok: false, problem: { kind: 'conflict', detail: 'no' } });
  };
  const { status } = await client.json('POST', '/api/v1/farms', { name: 'a' });
  t.match(records, [{ method: 'POST', status, duration_ms: 1_234.568 }]);
});

void test('requests without an account and with one have different users', async (t) => {
  const { api, client, records } = await startLogged(t, { isSignedIn: true });
  api.write(...accountChanges('alice', 'user'));
  await client.get('/api/v1/farms');
  await client.get('/api/v1/farms', { authorization: 'Bearer svc_key-of-alice' });
  await client.raw('POST /api/v1/farms HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n');
  t.match(records, [
    { user: '', status: 401, client: '127.0.0.1' },
    { user: 'alice', status: 200, client: '127.0.0.1' },
  ]);
  t.ok(records.length <= 3, 'the engine may refuse an invalid head itself');
});

void test('a handshake and a refused one are logged', async (t) => {
  const { client, records } = await startLogged(t);
  const upgrade = 'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n';
  await client.raw(`GET /api/v1/ws HTTP/1.1\r\nHost: evil.example\r\n${upgrade}\r\n`);
  t.match(records, [{ path: '/api/v1/ws', method: 'GET' }]);
  t.ok((records[0]?.status ?? 0) >= 400);
});

void test('the record of a stream is written at its end, with all its bytes', async (t) => {
  const { api, client, records } = await startLogged(t);
  const job = jobNumber(1);
  const task = { jobId: job, stepOrder: 0, index: 1 };
  const taskId = taskIdOf(task);
  const sketch = { name: 'render', untouched: 'ready', taskCount: 3, space: FRAMES(3) } as const;
  api.write(...jobChanges({}, [{ ...sketch, touched: new Map([[1, taskState({ status: 'running' })]]) }]));
  const attemptId = attemptIdOf({ ...task, attemptNumber: 1 });
  const message = await client.open('GET', `/api/v1/tasks/${taskId}/logs?tail=true`);
  message.setEncoding('utf8');
  t.strictSame(records, [], 'the stream is still open');
  api.addChunk(task, {
    id: `${attemptId}-1`,
    taskId,
    attemptId,
    seqNum: 1,
    busSeq: 101,
    stream: 'stdout',
    data: 'zwölf\n',
    at: '2026-11-20T10:00:01Z',
    receivedAt: T0,
  });
  api.emit({ kind: 'log', taskId });
  const page = emptyTaskPage();
  writeTask(page, task.index, taskState({ status: 'succeeded' }));
  api.write(put('taskPage', keys.taskPageOf(task), page));
  api.emit({ kind: 'status', taskId });
  let bytes = 0;
  message.on('data', (piece: string) => (bytes += Buffer.byteLength(piece)));
  await once(message, 'end');
  t.match(records, [{ status: 200, bytes, path: `/api/v1/tasks/${taskId}/logs` }]);
  t.ok(bytes > 100);
});
