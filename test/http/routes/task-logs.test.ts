import { once } from 'node:events';
import { test } from 'tap';
import { attemptIdOf, taskIdOf, workerId } from '../../../src/core/ids.ts';
import type { LogChunk } from '../../../src/core/records/log-chunk.ts';
import { put } from '../../../src/core/records/change-set.ts';
import { removePrefix } from '../../../src/core/records/change-set.ts';
import { emptyTaskPage, writeTask } from '../../../src/core/records/task-page.ts';
import { keys } from '../../../src/core/records/tables.ts';
import { startApi, type ApiFixture } from '../kit/api-fixture.ts';
import { FRAMES, jobChanges, jobNumber, T0, taskState } from '../kit/records.ts';

const JOB = jobNumber(1);
const TASK = { jobId: JOB, stepOrder: 0, index: 1 };
const TASK_ID = taskIdOf(TASK);
const ATTEMPT = attemptIdOf({ ...TASK, attemptNumber: 1 });
const LOGS = `/api/v1/tasks/${TASK_ID}/logs`;

function furnish(fixture: ApiFixture): void {
  const sketch = { name: 'render', untouched: 'ready', taskCount: 3, space: FRAMES(3) } as const;
  fixture.write(
    ...jobChanges({}, [{ ...sketch, touched: new Map([[1, taskState({ status: 'running' })]]) }]),
  );
}

/** Ends the task in the store and for listeners. */
function endTask(fixture: ApiFixture): void {
  const page = emptyTaskPage();
  writeTask(page, TASK.index, taskState({ status: 'succeeded' }));
  fixture.write(put('taskPage', keys.taskPageOf(TASK), page));
  fixture.emit({ kind: 'status', taskId: TASK_ID });
}

const chunk = (seqNum: number, data = `line ${seqNum}\n`): LogChunk => ({
  id: `${ATTEMPT}-${seqNum}`,
  taskId: TASK_ID,
  attemptId: ATTEMPT,
  seqNum,
  busSeq: 100 + seqNum,
  stream: 'stdout',
  data,
  at: '2026-11-20T10:00:01Z',
  receivedAt: T0 + seqNum,
});

const shown = (seqNum: number, data = `line ${seqNum}\n`): unknown => ({
  id: `${ATTEMPT}-${seqNum}`,
  task_id: TASK_ID,
  attempt_id: ATTEMPT,
  seq_num: seqNum,
  bus_seq: 100 + seqNum,
  stream: 'stdout',
  data,
  at: '2026-11-20T10:00:01Z',
  received_at: `2026-11-20T10:00:00.00${seqNum}Z`,
});

void test('a page of large chunks is closed before its limit', async (t) => {
  const { api, client } = await startApi(t);
  furnish(api);
  const large = 'x'.repeat(3 * 2 ** 20);
  for (const seqNum of [1, 2, 3, 4]) api.addChunk(TASK, chunk(seqNum, large));
  const page = async (after: number): Promise<unknown> => {
    const { body } = await client.get(`${LOGS}?after_bus_seq=${after}`);
    const { items, after_bus_seq: next } = body as { items: { seq_num: number }[]; after_bus_seq: number };
    return [items.map((item) => item.seq_num), next];
  };
  t.strictSame(await page(0), [[1, 2, 3], 103]);
  t.strictSame(await page(103), [[4], 104]);
  t.strictSame(await page(104), [[], 104]);
});

void test('pages a log by cursor', async (t) => {
  const { api, client } = await startApi(t);
  furnish(api);
  t.same((await client.get(LOGS)).body, { items: [], after_bus_seq: 0 });
  for (const seqNum of [1, 2, 3]) api.addChunk(TASK, chunk(seqNum));
  t.same((await client.get(LOGS)).body, { items: [shown(1), shown(2), shown(3)], after_bus_seq: 103 });
  t.same((await client.get(`${LOGS}?limit=2`)).body, { items: [shown(1), shown(2)], after_bus_seq: 102 });
  t.same((await client.get(`${LOGS}?limit=2&after_bus_seq=102`)).body, {
    items: [shown(3)],
    after_bus_seq: 103,
  });
  t.same((await client.get(`${LOGS}?after_bus_seq=900&tail=false`)).body, { items: [], after_bus_seq: 900 });
  for (const query of ['limit=0', 'limit=1001', 'after_bus_seq=-1', 'after_bus_seq=x', 'tail=yes', 'tail=']) {
    t.equal((await client.get(`${LOGS}?${query}`)).status, 400, query);
  }
});

void test('a page begins near a line of an attempt', async (t) => {
  const { api, client } = await startApi(t);
  furnish(api);
  const attempt = {
    version: 1,
    id: ATTEMPT,
    attemptNumber: 1,
    status: 'running',
    workerId: workerId('w'),
    startedAt: T0,
    message: '',
    sessionId: '',
  } as const;
  api.write(put('attempt', keys.attempt(TASK, 1), attempt));
  const part = `${'x'.repeat(1_023)}\n`.repeat(40);
  for (let seqNum = 1; seqNum <= 9; seqNum++) api.addChunk(TASK, chunk(seqNum, part));
  const page = async (line: number): Promise<unknown> => {
    const { body } = await client.get(`${LOGS}?attempt=1&from_line=${line}&limit=1`);
    const { items, position } = body as { items: { seq_num: number }[]; position: unknown };
    return [items.map((item) => item.seq_num), position];
  };
  const at = (lines: number): object => ({ lines, stdout_open: 0, stderr_open: 0 });
  t.strictSame(await page(1), [[1], at(0)]);
  t.strictSame(await page(200), [[5], at(160)]);
  t.strictSame(await page(900), [[9], at(320)], 'a line beyond the end leads to the last part');
  t.equal((await client.get(`${LOGS}?attempt=9&from_line=1`)).status, 404);
  for (const query of ['from_line=1', 'attempt=1&from_line=0', 'attempt=0&from_line=1', 'from_line=x'])
    t.equal((await client.get(`${LOGS}?${query}`)).status, 400, query);
});

/** Waits for turns of the event loop. */
async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** Yields the lines of a stream. */
async function* lines(message: AsyncIterable<unknown>): AsyncGenerator<unknown> {
  let rest = '';
  for await (const piece of message) {
    const parts = (rest + String(piece)).split('\n');
    rest = parts.pop() ?? '';
    for (const part of parts) yield JSON.parse(part);
  }
  if (rest !== '') throw new Error(`the stream ends within a line: ${rest}`);
}

void test('follows a log until the task has ended and the log is drained', async (t) => {
  const { api, client } = await startApi(t);
  furnish(api);
  api.addChunk(TASK, chunk(1));
  api.addChunk(TASK, chunk(2, 'two\r\nlines \u2028 é\n'));
  const message = await client.open('GET', `${LOGS}?tail=true&limit=1&after_bus_seq=0`);
  t.equal(message.statusCode, 200);
  t.equal(message.headers['content-type'], 'application/x-ndjson');
  t.equal(message.headers['x-api-version'], '1');
  const read = lines(message.setEncoding('utf8'));
  t.same((await read.next()).value, shown(1));
  t.same((await read.next()).value, shown(2, 'two\r\nlines \u2028 é\n'));
  api.addChunk(TASK, chunk(3));
  api.emit({ kind: 'log', taskId: TASK_ID });
  t.same((await read.next()).value, shown(3));
  api.emit({ kind: 'log', taskId: taskIdOf({ ...TASK, index: 0 }) });
  api.onBus.set(TASK_ID, { attempt: { ...TASK, attemptNumber: 1 }, seqNum: 4 });
  endTask(api);
  await api.until(() => api.delays.length === 1);
  api.addChunk(TASK, chunk(4));
  api.emit({ kind: 'log', taskId: TASK_ID });
  t.same((await read.next()).value, shown(4), 'chunks that are still on the bus at the end are not lost');
  t.same(await read.next(), { done: true, value: undefined });
  t.equal(api.watches, 0);
});

void test('the headers arrive immediately, also for a task without output', async (t) => {
  const { api, client } = await startApi(t);
  furnish(api);
  const message = await client.open('GET', `${LOGS}?tail=true`);
  t.match(message, { statusCode: 200, headers: { 'content-type': 'application/x-ndjson' } });
  api.addChunk(TASK, chunk(1));
  api.emit({ kind: 'log', taskId: TASK_ID });
  endTask(api);
  let text = '';
  for await (const piece of message.setEncoding('utf8')) text += String(piece);
  t.equal(text, ` ${JSON.stringify(shown(1))}\n`);
});

void test('following an ended task returns its log and ends', async (t) => {
  const { api, client } = await startApi(t);
  furnish(api);
  api.addChunk(TASK, chunk(1));
  endTask(api);
  t.equal((await client.send('GET', `${LOGS}?tail=true`)).text, `${JSON.stringify(shown(1))}\n`);
  const empty = await client.send('GET', `${LOGS}?tail=true&after_bus_seq=101`);
  t.match(empty, { status: 200, text: '' });
  t.equal(empty.headers['content-type'], 'application/x-ndjson');
  t.match(await client.send('HEAD', `${LOGS}?tail=true`), { status: 200, text: '' });
  t.equal(api.watches, 0);
  t.same(api.delays, []);
});

void test('following ends when the job is deleted', async (t) => {
  const { api, client } = await startApi(t);
  furnish(api);
  const answer = client.send('GET', `${LOGS}?tail=true`);
  await api.until(() => api.watches === 1);
  api.write(removePrefix('job', JOB), removePrefix('step', JOB));
  api.emit({ kind: 'job', jobId: JOB });
  t.match(await answer, { status: 200, text: ' ' });
});

void test('a client that disconnects releases all of its resources', async (t) => {
  const { api, client } = await startApi(t);
  furnish(api);
  api.addChunk(TASK, chunk(1));
  const message = await client.open('GET', `${LOGS}?tail=true`);
  await once(message, 'data');
  t.equal(api.watches, 1);
  message.destroy();
  await api.until(() => api.watches === 0);
  api.addChunk(TASK, chunk(2));
  api.emit({ kind: 'log', taskId: TASK_ID });
  t.equal((await client.get('/healthz')).status, 200);
  t.same(api.logged, []);
});

void test('a client that does not read slows down only its stream, and receives everything later', async (t) => {
  const { api, client } = await startApi(t);
  furnish(api);
  const data = 'x'.repeat(256 * 1024);
  const chunks = 200;
  for (let seqNum = 1; seqNum <= chunks; seqNum += 1)
    api.addChunk(TASK, { ...chunk(1, data), busSeq: seqNum });
  endTask(api);
  const message = await client.open('GET', `${LOGS}?tail=true&limit=1`);
  // Without reading, 50 MB do not fit into the buffers of two sockets, so the stream cannot have ended.
  await turns(2 * chunks);
  const reads = api.logReads;
  t.ok(reads < chunks / 2, `${reads} pieces were read`);
  const sequences: number[] = [];
  const read = lines(message.setEncoding('utf8'));
  for await (const line of read) {
    sequences.push((line as { bus_seq: number }).bus_seq);
  }
  t.same(
    sequences,
    Array.from({ length: chunks }, (_, nth) => nth + 1),
  );
});

void test('a stop of the server ends log streams', async (t) => {
  const { api, client, server } = await startApi(t);
  furnish(api);
  api.addChunk(TASK, chunk(1));
  const message = await client.open('GET', `${LOGS}?tail=true`);
  const read = lines(message.setEncoding('utf8'));
  t.same((await read.next()).value, shown(1));
  const stopped = server.stop(60_000);
  t.same(await read.next(), { done: true, value: undefined });
  await stopped;
  t.equal(api.watches, 0);
});

void test('a read error ends the stream and is logged', async (t) => {
  const { api, client } = await startApi(t);
  furnish(api);
  api.addChunk(TASK, chunk(1));
  const message = await client.open('GET', `${LOGS}?tail=true`);
  await once(message, 'data');
  api.addChunk(TASK, { ...chunk(2), receivedAt: Number.NaN });
  api.emit({ kind: 'log', taskId: TASK_ID });
  await t.rejects(once(message, 'end'), { code: 'ECONNRESET' });
  t.match(api.logged, [
    { level: 'error', text: 'response aborted', attributes: { error: /Invalid time value/ } },
  ]);
  t.equal(api.watches, 0);
  t.equal((await client.get(LOGS)).status, 500);
});

/** Stores a log of two attempts with both streams. */
function addMixedLog(fixture: ApiFixture): void {
  const second = attemptIdOf({ ...TASK, attemptNumber: 2 });
  fixture.addChunk(TASK, chunk(1, 'one é\r\n'));
  fixture.addChunk(TASK, { ...chunk(2, 'two, an error\n'), stream: 'stderr' });
  fixture.addChunk(TASK, { ...chunk(3, 'three'), attemptId: second, seqNum: 1 });
  fixture.addChunk(TASK, { ...chunk(4, ' \u{1f600}\n'), attemptId: second, seqNum: 2, stream: 'stderr' });
  const attempt = {
    version: 1,
    id: second,
    attemptNumber: 2,
    status: 'running',
    workerId: workerId('w'),
    startedAt: T0,
    message: '',
    sessionId: '',
  } as const;
  fixture.write(put('attempt', keys.attempt(TASK, 2), attempt));
}

const DOWNLOAD = `/api/v1/tasks/${TASK_ID}/log`;

void test('downloads a log as text, completely or in part', async (t) => {
  const { api, client } = await startApi(t);
  furnish(api);
  t.match(await client.get(DOWNLOAD), { status: 200, text: '' });
  addMixedLog(api);
  const parts: [query: string, name: string, text: string][] = [
    ['', '', 'one é\r\ntwo, an error\nthree \u{1f600}\n'],
    ['?stream=stdout', '-stdout', 'one é\r\nthree'],
    ['?stream=stderr', '-stderr', 'two, an error\n \u{1f600}\n'],
    ['?attempt=2', '-attempt-2', 'three \u{1f600}\n'],
    ['?attempt=2&stream=stderr', '-attempt-2-stderr', ' \u{1f600}\n'],
  ];
  for (const [query, name, text] of parts) {
    const answer = await client.get(`${DOWNLOAD}${query}`);
    t.match(answer, { status: 200, text }, query);
    t.equal(answer.headers['content-type'], 'text/plain; charset=utf-8');
    t.equal(answer.headers['content-disposition'], `attachment; filename="${TASK_ID}${name}.log"`);
    t.notOk('content-encoding' in answer.headers);
  }
  t.match(await client.send('HEAD', DOWNLOAD), { status: 200, text: '' });
});

void test('the tag of a download follows the content of the log', async (t) => {
  const { api, client } = await startApi(t);
  furnish(api);
  api.addChunk(TASK, chunk(1));
  const { headers } = await client.get(DOWNLOAD);
  t.match(headers, { etag: 'W/"101-7"', 'cache-control': 'private, no-cache' });
  t.match(await client.get(DOWNLOAD, { 'if-none-match': headers['etag'] }), { status: 304, text: '' });
  api.addChunk(TASK, chunk(2));
  const later = await client.get(DOWNLOAD, { 'if-none-match': headers['etag'] });
  t.match(later, { status: 200, text: 'line 1\nline 2\n', headers: { etag: 'W/"102-14"' } });
});

void test('rejects downloads of unknown parts', async (t) => {
  const { api, client } = await startApi(t);
  furnish(api);
  addMixedLog(api);
  const cases: [path: string, status: number, detail: RegExp][] = [
    [`${DOWNLOAD}?stream=both`, 400, /\/query\/stream/],
    [`${DOWNLOAD}?stream=`, 400, /\/query\/stream/],
    [`${DOWNLOAD}?attempt=0`, 400, /\/query\/attempt/],
    [`${DOWNLOAD}?attempt=x`, 400, /\/query\/attempt/],
    [`${DOWNLOAD}?attempt=1&attempt=2`, 400, /given more than once/],
    [`${DOWNLOAD}?attempt=3`, 404, /no attempt 3/],
    [`/api/v1/tasks/${taskIdOf({ ...TASK, index: 3 })}/log`, 404, /no task/],
    ['/api/v1/tasks/..%2f..%22/log', 404, /no task/],
    [`/api/v1/tasks/${taskIdOf({ ...TASK, index: 3 })}/logs`, 404, /no task/],
    [`/api/v1/tasks/x/logs?tail=true`, 404, /no task/],
  ];
  for (const [path, status, detail] of cases) {
    t.match(await client.get(path), { status, body: { status, detail } }, path);
  }
});

void test('a download reads at the speed of its client, and ends where the log ended at the request', async (t) => {
  const { api, client } = await startApi(t);
  furnish(api);
  const data = 'x'.repeat(64 * 1024);
  const chunks = 800;
  for (let seqNum = 1; seqNum <= chunks; seqNum += 1)
    api.addChunk(TASK, { ...chunk(1, data), seqNum, busSeq: seqNum });
  const message = await client.open('GET', DOWNLOAD);
  await turns(2 * chunks);
  t.ok(api.logReads < chunks / 2, `${api.logReads} pieces were read`);
  api.addChunk(TASK, chunk(chunks + 1, 'later'));
  let bytes = 0;
  for await (const piece of message) bytes += (piece as Buffer).length;
  t.equal(bytes, chunks * data.length);
  t.ok(api.logReads >= chunks, 'it was read in pieces');
});

void test('a download ends when its client disconnects or its log is deleted', async (t) => {
  const { api, client } = await startApi(t);
  furnish(api);
  const data = 'x'.repeat(64 * 1024);
  for (let seqNum = 1; seqNum <= 400; seqNum += 1)
    api.addChunk(TASK, { ...chunk(1, data), seqNum, busSeq: seqNum });
  const left = await client.open('GET', DOWNLOAD);
  await once(left, 'data');
  left.destroy();
  t.equal((await client.get('/healthz')).status, 200);
  t.same(api.logged, []);
  const cut = await client.open('GET', DOWNLOAD);
  api.removeLog(TASK);
  await t.rejects(
    (async () => {
      for await (const piece of cut) if (piece === null) break;
    })(),
    { code: 'ECONNRESET' },
  );
  t.match(api.logged, [
    { text: 'response aborted', attributes: { error: /the log was deleted during the download/ } },
  ]);
});
