import { test } from 'tap';
import { openLogReader } from '../../../src/adapters/lmdb/log-reader.ts';
import {
  LOG_ROWS_REMOVED_AT_ONCE,
  openLogWriter,
  type LogWriter,
} from '../../../src/adapters/lmdb/log-writer.ts';
import { openStateReader } from '../../../src/adapters/lmdb/state-reader.ts';
import type { AttemptAddress, JobId, TaskAddress } from '../../../src/core/ids.ts';
import type { IncomingLogChunk } from '../../../src/core/ports/log-store.ts';
import { JOB, OTHER_JOB } from './fixed-rows.ts';
import { logWriterOptions } from './store-kit.ts';

const task = (index: number, jobId: JobId = JOB): TaskAddress => ({ jobId, stepOrder: 0, index });

const ATTEMPT = { ...task(0), attemptNumber: 1 };

/** A chunk of attempt 1 of a task. */
const chunk = (
  streamSequence: number,
  seqNum: number,
  over: Partial<IncomingLogChunk> = {},
): IncomingLogChunk => ({
  attempt: { ...task(0), attemptNumber: 1 },
  seqNum,
  stream: 'stdout',
  data: `line ${seqNum}\n`,
  at: '2026-11-21T10:00:00.123456789Z',
  receivedAt: 1_795_000_000_000,
  streamSequence,
  mayOvertake: true,
  ...over,
});

const storedIn = (writer: LogWriter, ...chunks: IncomingLogChunk[]): [busSeq: number, seqNum: number][] => {
  const outcome = writer.append(chunks);
  if (!outcome.ok) throw new Error(outcome.reason);
  return outcome.stored.map(({ busSeq, seqNum }) => [busSeq, seqNum]);
};

test('chunks are read in order of arrival, by task, in pages by bus_seq', async (t) => {
  const directory = t.testdir();
  const writer = await openLogWriter(logWriterOptions(directory));
  writer.streamFound({ createdAt: 'a', lastSequence: 0 });
  const outcome = writer.append([
    chunk(9, 1),
    chunk(10, 1, { attempt: { ...task(1), attemptNumber: 2 }, stream: 'stderr', data: '\u{1f600}' }),
    chunk(11, 2),
    chunk(100, 3),
  ]);
  const second = {
    id: `${JOB}-0-0-1-2`,
    taskId: `${JOB}-0-0`,
    attemptId: `${JOB}-0-0-1`,
    seqNum: 2,
    busSeq: 11,
    stream: 'stdout',
    data: 'line 2\n',
    at: '2026-11-21T10:00:00.123456789Z',
    receivedAt: 1_795_000_000_000,
  };
  const reader = await openLogReader(directory);
  const page = (after: number, limit: number): number[] =>
    reader.page(task(0), after, limit).map(({ busSeq }) => busSeq);
  t.strictSame(reader.page(task(0), 9, 1), [second]);
  t.strictSame(page(0, 100), [9, 11, 100]);
  t.strictSame(page(0, 2), [9, 11]);
  t.strictSame(page(10, 2), [11, 100]);
  t.strictSame(page(100, 2), []);
  t.strictSame(reader.page(task(1), 0, 10), [
    {
      ...second,
      id: `${JOB}-0-1-2-1`,
      taskId: `${JOB}-0-1`,
      attemptId: `${JOB}-0-1-2`,
      seqNum: 1,
      busSeq: 10,
      stream: 'stderr',
      data: '\u{1f600}',
    },
  ]);
  t.strictSame(reader.extent(task(0)), { lastBusSeq: 100, bytes: 21 });
  t.strictSame(reader.extent(task(1)), { lastBusSeq: 10, bytes: 4 });
  t.strictSame(reader.extent(task(2)), { lastBusSeq: 0, bytes: 0 });
  t.strictSame(outcome.ok && outcome.stored[2], second, 'stored chunks are returned as they can be read');
  await reader.close();
  await writer.close();
});

test('a redelivered chunk is stored once, also across a restart', async (t) => {
  const directory = t.testdir();
  const first = await openLogWriter(logWriterOptions(directory));
  first.streamFound({ createdAt: 'a', lastSequence: 3 });
  t.strictSame(storedIn(first, chunk(1, 1), chunk(2, 2), chunk(2, 2)), [
    [1, 1],
    [2, 2],
  ]);
  t.strictSame(first.append([chunk(1, 1), chunk(5, 1), chunk(2, 2)]), {
    ok: true,
    stored: [],
    duplicates: 3,
    early: [],
    tasks: [],
    cut: [],
  });
  await first.close();
  const again = await openLogWriter(logWriterOptions(directory));
  again.streamFound({ createdAt: 'a', lastSequence: 4 });
  t.strictSame(storedIn(again, chunk(2, 2), chunk(4, 4), chunk(3, 3)), [
    [3, 3],
    [4, 4],
  ]);
  const reader = await openLogReader(directory);
  t.strictSame(
    reader.page(task(0), 0, 10).map(({ busSeq, seqNum }) => [busSeq, seqNum]),
    [
      [1, 1],
      [2, 2],
      [3, 3],
      [4, 4],
    ],
  );
  await reader.close();
  await again.close();
});

test('a chunk that arrives before its predecessor is rejected unless overtaking is allowed', async (t) => {
  const writer = await openLogWriter(logWriterOptions(t.testdir()));
  writer.streamFound({ createdAt: 'a', lastSequence: 0 });
  const inTurn = { mayOvertake: false };
  const [third, fourth, sixth] = [chunk(3, 3, inTurn), chunk(4, 4, inTurn), chunk(6, 6, inTurn)];
  t.match(writer.append([fourth, chunk(1, 1, inTurn), third]), {
    stored: [{ seqNum: 1 }],
    early: [third, fourth],
    duplicates: 0,
    tasks: [`${JOB}-0-0`],
  });
  t.strictSame(writer.append([third]), {
    ok: true,
    stored: [],
    duplicates: 0,
    early: [third],
    tasks: [],
    cut: [],
  });
  t.match(writer.append([fourth, chunk(2, 2, inTurn), third]), {
    stored: [{ seqNum: 2 }, { seqNum: 3 }, { seqNum: 4 }],
    early: [],
  });
  t.match(writer.append([sixth, chunk(7, 7, inTurn)]), { stored: [], early: { length: 2 } });
  t.match(writer.append([{ ...sixth, mayOvertake: true }, chunk(7, 7, inTurn)]), {
    stored: [{ seqNum: 6 }, { seqNum: 7 }],
    early: [],
  });
  await writer.close();
});

test('attempts of a task do not hide each other', async (t) => {
  const writer = await openLogWriter(logWriterOptions(t.testdir()));
  writer.streamFound({ createdAt: 'a', lastSequence: 0 });
  const retried = { attempt: { ...task(0), attemptNumber: 2 } };
  t.strictSame(storedIn(writer, chunk(1, 1), chunk(2, 1, retried), chunk(3, 1, retried)), [
    [1, 1],
    [2, 1],
  ]);
  await writer.close();
});

test('bus_seq increases across a stream that was lost or restored, also if unnoticed', async (t) => {
  const directory = t.testdir();
  const writer = await openLogWriter(logWriterOptions(directory));
  writer.streamFound({ createdAt: 'a', lastSequence: 0 });
  t.strictSame(storedIn(writer, chunk(1, 1), chunk(2, 2)), [
    [1, 1],
    [2, 2],
  ]);
  writer.streamFound({ createdAt: 'b', lastSequence: 0 });
  t.strictSame(storedIn(writer, chunk(1, 3)), [[3, 3]]);
  await writer.close();
  const again = await openLogWriter(logWriterOptions(directory));
  again.streamFound({ createdAt: 'b', lastSequence: 1 });
  t.strictSame(storedIn(again, chunk(2, 4)), [[4, 4]]);
  again.streamFound({ createdAt: 'b', lastSequence: 1 });
  t.strictSame(storedIn(again, chunk(2, 5)), [[6, 5]], 'a restored stream');
  t.strictSame(storedIn(again, chunk(2, 6), chunk(3, 7)), [
    [8, 6],
    [9, 7],
  ]);
  const reader = await openLogReader(directory);
  t.strictSame(
    reader.page(task(0), 0, 10).map(({ seqNum }) => seqNum),
    [1, 2, 3, 4, 5, 6, 7],
    'no chunk was overwritten',
  );
  await reader.close();
  await again.close();
});

test('an append before the stream is known is an error', async (t) => {
  const writer = await openLogWriter(logWriterOptions(t.testdir()));
  t.throws(() => writer.append([chunk(1, 1)]), {
    message: 'append before streamFound: no chunk can be numbered',
  });
  await writer.close();
});

test('logs of a job are removed in limited pieces, without affecting other logs', async (t) => {
  const directory = t.testdir();
  const writer = await openLogWriter(logWriterOptions(directory));
  writer.streamFound({ createdAt: 'a', lastSequence: 0 });
  const rows = LOG_ROWS_REMOVED_AT_ONCE + 10;
  writer.append(Array.from({ length: rows }, (_, i) => chunk(i + 1, i + 1)));
  const beside = { attempt: { ...task(10), attemptNumber: 1 } };
  const other = { attempt: { ...task(0, OTHER_JOB), attemptNumber: 1 } };
  writer.append([chunk(rows + 1, 1, beside), chunk(rows + 2, 1, other)]);
  const reader = await openLogReader(directory);
  const left = (of: TaskAddress): number => {
    reader.refresh();
    return reader.page(of, 0, 10_000).length;
  };
  t.equal(writer.removeJob(JOB), 'more');
  t.equal(left(task(0)), 10);
  t.equal(writer.removeJob(JOB), 'done');
  t.strictSame([left(task(0)), left(task(10)), left(task(0, OTHER_JOB))], [0, 0, 1]);
  reader.refresh();
  t.strictSame(
    [reader.extent(task(0)), reader.extent(task(0, OTHER_JOB))],
    [
      { lastBusSeq: 0, bytes: 0 },
      { lastBusSeq: rows + 2, bytes: 7 },
    ],
    'its total is removed too',
  );
  t.equal(reader.arrival(task(0), { attempt: { ...task(0), attemptNumber: 1 }, seqNum: 1 }), 'behind');
  t.strictSame(storedIn(writer, chunk(rows + 3, 1)), [[rows + 3, 1]], 'its sequence numbers are removed too');
  await reader.close();
  await writer.close();
});

test('a task log is truncated at its limit with one line, across attempts, redeliveries and a restart', async (t) => {
  const directory = t.testdir();
  const limited = { maxBytesPerTask: 20 };
  const cutLine =
    '[callsheet] the log of this task is cut here: it exceeds 20 bytes (logs.max_bytes_per_task)\n';
  const writer = await openLogWriter(logWriterOptions(directory, limited));
  writer.streamFound({ createdAt: 'a', lastSequence: 0 });
  const second = { ...task(0), attemptNumber: 2 };
  t.match(writer.append([chunk(1, 1), chunk(2, 2), chunk(1, 1)]), {
    stored: { length: 2 },
    duplicates: 1,
    tasks: [`${JOB}-0-0`],
    cut: [],
  });
  await writer.close();
  const again = await openLogWriter(logWriterOptions(directory, limited));
  again.streamFound({ createdAt: 'a', lastSequence: 2 });
  // 14 bytes are stored, so 6 are left. A character of two bytes would exceed that by one.
  const crossing = chunk(3, 1, { attempt: second, stream: 'stderr', data: 'line é\nmore\n' });
  t.match(again.append([chunk(2, 2), crossing, chunk(4, 3), crossing]), {
    stored: [{ busSeq: 3, stream: 'stderr', data: `line \n${cutLine}` }],
    duplicates: 2,
    tasks: [`${JOB}-0-0`],
    cut: [`${JOB}-0-0`],
  });
  t.match(again.append([chunk(5, 4), chunk(6, 1, { attempt: { ...task(1), attemptNumber: 1 } })]), {
    stored: [{ busSeq: 6 }],
    duplicates: 0,
    tasks: [`${JOB}-0-0`, `${JOB}-0-1`],
    cut: [],
  });
  await again.close();
  const raised = await openLogWriter(logWriterOptions(directory, { maxBytesPerTask: 1000 }));
  t.match(raised.append([chunk(4, 3), chunk(7, 5)]), { stored: [], duplicates: 1, cut: [] });
  const reader = await openLogReader(directory);
  t.strictSame(
    reader.page(task(0), 0, 10).map(({ data }) => data),
    ['line 1\n', 'line 2\n', `line \n${cutLine}`],
    'a truncated log stays truncated',
  );
  t.strictSame(reader.extent(task(0)), { lastBusSeq: 3, bytes: 20 + cutLine.length });
  t.equal(
    reader.arrival(task(0), { attempt: ATTEMPT, seqNum: 5 }),
    'whole',
    'truncated chunks count as stored',
  );
  await reader.close();
  await raised.close();
});

test('a log of exactly the limit is truncated with the next chunk', async (t) => {
  const writer = await openLogWriter(logWriterOptions(t.testdir(), { maxBytesPerTask: 14 }));
  writer.streamFound({ createdAt: 'a', lastSequence: 0 });
  t.match(writer.append([chunk(1, 1), chunk(2, 2)]), { stored: { length: 2 }, cut: [] });
  t.match(writer.append([chunk(3, 3, { data: 'x' })]), {
    stored: [{ data: /^\[callsheet\] the log of this task is cut here: it exceeds 14 bytes/ }],
    cut: [`${JOB}-0-0`],
  });
  await writer.close();
});

test('a page ends when it has enough data', async (t) => {
  const directory = t.testdir();
  const writer = await openLogWriter(logWriterOptions(directory));
  writer.streamFound({ createdAt: 'a', lastSequence: 0 });
  writer.append([chunk(1, 1), chunk(2, 2), chunk(3, 3)]);
  const reader = await openLogReader(directory);
  const sizes = [1, 7, 8, 14, 21, 1000].map((enough) => reader.page(task(0), 0, 10, enough).length);
  t.strictSame(sizes, [1, 1, 2, 2, 3, 3]);
  t.equal(reader.page(task(0), 0, 2, 1000).length, 2);
  await reader.close();
  await writer.close();
});

test('the numbers of its chunks show whether a log is complete', async (t) => {
  const directory = t.testdir();
  const writer = await openLogWriter(logWriterOptions(directory));
  writer.streamFound({ createdAt: 'a', lastSequence: 0 });
  const reader = await openLogReader(directory);
  const second = { ...task(0), attemptNumber: 2 };
  const arrival = (seqNum: number, attempt: AttemptAddress = ATTEMPT): string => {
    reader.refresh();
    return reader.arrival(task(0), { attempt, seqNum });
  };
  t.equal(arrival(1), 'behind');
  writer.append([chunk(1, 1), chunk(3, 3)]);
  t.strictSame([arrival(1), arrival(2), arrival(3), arrival(4)], ['gaps', 'behind', 'gaps', 'behind']);
  writer.append([chunk(4, 1, { attempt: second })]);
  t.equal(arrival(1, second), 'gaps', 'an earlier attempt counts');
  writer.append([chunk(2, 2)]);
  t.strictSame([arrival(3), arrival(1, second), arrival(2, second)], ['whole', 'whole', 'behind']);
  await reader.close();
  await writer.close();
});

test('a log store and a state store are not confused', async (t) => {
  const directory = t.testdir();
  const writer = await openLogWriter(logWriterOptions(directory));
  await writer.close();
  await t.rejects(openStateReader(directory), {
    message: `the store in ${directory} cannot be opened: it is a store of logs, not of state`,
  });
});
