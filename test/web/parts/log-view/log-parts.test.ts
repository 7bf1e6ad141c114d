import * as fc from 'fast-check';
import { test } from 'tap';
import type { LogChunk, LogPage } from '../../../../client/resources.ts';
import {
  LINE_CHARACTERS_MAX,
  LOG_START,
  positionAfter,
  type LinePosition,
} from '../../../../src/core/records/log-lines.ts';
import { LogLayout } from '../../../../web/parts/log-view/log-layout.ts';
import { LogSource } from '../../../../web/parts/log-view/log-source.ts';
import { IS_STDERR, lineAt, LogText, type ReadableLog } from '../../../../web/parts/log-view/log-text.ts';

type Piece = readonly ['stdout' | 'stderr', string];

const pieces = fc.array(
  fc.tuple(
    fc.constantFrom('stdout' as const, 'stderr' as const),
    fc.oneof(
      fc.array(fc.constantFrom('a', 'b\n', '\n', '\r', 'c'), { maxLength: 8 }).map((parts) => parts.join('')),
      fc.constantFrom('x'.repeat(LINE_CHARACTERS_MAX), 'y'.repeat(3 * LINE_CHARACTERS_MAX + 5)),
    ),
  ),
  { maxLength: 12, size: 'max' },
);

const append = (log: LogText, added: readonly Piece[]): LogText => {
  added.forEach(([stream, data], at) => log.append(stream, data, at));
  return log;
};

const positions = (added: readonly Piece[]): readonly LinePosition[] => {
  const all: LinePosition[] = [LOG_START];
  for (const [stream, data] of added) all.push(positionAfter(all.at(-1) ?? LOG_START, stream, data));
  return all;
};

const linesFrom = (log: ReadableLog, first: number): readonly (string | undefined)[] => {
  const blocks = log.blocks();
  return Array.from({ length: log.lineCount - first }, (_unused, at) => lineAt(log, blocks, first + at)?.raw);
};

test('the position after each chunk counts the lines that the view has by then', (t) => {
  fc.assert(
    fc.property(pieces, (added) => {
      const all = positions(added);
      for (const [at, position] of all.entries())
        t.equal(append(new LogText(), added.slice(0, at)).lineCount, position.lines);
    }),
    { numRuns: 60 },
  );
  t.end();
});

test('a log that begins at any chunk has the same lines, except for those that began before it', (t) => {
  fc.assert(
    fc.property(pieces, fc.nat({ max: 12 }), (added, wanted) => {
      const from = Math.min(wanted, added.length);
      const start = positions(added)[from] ?? LOG_START;
      const whole = append(new LogText(), added);
      const part = append(new LogText(start), added.slice(from));
      t.equal(part.lineCount, whole.lineCount);
      t.equal(part.firstLine, start.lines);
      const [expected, actual] = [linesFrom(whole, start.lines), linesFrom(part, start.lines)];
      const cut = actual.filter((line, at) => line !== expected[at]);
      t.ok(cut.length <= 2, 'at most one line of each stream is cut');
      for (const line of cut) t.ok(line?.startsWith('…'));
    }),
    { numRuns: 60 },
  );
  t.end();
});

test('the layout of a part finds its lines', (t) => {
  const log = new LogText({ lines: 1_000, open: { stdout: 0, stderr: 0 } });
  append(log, [['stdout', 'one\ntwo\nthree\n']]);
  const options = { stream: null, columns: null, widthMax: 100, special: new Map<number, number>() };
  const layout = new LogLayout(log.blocks(), options);
  t.equal(layout.rowOf(10), 0);
  t.equal(layout.rowOf(1_001), 1);
  t.equal(layout.rowOf(5_000), 3);
  t.strictSame(layout.lineAt(2), { line: 1_002, top: 2 });
  t.end();
});

const chunk = (busSeq: number, attempt: number, seq: number, data: string): LogChunk => ({
  id: String(busSeq),
  task_id: 'task-0-0',
  attempt_id: `task-0-0-${attempt}`,
  seq_num: seq,
  bus_seq: busSeq,
  stream: 'stdout',
  data,
  at: '2026-11-21T00:00:00Z',
  received_at: '2026-11-21T00:00:00Z',
});

const settled = (source: LogSource): Promise<void> =>
  new Promise((resolve) => {
    const unsubscribe = source.subscribe(() => {
      if (source.state().isReading) return;
      unsubscribe();
      resolve();
    });
  });

const pageOf = (chunks: readonly LogChunk[], after: number, limit: number): LogPage => {
  const items = chunks.filter(({ bus_seq: seq }) => seq > after).slice(0, limit);
  return { items, after_bus_seq: items.at(-1)?.bus_seq ?? after };
};

test('a source that starts at a line holds only the later part, and follows it', async (t) => {
  const chunks = Array.from({ length: 20 }, (_u, at) => chunk(at + 1, 1, at + 1, `line ${at + 1}\n`));
  const asked: unknown[] = [];
  const source = new LogSource({
    start: { attempt: 1, line: 12 },
    readPage: (after, _limit, start) => {
      asked.push(start ?? after);
      return Promise.resolve(
        start === null
          ? pageOf(chunks, after, 4)
          : { ...pageOf(chunks, 10, 4), position: { lines: 10, stdout_open: 0, stderr_open: 0 } },
      );
    },
  });
  source.read();
  await settled(source);
  t.strictSame(asked.slice(0, 2), [{ attempt: 1, line: 12 }, 14]);
  const log = source.textOf(1);
  t.equal(log.firstLine, 10);
  t.equal(lineAt(log, log.blocks(), 11)?.raw, 'line 12');
  const reads = asked.length;
  source.accept([
    { task_id: 'task-0-0', attempt_id: 'task-0-0-1', seq_num: 21, stream: 'stdout', data: 'live\n', at: '' },
  ]);
  t.equal(lineAt(log, log.blocks(), 20)?.raw, 'live');
  t.equal(asked.length, reads, 'the chunks before the part are not missing');
});

test('a source stops at its limit, and says so', async (t) => {
  const chunks = Array.from({ length: 20 }, (_u, at) => chunk(at + 1, 1, at + 1, `line ${at + 1}\n`));
  const source = new LogSource({
    charactersMax: 30,
    readPage: (after) => Promise.resolve(pageOf(chunks, after, 2)),
  });
  source.read();
  await settled(source);
  t.match(source.state(), { isFull: true, isComplete: false, isReading: false });
  const held = source.textOf(1).lineCount;
  source.accept([
    { task_id: 'task-0-0', attempt_id: 'task-0-0-1', seq_num: 21, stream: 'stdout', data: 'live\n', at: '' },
  ]);
  source.read();
  t.equal(source.textOf(1).lineCount, held);
});

test('all attempts are one log, with a line before each', async (t) => {
  const chunks = [chunk(1, 1, 1, 'a\nb\nincomplete'), chunk(2, 2, 1, '\x1b[31mc\nd\n')];
  const source = new LogSource({ readPage: (after) => Promise.resolve(pageOf(chunks, after, 5)) });
  source.read();
  await settled(source);
  const { all } = source;
  const lines = all.blocks();
  const shown = Array.from({ length: all.lineCount }, (_u, at) => lineAt(all, lines, at));
  t.strictSame(
    shown.map((line) => line?.beginsAttempt ?? line?.raw),
    [1, 'a', 'b', 'incomplete', 2, '\x1b[31mc', 'd'],
  );
  t.strictSame(lineAt(all, lines, 6)?.style, source.textOf(2).styleOf(lines[4] ?? raise(), 1));
  t.equal(all.characters, 23);
  const options = {
    stream: 'stderr' as const,
    columns: null,
    widthMax: 100,
    special: new Map<number, number>(),
  };
  t.equal(new LogLayout(lines, options).rows, 2, 'the lines between attempts have no stream');
  t.equal(IS_STDERR, 1);
});

test('a block of all attempts that has not changed stays the same object', async (t) => {
  const chunks = [chunk(1, 1, 1, `${'x'.repeat(70_000)}\n`), chunk(2, 2, 1, 'b\n')];
  const source = new LogSource({ readPage: (after) => Promise.resolve(pageOf(chunks, after, 5)) });
  source.read();
  await settled(source);
  t.equal(source.all.blocks()[1], source.all.blocks()[1]);
  t.equal(source.all.blocks()[2], source.all.blocks()[2]);
});

const raise = (): never => {
  throw new Error('the log has no fifth block');
};
