import { join } from 'node:path';
import { test } from 'tap';
import { encodeChangeSet, readChangeSet } from '../../../src/adapters/lmdb/change-set-codec.ts';
import { openLogReader } from '../../../src/adapters/lmdb/log-reader.ts';
import { openLogWriter } from '../../../src/adapters/lmdb/log-writer.ts';
import { reconcileRestored } from '../../../src/adapters/lmdb/restored-store.ts';
import { openStateReader } from '../../../src/adapters/lmdb/state-reader.ts';
import { openStateWriter } from '../../../src/adapters/lmdb/state-writer.ts';
import { attemptIdOf, farmId, workerId, type AttemptAddress, type JobId } from '../../../src/core/ids.ts';
import type { IncomingLogChunk } from '../../../src/core/ports/log-store.ts';
import { put } from '../../../src/core/records/change-set.ts';
import { keys } from '../../../src/core/records/tables.ts';
import { emptyTaskPage, writeTask } from '../../../src/core/records/task-page.ts';
import type { AttemptRecord } from '../../../src/core/records/attempt.ts';
import type { WorkerRecord } from '../../../src/core/records/worker.ts';
import { JOB, OTHER_JOB } from './fixed-rows.ts';
import { writerOptions } from './store-kit.ts';

const attempt = (index: number, attemptNumber: number, jobId: JobId = JOB): AttemptAddress => ({
  jobId,
  stepOrder: 0,
  index,
  attemptNumber,
});

const WORKER: WorkerRecord = {
  version: 1,
  id: workerId('01935000-0000-7000-8000-00000000000a'),
  ordinal: 1,
  farmId: farmId('01935000-0000-7000-8000-00000000000b'),
  name: 'one',
  hostname: 'one',
  status: 'online',
  incarnation: '01935000-0000-7000-8000-00000000000c',
  computeLocation: '',
  cpuCount: 4,
  memoryMib: 1024,
  os: 'linux',
  arch: 'x64',
  softwareVersion: '0.0.0',
  queueIds: [],
  tags: {},
  lastHeartbeatAt: 1,
  registeredAt: 1,
};

const record = (of: AttemptAddress): AttemptRecord => ({
  version: 1,
  id: attemptIdOf(of),
  attemptNumber: of.attemptNumber,
  status: 'running',
  workerId: WORKER.id,
  startedAt: 1,
  message: '',
  sessionId: '',
});

test('after a restore unknown logs are removed, workers must register, and bus_seq skips ahead', async (t) => {
  const directory = t.testdir();
  const [state, logs] = [join(directory, 'state'), join(directory, 'logs')];
  const stateWriter = await openStateWriter(writerOptions(state));
  const known = [attempt(0, 1), attempt(0, 2), attempt(2, 1)];
  const changes = [
    put('worker', keys.worker(WORKER.id), WORKER),
    ...known.map((each) => put('attempt', keys.attempt(each, each.attemptNumber), record(each))),
  ];
  stateWriter.apply([readChangeSet(encodeChangeSet({ version: 1, shard: 0, sequence: 1, changes }))]);
  await stateWriter.close();

  const logWriter = await openLogWriter({ ...writerOptions(logs), maxBytesPerTask: 0 });
  logWriter.streamFound({ createdAt: 'a', lastSequence: 0 });
  let streamSequence = 0;
  const chunk = (of: AttemptAddress, seqNum: number): IncomingLogChunk => ({
    attempt: of,
    seqNum,
    stream: 'stdout',
    data: `${of.attemptNumber}:${seqNum}`,
    at: '2026-11-21T10:00:00Z',
    receivedAt: 1,
    streamSequence: ++streamSequence,
    mayOvertake: true,
  });
  const unknown = [attempt(0, 3), attempt(1, 1), attempt(2, 2), attempt(0, 1, OTHER_JOB)];
  logWriter.append([...known, ...unknown].flatMap((each) => [chunk(each, 1), chunk(each, 2)]));
  await logWriter.close();

  const NOW = Date.parse('2026-11-21T10:00:00Z');
  t.strictSame(await reconcileRestored(state, logs, NOW), { workers: 1, logsRemoved: unknown.length });

  const reader = await openStateReader(state);
  t.equal(reader.attemptFloor(), (NOW - Date.parse('2026-01-01T00:00:00Z')) / 60_000);
  t.strictSame(reader.get('worker', WORKER.id), { ...WORKER, incarnation: '' });
  await reader.close();
  const logReader = await openLogReader(logs);
  const dataOf = (index: number, job: JobId = JOB): string[] =>
    logReader.page({ jobId: job, stepOrder: 0, index }, 0, 100).map(({ data }) => data);
  t.strictSame(
    [dataOf(0), dataOf(1), dataOf(2), dataOf(0, OTHER_JOB)],
    [['1:1', '1:2', '2:1', '2:2'], [], ['1:1', '1:2'], []],
  );
  const bytesOf = (index: number, job: JobId = JOB): number =>
    logReader.extent({ jobId: job, stepOrder: 0, index }).bytes;
  t.strictSame([bytesOf(0), bytesOf(1), bytesOf(2), bytesOf(0, OTHER_JOB)], [12, 0, 6, 0]);
  await logReader.close();

  const again = await openLogWriter({ ...writerOptions(logs), maxBytesPerTask: 0 });
  // Even with the very stream from before the backup.
  again.streamFound({ createdAt: 'a', lastSequence: 1000 });
  streamSequence = 0;
  const outcome = again.append([chunk(attempt(1, 1), 1), chunk(attempt(0, 2), 2)]);
  t.ok(outcome.ok);
  if (outcome.ok) {
    t.strictSame(
      outcome.stored.map(({ attemptId, busSeq }) => [attemptId, busSeq]),
      [[`${JOB}-0-1-1`, NOW * 1000 + 1]],
      'a removed attempt is stored again, a known chunk is not duplicated',
    );
  }
  await again.close();
});

test('a task whose limit was reached by unknown attempts has its full limit again', async (t) => {
  const directory = t.testdir();
  const [state, logs] = [join(directory, 'state'), join(directory, 'logs')];
  await (await openStateWriter(writerOptions(state))).close();
  const chunk = (attemptNumber: number, streamSequence: number): IncomingLogChunk => ({
    attempt: attempt(0, attemptNumber),
    seqNum: 1,
    stream: 'stdout',
    data: 'x'.repeat(100),
    at: '2026-11-21T10:00:00Z',
    receivedAt: 1,
    streamSequence,
    mayOvertake: true,
  });
  const before = await openLogWriter({ ...writerOptions(logs), maxBytesPerTask: 150 });
  before.streamFound({ createdAt: 'a', lastSequence: 0 });
  t.match(before.append([chunk(1, 1), chunk(2, 2)]), { cut: [`${JOB}-0-0`] });
  await before.close();
  t.strictSame(await reconcileRestored(state, logs, 0), { workers: 0, logsRemoved: 2 });
  const after = await openLogWriter({ ...writerOptions(logs), maxBytesPerTask: 150 });
  after.streamFound({ createdAt: 'a', lastSequence: 2 });
  t.match(after.append([chunk(3, 3)]), { cut: [], stored: [{ data: 'x'.repeat(100) }] });
  await after.close();
});

test('stores of a service that never ran are reconciled too', async (t) => {
  const directory = t.testdir();
  const [state, logs] = [join(directory, 'state'), join(directory, 'logs')];
  await (await openStateWriter(writerOptions(state))).close();
  await (await openLogWriter({ ...writerOptions(logs), maxBytesPerTask: 0 })).close();
  t.strictSame(await reconcileRestored(state, logs, 0), { workers: 0, logsRemoved: 0 });
});

test('an attempt that only a task page lists as open is known, and its number is not reused', async (t) => {
  const directory = t.testdir();
  const [state, logs] = [join(directory, 'state'), join(directory, 'logs')];
  const page = emptyTaskPage();
  const task = {
    failedAttempts: 0,
    updatedAt: 1,
    assignedAt: 1,
    retryAfter: null,
    workerOrdinal: 1,
    hasText: false,
    unschedulable: false,
    silent: false,
    exiting: false,
    cascaded: false,
    skipped: false,
  };
  const far = 900_000_000;
  writeTask(page, 0, { ...task, status: 'running', attemptNumber: 2 });
  writeTask(page, 1, { ...task, status: 'assigned', attemptNumber: 1 });
  writeTask(page, 2, { ...task, status: 'ready', attemptNumber: 1 });
  writeTask(page, 3, { ...task, status: 'assigned', attemptNumber: far });
  const changes = [put('taskPage', keys.taskPageOf(attempt(0, 1)), page)];
  const stateWriter = await openStateWriter(writerOptions(state));
  stateWriter.apply([readChangeSet(encodeChangeSet({ version: 1, shard: 0, sequence: 1, changes }))]);
  await stateWriter.close();
  const chunk = (of: AttemptAddress, streamSequence: number): IncomingLogChunk => ({
    attempt: of,
    seqNum: 1,
    stream: 'stdout',
    data: `${of.attemptNumber}`,
    at: '2026-11-21T10:00:00Z',
    receivedAt: 1,
    streamSequence,
    mayOvertake: true,
  });
  const logWriter = await openLogWriter({ ...writerOptions(logs), maxBytesPerTask: 0 });
  logWriter.streamFound({ createdAt: 'a', lastSequence: 0 });
  const said = [attempt(0, 1), attempt(0, 2), attempt(0, 3), attempt(1, 1), attempt(2, 1), attempt(32, 1)];
  logWriter.append(said.map((of, at) => chunk(of, at + 1)));
  await logWriter.close();
  t.strictSame(await reconcileRestored(state, logs, 0), { workers: 0, logsRemoved: 4 });
  const reader = await openStateReader(state);
  t.equal(reader.attemptFloor(), far + 1000);
  await reader.close();
  const logReader = await openLogReader(logs);
  t.strictSame(
    [0, 1, 2, 32].map((index) =>
      logReader.page({ jobId: JOB, stepOrder: 0, index }, 0, 100).map(({ data }) => data),
    ),
    [['2'], ['1'], [], []],
  );
  await logReader.close();
});
