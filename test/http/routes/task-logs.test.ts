import { once } from 'node:events';
import { test } from 'tap';
import { attemptIdOf, taskIdOf } from '../../../src/core/ids.ts';
import type { LogChunk } from '../../../src/core/records/log-chunk.ts';
import { put } from '../../../src/core/records/change-set.ts';
import { removePrefix } from '../../../src/core/records/change-set.ts';
import { emptyTaskPage, writeTask } from '../../../src/core/records/task-page.ts';
import { keys } from '../../../src/core/records/tables.ts';
import { openHouse, type House } from '../kit/house.ts';
import { FRAMES, jobChanges, jobNumber, T0, taskState } from '../kit/records.ts';

const JOB = jobNumber(1);
const TASK = { jobId: JOB, stepOrder: 0, index: 1 };
const TASK_ID = taskIdOf(TASK);
const ATTEMPT = attemptIdOf({ ...TASK, attemptNumber: 1 });
const LOGS = `/api/v1/tasks/${TASK_ID}/logs`;

function furnish(house: House): void {
  const sketch = { name: 'render', untouched: 'ready', taskCount: 3, space: FRAMES(3) } as const;
  house.write(...jobChanges({}, [{ ...sketch, touched: new Map([[1, taskState({ status: 'running' })]]) }]));
}

/** The task ends, as the store and the listeners see it. */
function endTask(house: House): void {
  const page = emptyTaskPage();
  writeTask(page, TASK.index, taskState({ status: 'succeeded' }));
  house.write(put('taskPage', keys.taskPageOf(TASK), page));
  house.emit({ kind: 'status', taskId: TASK_ID });
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

void test('a log is paged by its cursor', async (t) => {
  const { house, client } = await openHouse(t);
  furnish(house);
  t.same((await client.get(LOGS)).body, { items: [], after_bus_seq: 0 });
  for (const seqNum of [1, 2, 3]) house.addChunk(TASK, chunk(seqNum));
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

/** Reads a stream line by line. */
async function* lines(message: AsyncIterable<unknown>): AsyncGenerator<unknown> {
  let rest = '';
  for await (const piece of message) {
    const parts = (rest + String(piece)).split('\n');
    rest = parts.pop() ?? '';
    for (const part of parts) yield JSON.parse(part);
  }
  if (rest !== '') throw new Error(`the stream ends within a line: ${rest}`);
}

void test('a tail follows the log until the task has ended and its log is drained', async (t) => {
  const { house, client } = await openHouse(t);
  furnish(house);
  house.addChunk(TASK, chunk(1));
  house.addChunk(TASK, chunk(2, 'two\r\nlines \u2028 é\n'));
  const message = await client.open('GET', `${LOGS}?tail=true&limit=1&after_bus_seq=0`);
  t.equal(message.statusCode, 200);
  t.equal(message.headers['content-type'], 'application/x-ndjson');
  t.equal(message.headers['x-api-version'], '1');
  const read = lines(message.setEncoding('utf8'));
  t.same((await read.next()).value, shown(1));
  t.same((await read.next()).value, shown(2, 'two\r\nlines \u2028 é\n'));
  house.addChunk(TASK, chunk(3));
  house.emit({ kind: 'log', taskId: TASK_ID });
  t.same((await read.next()).value, shown(3));
  house.emit({ kind: 'log', taskId: taskIdOf({ ...TASK, index: 0 }) });
  house.onBus.set(TASK_ID, { attempt: { ...TASK, attemptNumber: 1 }, seqNum: 4 });
  endTask(house);
  await house.until(() => house.delays.length === 1);
  house.addChunk(TASK, chunk(4));
  house.emit({ kind: 'log', taskId: TASK_ID });
  t.same((await read.next()).value, shown(4), 'what is on the bus at the end is not lost');
  t.same(await read.next(), { done: true, value: undefined });
  t.equal(house.watches, 0);
});

void test('a tail of an ended task gives its log and ends', async (t) => {
  const { house, client } = await openHouse(t);
  furnish(house);
  house.addChunk(TASK, chunk(1));
  endTask(house);
  t.equal((await client.send('GET', `${LOGS}?tail=true`)).text, `${JSON.stringify(shown(1))}\n`);
  const empty = await client.send('GET', `${LOGS}?tail=true&after_bus_seq=101`);
  t.match(empty, { status: 200, text: '' });
  t.equal(empty.headers['content-type'], 'application/x-ndjson');
  t.match(await client.send('HEAD', `${LOGS}?tail=true`), { status: 200, text: '' });
  t.equal(house.watches, 0);
  t.same(house.delays, []);
});

void test('a tail ends when its job is deleted', async (t) => {
  const { house, client } = await openHouse(t);
  furnish(house);
  const answer = client.send('GET', `${LOGS}?tail=true`);
  await house.until(() => house.watches === 1);
  house.write(removePrefix('job', JOB), removePrefix('step', JOB));
  house.emit({ kind: 'job', jobId: JOB });
  t.match(await answer, { status: 200, text: '' });
});

void test('a tail whose client goes lets go of everything', async (t) => {
  const { house, client } = await openHouse(t);
  furnish(house);
  house.addChunk(TASK, chunk(1));
  const message = await client.open('GET', `${LOGS}?tail=true`);
  await once(message, 'data');
  t.equal(house.watches, 1);
  message.destroy();
  await house.until(() => house.watches === 0);
  house.addChunk(TASK, chunk(2));
  house.emit({ kind: 'log', taskId: TASK_ID });
  t.equal((await client.get('/healthz')).status, 200);
  t.same(house.logged, []);
});

void test('a client that does not read holds back the tail, and gets all of it later', async (t) => {
  const { house, client } = await openHouse(t);
  furnish(house);
  const data = 'x'.repeat(256 * 1024);
  const chunks = 200;
  for (let seqNum = 1; seqNum <= chunks; seqNum += 1)
    house.addChunk(TASK, { ...chunk(1, data), busSeq: seqNum });
  endTask(house);
  const message = await client.open('GET', `${LOGS}?tail=true&limit=1`);
  // Not read: 50 MB do not fit into the buffers of two sockets, so the tail cannot have come to its end.
  t.equal((await client.get('/healthz')).status, 200);
  const reads = house.logReads;
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

void test('a stop of the server ends tails', async (t) => {
  const { house, client, server } = await openHouse(t);
  furnish(house);
  house.addChunk(TASK, chunk(1));
  const message = await client.open('GET', `${LOGS}?tail=true`);
  const read = lines(message.setEncoding('utf8'));
  t.same((await read.next()).value, shown(1));
  const stopped = server.stop(60_000);
  t.same(await read.next(), { done: true, value: undefined });
  await stopped;
  t.equal(house.watches, 0);
});

void test('a log that cannot be read breaks the tail off, and says so in the log of the service', async (t) => {
  const { house, client } = await openHouse(t);
  furnish(house);
  house.addChunk(TASK, chunk(1));
  const message = await client.open('GET', `${LOGS}?tail=true`);
  await once(message, 'data');
  house.addChunk(TASK, { ...chunk(2), receivedAt: Number.NaN });
  house.emit({ kind: 'log', taskId: TASK_ID });
  await t.rejects(once(message, 'end'), { code: 'ECONNRESET' });
  t.match(house.logged, [
    { level: 'error', text: 'an answer broke off', attributes: { error: /Invalid time value/ } },
  ]);
  t.equal(house.watches, 0);
  t.equal((await client.get(LOGS)).status, 500);
});
