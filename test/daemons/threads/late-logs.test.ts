import { join } from 'node:path';
import { test, type Test } from 'tap';
import { openLogReader } from '../../../src/adapters/lmdb/log-reader.ts';
import { LOG_ROWS_REMOVED_AT_ONCE, openLogWriter } from '../../../src/adapters/lmdb/log-writer.ts';
import { openStateReader } from '../../../src/adapters/lmdb/state-reader.ts';
import { openStateWriter } from '../../../src/adapters/lmdb/state-writer.ts';
import { encodeChangeSet, readChangeSet } from '../../../src/adapters/lmdb/change-set-codec.ts';
import { AttemptWorkers } from '../../../daemons/threads/attempt-workers.ts';
import { KnownJobs } from '../../../daemons/threads/known-jobs.ts';
import { EARLY_CHUNK_MS, LogIntake, type LogSenders } from '../../../daemons/threads/log-intake.ts';
import type { LogNotice } from '../../../daemons/threads/log-protocol.ts';
import { LogRemoval } from '../../../daemons/threads/log-removal.ts';
import {
  attemptIdOf,
  taskIdOf,
  workerId,
  type AttemptAddress,
  type JobId,
  type WorkerId,
} from '../../../src/core/ids.ts';
import type { LogDelivery } from '../../../src/core/ports/bus.ts';
import type { RemovalOutcome } from '../../../src/core/ports/log-store.ts';
import { put, remove, type Change } from '../../../src/core/records/change-set.ts';
import { keys } from '../../../src/core/records/tables.ts';
import { emptyTaskPage, untouchedTask, writeTask } from '../../../src/core/records/task-page.ts';
import { jobNumber, jobRecord, uuid } from '../../http/kit/records.ts';
import { logWriterOptions, writerOptions } from '../../adapters/lmdb/store-kit.ts';

const JOB = jobNumber(1);
const OTHER = jobNumber(2);
const attemptOf = (jobId: JobId) => ({ jobId, stepOrder: 0, index: 0, attemptNumber: 1 });

/** The parts of the logs thread, over real stores. */
async function openLogs(t: Test, maxBytesPerTask = 0) {
  const directory = t.testdir();
  const stateDirectory = join(directory, 'state');
  const logDirectory = join(directory, 'logs');
  const state = await openStateWriter(writerOptions(stateDirectory));
  const reader = await openStateReader(stateDirectory);
  const writer = await openLogWriter(logWriterOptions(logDirectory, { maxBytesPerTask }));
  const logs = await openLogReader(logDirectory);
  const notices: LogNotice[] = [];
  const jobs = new KnownJobs(reader);
  let refreshes = 0;
  const workers = new AttemptWorkers({
    get: (table, key) => reader.get(table, key),
    refresh: () => {
      refreshes++;
      reader.refresh();
    },
  });
  const refusals: string[] = [];
  const senders: LogSenders = {
    lookUp: () => workers.lookUp(),
    refused: (reason, { streamSequence }) => refusals.push(`${streamSequence} ${reason}`),
  };
  const clock = { now: 0, timers: [] as { due: number; action: () => void }[] };
  const intake = new LogIntake(writer, jobs, senders, (notice) => notices.push(notice), {
    now: () => clock.now,
    after: (milliseconds, action) => {
      const timer = { due: clock.now + milliseconds, action };
      clock.timers.push(timer);
      return () => {
        clock.timers.splice(clock.timers.indexOf(timer), 1);
      };
    },
  });
  const acknowledged: number[] = [];
  let sequence = 0;
  let streamSequence = 0;
  t.teardown(async () => {
    await logs.close();
    await writer.close();
    await reader.close();
    await state.close();
  });
  return {
    jobs,
    intake,
    clock,
    writer,
    notices,
    refusals,
    workers,
    acknowledged,
    /** How often the look-ups of workers have refreshed their reader. */
    refreshes: () => refreshes,
    commit: (...changes: Change[]) => {
      sequence++;
      state.apply([readChangeSet(encodeChangeSet({ version: 1, shard: 0, sequence, changes }))]);
    },
    /** Delivers a chunk of the first attempt of a job with this stream sequence. */
    deliver: (job: JobId, seqNum: number, sequence: number) => {
      intake.add(delivery(job, seqNum, sequence, acknowledged));
      intake.flush();
    },
    /** Delivers a chunk of an attempt that this worker has sent. */
    send: (sender: WorkerId | null, attempt: AttemptAddress, seqNum: number) => {
      const message = { task_id: taskIdOf(attempt), attempt_id: attemptIdOf(attempt) };
      const sent = delivery(attempt.jobId, seqNum, ++streamSequence, acknowledged);
      intake.add({ ...sent, sender, message: { ...sent.message, ...message } });
      intake.flush();
    },
    /** Delivers chunks of the first attempt of jobs together. */
    bring: (...chunks: (readonly [job: JobId, seqNum: number])[]) => {
      for (const [job, seqNum] of chunks) intake.add(delivery(job, seqNum, ++streamSequence, acknowledged));
      intake.flush();
    },
    chunksOf: (job: JobId) => {
      logs.refresh();
      return logs.page(attemptOf(job), 0, 100_000).map(({ seqNum }) => seqNum);
    },
  };
}

function delivery(job: JobId, seqNum: number, streamSequence: number, acknowledged: number[]): LogDelivery {
  return {
    message: {
      v: 1,
      task_id: taskIdOf(attemptOf(job)),
      attempt_id: attemptIdOf(attemptOf(job)),
      seq_num: seqNum,
      stream: 'stdout',
      data: `line ${seqNum}\n`,
      at: '2026-11-21T10:00:00Z',
    },
    sender: null,
    storedAt: 1_795_000_000_000,
    deliveryNumber: 1,
    streamSequence,
    streamCreatedAt: 'a',
    acknowledge: () => acknowledged.push(streamSequence),
    discard: () => undefined,
  };
}

const jobRow = (id: JobId): Change => put('job', keys.job(id), jobRecord({ id }));

test('chunks of a job are stored; chunks of a missing job are acknowledged and dropped', async (t) => {
  const logs = await openLogs(t);
  logs.commit(jobRow(JOB));
  logs.bring([JOB, 1], [OTHER, 1], [JOB, 2]);
  t.strictSame([logs.chunksOf(JOB), logs.chunksOf(OTHER)], [[1, 2], []]);
  t.strictSame(logs.acknowledged.sort(), [1, 2, 3]);
  t.match(logs.notices, [
    { type: 'log', level: 'debug', attributes: { chunks: '1' } },
    { type: 'stored', tasks: [taskIdOf(attemptOf(JOB))] },
  ]);
  logs.bring([OTHER, 2]);
  t.strictSame(logs.acknowledged, [1, 2, 3, 4], 'even if there is nothing else');
});

test('a job is found as soon as it is committed, even if it was missing before', async (t) => {
  const logs = await openLogs(t);
  logs.bring([JOB, 1]);
  logs.commit(jobRow(JOB));
  logs.bring([JOB, 1]);
  t.strictSame(logs.chunksOf(JOB), [1]);
});

test('after the logs of a deleted job are removed, its chunks are dropped', async (t) => {
  const logs = await openLogs(t);
  const removal = new LogRemoval(logs.writer);
  logs.commit(jobRow(JOB), jobRow(OTHER));
  const many = LOG_ROWS_REMOVED_AT_ONCE + 10;
  logs.bring(...Array.from({ length: many }, (_, each) => [JOB, each + 1] as const), [OTHER, 1]);
  t.equal(logs.chunksOf(JOB).length, many);
  logs.commit(remove('job', keys.job(JOB)));
  logs.jobs.forget(JOB);
  const removed = removal.remove(JOB);
  logs.bring([JOB, many + 1], [OTHER, 2]);
  await removed;
  logs.bring([JOB, many + 2]);
  t.strictSame(logs.chunksOf(JOB), []);
  t.strictSame(logs.chunksOf(OTHER), [1, 2], 'another job is not affected');
  t.equal(logs.acknowledged.length, many + 4, 'every chunk is acknowledged');
});

test('a chunk after a pause is stored immediately, and the following ones together a moment later', async (t) => {
  const logs = await openLogs(t);
  logs.commit(jobRow(JOB));
  const { clock, intake } = logs;
  const due = (): number[] => clock.timers.map((timer) => timer.due);
  clock.now = 1_000;
  intake.add(delivery(JOB, 1, 11, logs.acknowledged));
  intake.add(delivery(JOB, 2, 12, logs.acknowledged));
  t.strictSame(due(), [1_000]);
  clock.timers[0]?.action();
  t.strictSame(logs.acknowledged, [11, 12]);
  clock.now = 1_010;
  intake.add(delivery(JOB, 3, 13, logs.acknowledged));
  intake.add(delivery(JOB, 5, 15, logs.acknowledged));
  t.strictSame(due(), [1_025]);
  clock.now = 1_025;
  clock.timers[0]?.action();
  t.strictSame([logs.acknowledged, due()], [[11, 12, 13], [1_010 + EARLY_CHUNK_MS]]);
  clock.now = 1_030;
  intake.add(delivery(JOB, 4, 14, logs.acknowledged));
  t.strictSame(due(), [1_050], 'the pending timer is canceled');
  clock.now = 1_050;
  clock.timers[0]?.action();
  t.strictSame(logs.chunksOf(JOB), [1, 2, 3, 4, 5]);
});

test('chunks that arrive before an earlier one are stored and acknowledged with it', async (t) => {
  const logs = await openLogs(t);
  logs.commit(jobRow(JOB));
  logs.deliver(JOB, 1, 11);
  // The service was stopped during the second delivery, so later chunks are delivered first.
  logs.deliver(JOB, 3, 13);
  logs.deliver(JOB, 4, 14);
  logs.deliver(JOB, 3, 13);
  t.strictSame([logs.chunksOf(JOB), logs.acknowledged], [[1], [11]]);
  t.equal(logs.clock.timers.length, 1, 'one timer for all held chunks');
  logs.clock.now = 10_000;
  logs.deliver(JOB, 2, 12);
  t.strictSame(logs.chunksOf(JOB), [1, 2, 3, 4]);
  t.strictSame([...logs.acknowledged].sort(), [11, 12, 13, 14]);
  t.equal(logs.clock.timers.length, 0);
});

test('a chunk with a missing predecessor is stored after a timeout, and the following chunks immediately', async (t) => {
  const logs = await openLogs(t);
  logs.commit(jobRow(JOB), jobRow(OTHER));
  logs.deliver(JOB, 5, 15);
  logs.clock.now = 5_000;
  logs.deliver(JOB, 6, 16);
  logs.deliver(OTHER, 1, 17);
  t.strictSame([logs.chunksOf(JOB), logs.chunksOf(OTHER)], [[], [1]], 'another task is not delayed');
  t.strictSame(
    logs.clock.timers.map(({ due }) => due),
    [EARLY_CHUNK_MS],
  );
  logs.clock.now = EARLY_CHUNK_MS;
  logs.clock.timers[0]?.action();
  t.strictSame(logs.chunksOf(JOB), [5, 6]);
  logs.deliver(JOB, 7, 18);
  t.strictSame(logs.chunksOf(JOB), [5, 6, 7]);
  logs.deliver(JOB, 9, 20);
  logs.intake.stop();
  t.strictSame(
    [...logs.acknowledged].sort(),
    [15, 16, 17, 18],
    'held chunks are delivered again after the next start',
  );
  t.equal(logs.clock.timers.length, 0);
});

test('held chunks of a deleted job are acknowledged and dropped', async (t) => {
  const logs = await openLogs(t);
  logs.commit(jobRow(JOB));
  logs.deliver(JOB, 2, 12);
  logs.commit(remove('job', keys.job(JOB)));
  logs.jobs.forget(JOB);
  logs.deliver(JOB, 3, 13);
  t.strictSame([logs.chunksOf(JOB), [...logs.acknowledged].sort()], [[], [12, 13]]);
});

test('a log that reaches its limit is reported once, and chunks beyond the limit are reported as stored', async (t) => {
  const logs = await openLogs(t, 12);
  logs.commit(jobRow(JOB));
  const taskId = taskIdOf(attemptOf(JOB));
  logs.bring([JOB, 1]);
  logs.bring([JOB, 2]);
  logs.bring([JOB, 3], [JOB, 3]);
  logs.bring([JOB, 3]);
  t.strictSame(logs.chunksOf(JOB), [1, 2]);
  t.equal(logs.acknowledged.length, 5, 'dropped chunks are not delivered again');
  const stored = { type: 'stored', tasks: [taskId] };
  t.match(logs.notices, [
    stored,
    stored,
    {
      type: 'log',
      level: 'warn',
      text: 'the log of a task exceeds its limit; the rest is dropped',
      attributes: { task_id: taskId },
    },
    stored,
  ]);
  t.equal(logs.notices.length, 4);
});

test('removals run one after another, wait for capacity, and end with the thread', async (t) => {
  const asked: string[] = [];
  const outcomes: RemovalOutcome[] = ['more', 'disk-low', 'done', 'done', 'more'];
  const removal: LogRemoval = new LogRemoval(
    {
      removeJob: (job) => {
        asked.push(job);
        if (outcomes.length === 1) removal.stop();
        return outcomes.shift() ?? 'done';
      },
    },
    0,
  );
  const first = removal.remove(JOB);
  const second = removal.remove(OTHER);
  await first;
  await second;
  t.strictSame(asked, [JOB, JOB, JOB, OTHER]);
  let isDone = false;
  void removal.remove(JOB).then(() => {
    isDone = true;
  });
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
  t.strictSame([asked.length, isDone], [5, false], 'after a stop nothing is removed or reported as done');
});

test('with credentials, only the worker of an attempt stores its log', async (t) => {
  const logs = await openLogs(t);
  const [worker, other, guest] = [workerId(uuid('e', 1)), workerId(uuid('e', 2)), workerId(uuid('e', 3))];
  const job = jobRecord({ id: JOB });
  const page = emptyTaskPage();
  const task = { ...untouchedTask({ status: 'running', updatedAt: 1, unschedulable: false }) };
  writeTask(page, 0, { ...task, attemptNumber: 2, assignedAt: 1, workerOrdinal: 7 });
  const first = attemptOf(JOB);
  const open = { ...first, attemptNumber: 2 };
  logs.commit(
    jobRow(JOB),
    put('taskPage', keys.taskPageOf(first), page),
    put('workerOrdinal', keys.workerOrdinal(job.farmId, 7), { version: 1, workerId: worker }),
    put('attempt', keys.attempt(first, 1), {
      version: 1,
      id: attemptIdOf(first),
      attemptNumber: 1,
      status: 'failed',
      workerId: other,
      startedAt: 1,
      endedAt: 2,
      message: '',
      sessionId: '',
    }),
  );
  t.equal(logs.workers.latestWorkerOf(taskIdOf(first)), worker);
  t.equal(logs.workers.latestWorkerOf(taskIdOf({ ...first, index: 1 })), null);
  t.equal(logs.workers.latestWorkerOf(taskIdOf({ ...first, jobId: OTHER })), null);
  // Stream sequences 1 to 5 are refused: an ended attempt and an open one of others, and attempts that do not exist.
  logs.send(worker, first, 1);
  logs.send(other, open, 1);
  logs.send(guest, open, 1);
  logs.send(worker, { ...first, attemptNumber: 3 }, 1);
  logs.send(guest, { ...first, index: 1 }, 1);
  t.strictSame(logs.chunksOf(JOB), []);
  t.strictSame(logs.refusals, ['1 other-attempt', '2 other-attempt', '3 other-attempt']);
  logs.clock.now = EARLY_CHUNK_MS;
  logs.clock.timers[0]?.action();
  t.strictSame(logs.refusals, [
    '1 other-attempt',
    '2 other-attempt',
    '3 other-attempt',
    '4 unknown-attempt',
    '5 unknown-attempt',
  ]);
  t.strictSame(logs.acknowledged, []);
  logs.send(other, first, 1);
  logs.send(worker, open, 1);
  logs.send(null, open, 2);
  t.strictSame(logs.acknowledged, [6, 7, 8]);
  // The worker of an attempt never changes, and is known without the store from now on.
  logs.commit(remove('taskPage', keys.taskPageOf(first)), remove('attempt', keys.attempt(first, 1)));
  logs.send(worker, open, 3);
  logs.send(guest, open, 4);
  t.strictSame(logs.acknowledged, [6, 7, 8, 9]);
  t.equal(logs.refusals.length, 6);
});

/** A page of tasks whose first task runs at the worker with ordinal 7. */
function leasedTo(worker: WorkerId, attempt: AttemptAddress): readonly Change[] {
  const page = emptyTaskPage();
  const task = { ...untouchedTask({ status: 'running', updatedAt: 1, unschedulable: false }) };
  writeTask(page, 0, { ...task, attemptNumber: 1, assignedAt: 1, workerOrdinal: 7 });
  return [
    put('taskPage', keys.taskPageOf(attempt), page),
    put('workerOrdinal', keys.workerOrdinal(jobRecord({ id: JOB }).farmId, 7), {
      version: 1,
      workerId: worker,
    }),
  ];
}

test('with credentials, a chunk waits until its attempt is readable', async (t) => {
  const logs = await openLogs(t);
  const worker = workerId(uuid('e', 1));
  const attempt = attemptOf(JOB);
  logs.commit(jobRow(JOB));
  logs.send(worker, attempt, 1);
  logs.send(worker, attempt, 2);
  t.strictSame([logs.chunksOf(JOB), logs.refusals, logs.acknowledged], [[], [], []]);
  logs.send(worker, { ...attempt, index: 1 }, 1);
  t.equal(logs.clock.timers.length, 1, 'one timer for all of them');
  const before = logs.refreshes();
  logs.clock.timers[0]?.action();
  t.strictSame(logs.chunksOf(JOB), [], 'it is still not readable');
  t.equal(logs.refreshes() - before, 1, 'one refresh for all waiting chunks');
  logs.commit(...leasedTo(worker, attempt));
  logs.clock.timers[0]?.action();
  t.strictSame(logs.chunksOf(JOB), [1, 2]);
  t.strictSame([logs.refusals, logs.acknowledged], [[], [1, 2]]);
  logs.clock.now = EARLY_CHUNK_MS;
  logs.clock.timers[0]?.action();
  t.strictSame([logs.refusals, logs.clock.timers.length], [['3 unknown-attempt'], 0]);
});

test('with credentials, few chunks of a worker wait for attempts, so that it cannot delay others', async (t) => {
  const logs = await openLogs(t);
  const [hostile, worker] = [workerId(uuid('e', 1)), workerId(uuid('e', 2))];
  const attempt = attemptOf(JOB);
  logs.commit(jobRow(JOB), ...leasedTo(worker, attempt));
  for (let index = 1; index <= 300; index++) logs.send(hostile, { ...attempt, index }, 1);
  t.equal(logs.refusals.length, 300 - 256);
  logs.send(worker, attempt, 1);
  t.strictSame(logs.chunksOf(JOB), [1], 'the log of another worker is stored at once');
});
