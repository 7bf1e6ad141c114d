import * as fc from 'fast-check';
import { test } from 'tap';
import { LINE_CHARACTERS_MAX } from '../../../../src/core/records/log-lines.ts';
import { LogLayout } from '../../../../web/parts/log-view/log-layout.ts';
import {
  lineAt,
  LogText,
  shownLine,
  shownPart,
  shownText,
  statesOf,
} from '../../../../web/parts/log-view/log-text.ts';

type Piece = readonly ['stdout' | 'stderr', string];

function textOf(pieces: readonly Piece[]): LogText {
  const log = new LogText();
  pieces.forEach(([stream, data], at) => log.append(stream, data, at));
  return log;
}

const linesOf = (log: LogText) => {
  const blocks = log.blocks();
  const count = blocks.reduce((sum, block) => sum + block.lineCount, 0);
  return Array.from({ length: count }, (_unused, index) => lineAt(log, blocks, index));
};

test('chunks split anywhere become the lines that were written', (t) => {
  const log = textOf([
    ['stdout', 'one\ntw'],
    ['stderr', 'oh'],
    ['stdout', 'o\n'],
    ['stderr', ' no\nlast'],
  ]);
  t.strictSame(
    linesOf(log).map((line) => [line?.index, line?.stream, line?.raw, line?.time]),
    [
      [0, 'stdout', 'one', 0],
      [1, 'stdout', 'two', 2],
      [2, 'stderr', 'oh no', 3],
      [3, 'stderr', 'last', 3],
    ],
  );
  t.equal(log.lineCount, 3, 'the last line is incomplete');
  t.equal(log.firstStderr, 2);
  log.end();
  t.equal(log.lineCount, 4);
  log.end();
  t.equal(log.lineCount, 4);
  t.equal(lineAt(log, log.blocks(), 4), null);
  t.end();
});

test('the lines of a stream do not depend on the chunk borders', (t) => {
  const unit = fc.constantFrom('a', '\n', '\r', '\u001b[31m', '\u001b[0m', 'é');
  fc.assert(
    fc.property(
      fc.string({ unit, maxLength: 200, size: 'max' }),
      fc.array(fc.nat({ max: 30 })),
      (text, cuts) => {
        const cut = textOf(
          cuts
            .reduce<{ pieces: Piece[]; rest: string }>(
              ({ pieces, rest }, length) => ({
                pieces: [...pieces, ['stdout', rest.slice(0, length)]],
                rest: rest.slice(length),
              }),
              { pieces: [], rest: text },
            )
            .pieces.concat([['stdout', text.slice(cuts.reduce((sum, length) => sum + length, 0))]]),
        );
        const whole = textOf([['stdout', text]]);
        cut.end();
        whole.end();
        const raw = (log: LogText) => linesOf(log).map((line) => [line?.raw, line?.style]);
        const expected = text.split('\n');
        if (expected.at(-1) === '') expected.pop();
        t.strictSame(raw(cut), raw(whole));
        t.strictSame(
          linesOf(cut).map((line) => line?.raw),
          expected,
        );
        return true;
      },
    ),
  );
  t.end();
});

test('a style continues across lines of its own stream', (t) => {
  const log = textOf([
    ['stdout', '\u001b[32mgreen\nstill\n'],
    ['stderr', 'plain\n'],
    ['stdout', 'on\u001b[0m\nplain\n'],
  ]);
  t.strictSame(
    linesOf(log).map((line) => line?.style.foreground ?? null),
    [null, 2, null, 2, null],
  );
  t.end();
});

test('overwritten states of a line are folded', (t) => {
  t.strictSame(shownPart('10%\r20%\r30%'), { start: 8, end: 11, states: 2 });
  t.strictSame(shownPart('dos\r'), { start: 0, end: 3, states: 0 });
  t.strictSame(shownPart('\r'), { start: 0, end: 0, states: 0 });
  t.strictSame(statesOf('10%\r20%\r\r30%\r'), ['10%', '20%', '30%']);
  t.equal(shownLine('10%\r\u001b[K\u001b[32mdone\u001b[0m\r'), 'done');
  const [block] = textOf([['stdout', 'a\r\n1\r2\n\u001b[1mb\n']]).blocks();
  t.equal(block && shownText(block), 'a\n2\nb\n');
  t.end();
});

test('a line without an end is split', (t) => {
  const log = textOf([['stdout', 'x'.repeat(LINE_CHARACTERS_MAX + 10)]]);
  log.end();
  t.strictSame(
    linesOf(log).map((line) => line?.raw.length),
    [LINE_CHARACTERS_MAX, 10],
  );
  t.end();
});

test('line numbers continue across blocks', (t) => {
  const log = new LogText();
  for (let chunk = 0; chunk < 300; chunk++)
    log.append(
      'stdout',
      Array.from({ length: 100 }, (_u, at) => `line ${chunk * 100 + at}\n`).join(''),
      chunk,
    );
  t.equal(log.lineCount, 30_000);
  t.ok(log.blocks().length > 3);
  t.strictSame(
    [0, 9_999, 29_999].map((index) => lineAt(log, log.blocks(), index)?.raw),
    ['line 0', 'line 9999', 'line 29999'],
  );
  t.end();
});

test('rows of the layout agree with the lines for all options', (t) => {
  const piece = fc.tuple(
    fc.constantFrom('stdout' as const, 'stderr' as const),
    fc.string({ unit: fc.constantFrom('a', 'b', '\n'), maxLength: 60, size: 'max' }),
  );
  fc.assert(
    fc.property(
      fc.array(piece, { maxLength: 20, size: 'max' }),
      fc.constantFrom(null, 'stdout' as const, 'stderr' as const),
      fc.constantFrom(null, 3, 10),
      fc.boolean(),
      (pieces, stream, columns, hasSpecial) => {
        const log = textOf(pieces);
        const lines = linesOf(log);
        const shown = lines.flatMap((line) =>
          line && (stream === null || line.stream === stream) ? [line] : [],
        );
        const special = new Map<number, number>();
        if (hasSpecial && shown[0] !== undefined) special.set(shown[0].index, 5);
        const layout = new LogLayout(log.blocks(), { stream, columns, widthMax: 20, special });
        const rowsOf = (line: (typeof shown)[number]): number =>
          special.get(line.index) ??
          (columns === null ? 1 : Math.max(1, Math.ceil(Math.min(20, line.raw.length) / columns)));
        let row = 0;
        for (const line of shown) {
          t.equal(layout.rowOf(line.index), row);
          for (let within = 0; within < rowsOf(line); within++)
            t.strictSame(layout.lineAt(row + within), { line: line.index, top: row });
          row += rowsOf(line);
        }
        t.equal(layout.rows, row);
        t.equal(layout.lines, shown.length);
        t.strictSame(
          layout.from(0, 1_000_000),
          shown.map(({ index }) => index),
        );
        return true;
      },
    ),
    { numRuns: 60 },
  );
  t.end();
});
