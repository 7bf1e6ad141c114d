import * as fc from 'fast-check';
import { test } from 'tap';
import type { LogChunk } from '../../../../client/resources.ts';
import { attemptOf, LogSource } from '../../../../web/parts/log-view/log-source.ts';
import { lineAt } from '../../../../web/parts/log-view/log-text.ts';

const chunk = (busSeq: number, attempt: number, seq: number): LogChunk => ({
  id: String(busSeq),
  task_id: 'task-0-0',
  attempt_id: `task-0-0-${attempt}`,
  seq_num: seq,
  bus_seq: busSeq,
  stream: 'stdout',
  data: `${attempt}.${seq}\n`,
  at: '2026-11-21T00:00:00Z',
  received_at: '2026-11-21T00:00:00Z',
});

const linesOf = (source: LogSource, attempt: number): string[] => {
  const log = source.textOf(attempt);
  const blocks = log.blocks();
  return Array.from({ length: log.lineCount }, (_u, index) => lineAt(log, blocks, index)?.raw ?? '');
};

const settled = (source: LogSource): Promise<void> =>
  new Promise((resolve) => {
    if (!source.state().isReading) return resolve();
    const unsubscribe = source.subscribe(() => {
      if (source.state().isReading) return;
      unsubscribe();
      resolve();
    });
  });

/** A log in pages of at most `most` chunks. */
const serving = (kept: readonly LogChunk[], most = 2) =>
  new LogSource({
    readPage: (after) => {
      const items = kept.filter(({ bus_seq: seq }) => seq > after).slice(0, most);
      return Promise.resolve({ items, after_bus_seq: items.at(-1)?.bus_seq ?? after });
    },
  });

test('reads pages until an empty one, by attempt', async (t) => {
  const source = serving([chunk(3, 1, 1), chunk(5, 1, 2), chunk(9, 2, 1)]);
  source.read();
  await settled(source);
  t.strictSame(linesOf(source, 1), ['1.1', '1.2']);
  t.strictSame(linesOf(source, 2), ['2.1']);
  t.match(source.state(), { isComplete: true, error: null, attempts: [1, 2], characters: 12 });
  t.equal(attemptOf('0198-0-12-7'), 7);
});

test('a repeated chunk is shown once, and a missing one is read', async (t) => {
  const all = Array.from({ length: 12 }, (_u, at) => chunk(at * 2 + 1, 1, at + 1));
  await fc.assert(
    fc.asyncProperty(
      fc.nat({ max: 12 }),
      fc.array(fc.subarray(all), { maxLength: 4 }),
      fc.integer({ min: 1, max: 5 }),
      async (known, events, most) => {
        const kept = all.slice(0, known);
        const source = serving(kept, most);
        source.read();
        for (const list of events) {
          // A chunk is stored before its event is sent, and so are all earlier ones.
          for (const one of all)
            if (one.seq_num <= (list.at(-1)?.seq_num ?? 0) && !kept.includes(one)) kept.push(one);
          source.accept(list);
          await settled(source);
        }
        await settled(source);
        t.strictSame(
          linesOf(source, 1),
          kept.map(({ seq_num: seq }) => `1.${seq}`),
        );
      },
    ),
    { numRuns: 60 },
  );
});

test('an error stops reading, and another read continues', async (t) => {
  let isAway = true;
  const source = new LogSource({
    readPage: (after) =>
      isAway
        ? Promise.reject(new Error('away'))
        : Promise.resolve({ items: after === 0 ? [chunk(1, 1, 1)] : [], after_bus_seq: 1 }),
  });
  source.read();
  await settled(source);
  t.match(source.state(), { error: { message: 'away' }, isComplete: false });
  isAway = false;
  source.read();
  await settled(source);
  t.match(source.state(), { error: null, isComplete: true });
  t.strictSame(linesOf(source, 1), ['1.1']);
});
