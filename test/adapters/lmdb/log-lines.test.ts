import * as fc from 'fast-check';
import { test } from 'tap';
import { openLogReader } from '../../../src/adapters/lmdb/log-reader.ts';
import { openLogWriter } from '../../../src/adapters/lmdb/log-writer.ts';
import type { AttemptAddress } from '../../../src/core/ids.ts';
import type { IncomingLogChunk } from '../../../src/core/ports/log-store.ts';
import { LOG_START } from '../../../src/core/records/log-lines.ts';
import { lineStart } from '../../../http/views/log-line.ts';
import { JOB } from './fixed-rows.ts';
import { logWriterOptions } from './store-kit.ts';

const attempt = (index: number, attemptNumber = 1): AttemptAddress => ({
  jobId: JOB,
  stepOrder: 0,
  index,
  attemptNumber,
});

const incoming = (
  address: AttemptAddress,
  seqNum: number,
  streamSequence: number,
  data: string,
  stream: 'stdout' | 'stderr' = 'stdout',
): IncomingLogChunk => ({
  attempt: address,
  seqNum,
  stream,
  data,
  at: '2026-11-21T10:00:00Z',
  receivedAt: 1_795_000_000_000,
  streamSequence,
  mayOvertake: true,
});

/** Lines of 100 characters. */
const linesOf = (from: number, count: number): string =>
  Array.from({ length: count }, (_u, at) => `${String(from + at).padStart(99, '.')}\n`).join('');

test('a mark is at most 64 Ki characters and one chunk before its line', async (t) => {
  const directory = t.testdir();
  const writer = await openLogWriter({ ...logWriterOptions(directory), maxBytesPerTask: 0 });
  writer.streamFound({ createdAt: 'a', lastSequence: 0 });
  // 200,000 lines in chunks of 300 lines, with chunks of another attempt and an incomplete line between them.
  let sequence = 0;
  for (let first = 1, seq = 1; first <= 200_000; first += 300, seq += 2) {
    const outcome = writer.append([
      incoming(attempt(0), seq, ++sequence, linesOf(first, 300)),
      incoming(attempt(0), seq + 1, ++sequence, 'partial', 'stderr'),
      incoming(attempt(0, 2), (seq + 1) / 2, ++sequence, 'other\n'),
    ]);
    if (!outcome.ok) throw new Error(outcome.reason);
  }
  const reader = await openLogReader(directory);
  let pages = 0;
  const counting = {
    page: (...args: Parameters<typeof reader.page>) => {
      pages++;
      return reader.page(...args);
    },
    markBefore: (address: AttemptAddress, line: number) => reader.markBefore(address, line),
  };
  for (const line of [1, 300, 301, 1_000, 123_456, 200_000]) {
    pages = 0;
    const start = await lineStart(counting, attempt(0), line);
    t.ok(pages <= 3, `line ${line} is found in ${pages} reads`);
    t.ok(start.lines < line);
    t.ok(line - start.lines <= 656 + 600, `line ${line} is ${line - start.lines} lines after the start`);
    const [first] = reader
      .page(attempt(0), start.afterBusSeq, 10)
      .filter(({ attemptId, stream }) => attemptId.endsWith('-1') && stream === 'stdout');
    t.equal(Number(first?.data.slice(0, 99).replaceAll('.', '')), start.lines + 1, 'the count is right');
  }
  const end = await lineStart(counting, attempt(0), 10_000_000);
  t.ok(end.lines > 198_000, 'a line beyond the end leads to the last part');
  t.strictSame(await lineStart(counting, attempt(5), 7), { ...LOG_START, afterBusSeq: 0 });
  writer.removeJob(JOB);
  reader.refresh();
  t.strictSame(reader.markBefore(attempt(0), 100_000), { ...LOG_START, afterBusSeq: 0 }, 'removed');
  await reader.close();
  await writer.close();
});

test('a chunk that is stored before counted ones makes the marks invalid, and lines are found by reading', async (t) => {
  const directory = t.testdir();
  const writer = await openLogWriter({ ...logWriterOptions(directory), maxBytesPerTask: 0 });
  writer.streamFound({ createdAt: 'a', lastSequence: 0 });
  for (let part = 0; part < 30; part++)
    if (part !== 3) writer.append([incoming(attempt(0), part + 1, part + 1, linesOf(part * 300 + 1, 300))]);
  const reader = await openLogReader(directory);
  t.ok(reader.markBefore(attempt(0), 8_000).lines > 0);
  writer.append([incoming(attempt(0), 4, 4, linesOf(901, 300))]);
  reader.refresh();
  t.equal(reader.markBefore(attempt(0), 8_000).lines, 0);
  const start = await lineStart(reader, attempt(0), 8_000);
  const [first] = reader.page(attempt(0), start.afterBusSeq, 1);
  t.ok(start.lines > 6_000);
  t.equal(Number(first?.data.slice(0, 99).replaceAll('.', '')), start.lines + 1);
  await reader.close();
  await writer.close();
});

test('lines are found in any log', async (t) => {
  const data = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom('a\n', 'b', '\n\n', 'c\nd') },
    { weight: 1, arbitrary: fc.integer({ min: 1, max: 700 }).map((count) => linesOf(0, count)) },
  );
  const pieces = fc.array(fc.tuple(fc.constantFrom('stdout' as const, 'stderr' as const), data), {
    maxLength: 20,
    size: 'max',
  });
  const directory = t.testdir();
  const writer = await openLogWriter({ ...logWriterOptions(directory), maxBytesPerTask: 0 });
  writer.streamFound({ createdAt: 'a', lastSequence: 0 });
  const reader = await openLogReader(directory);
  let [sequence, task] = [0, 10];
  await fc.assert(
    fc.asyncProperty(pieces, fc.integer({ min: 1, max: 5_000 }), async (parts, line) => {
      const address = attempt(task++);
      const chunks = parts.map(([stream, text], at) => incoming(address, at + 1, ++sequence, text, stream));
      for (const chunk of chunks) writer.append([chunk]);
      reader.refresh();
      const start = await lineStart(reader, address, line);
      const before = parts.slice(
        0,
        reader.page(address, 0, 100).filter(({ busSeq }) => busSeq <= start.afterBusSeq).length,
      );
      const counted = before.reduce((sum, [, text]) => sum + text.split('\n').length - 1, 0);
      t.equal(start.lines, counted);
      t.ok(start.lines < line);
    }),
    { numRuns: 40 },
  );
  await reader.close();
  await writer.close();
});
