import * as fc from 'fast-check';
import { test } from 'tap';
import { hashOf, linesOf } from '../../../../web/parts/log-view/line-anchor.ts';
import { piecesOf } from '../../../../web/parts/log-view/line-pieces.ts';
import { LogFinder, type StartWorker } from '../../../../web/parts/log-view/log-finder.ts';
import {
  MatchList,
  patternOf,
  matchesIn,
  ERROR_LINE_QUERY,
} from '../../../../web/parts/log-view/log-search.ts';
import { LogText } from '../../../../web/parts/log-view/log-text.ts';
import {
  HEIGHT_MAX,
  logTop,
  ROW_HEIGHT,
  scrolledHeight,
  scrollTopFor,
} from '../../../../web/parts/log-view/scroll-range.ts';
import { ErrorLines } from '../../../../web/parts/log-view/error-lines.ts';
import { PLAIN } from '../../../../web/parts/log-view/ansi.ts';

const query = (text: string, isRegex = false, isCaseSensitive = false) => ({
  text,
  isRegex,
  isCaseSensitive,
  isOncePerLine: false,
});

const places = (text: string, pattern: RegExp | string, max = 100, isOncePerLine = false) =>
  typeof pattern === 'string' ? pattern : [...matchesIn(text, 10, pattern, { max, isOncePerLine })];

test('finds matches by line, with and without case', (t) => {
  t.strictSame(places('Ab ab\nno\nAB\n', patternOf(query('ab'))), [10, 0, 2, 10, 3, 5, 12, 0, 2]);
  t.strictSame(places('Ab ab\n', patternOf(query('ab', false, true))), [10, 3, 5]);
  t.strictSame(places('a.b axb\n', patternOf(query('a.b'))), [10, 0, 3]);
  t.strictSame(places('a.b axb\n', patternOf(query('a.b', true))), [10, 0, 3, 10, 4, 7]);
  t.strictSame(places('aaa\nbbb', patternOf(query('x*', true))), [], 'an empty match does not count');
  t.strictSame(places('aaaa\naa\n', patternOf(query('a')), 3), [10, 0, 1, 10, 1, 2, 10, 2, 3]);
  t.strictSame(places('aa\naa\n', patternOf(query('a')), 9, true), [10, 0, 1, 11, 0, 1]);
  t.strictSame(places('end\n', patternOf(query('^end$', true))), [10, 0, 3]);
  t.match(patternOf(query('(', true)), /Unterminated group/);
  t.end();
});

test('agrees with a plain text search', (t) => {
  const word = fc.string({
    unit: fc.constantFrom('a', 'b', '.', '(', '\\', '$'),
    minLength: 1,
    maxLength: 3,
  });
  fc.assert(
    fc.property(fc.array(word), word, (words, wanted) => {
      const text = words.join('');
      const expected: number[] = [];
      for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + wanted.length))
        expected.push(10, at, at + wanted.length);
      t.strictSame(places(`${text}\n`, patternOf(query(wanted, false, true)), 1_000), expected);
      return true;
    }),
  );
  t.end();
});

test('recognizes lines that look like errors', (t) => {
  const pattern = patternOf(ERROR_LINE_QUERY);
  const isErrorLine = (line: string): boolean => places(line, pattern).length > 0;
  for (const line of [
    'ERROR: no licence',
    'Traceback (most recent call last):',
    'ValueError: bad',
    'openjd_fail: nothing to render',
    'java.lang.NullPointerException',
    'Segmentation fault',
    'render failed',
  ])
    t.ok(isErrorLine(line), line);
  for (const line of ['all is well', '0 errors, 3 warnings', 'errors: 0', 'no error', 'terror', 'mirrored'])
    t.notOk(isErrorLine(line), line);
  t.end();
});

test('steps through error lines cyclically', (t) => {
  const found = new MatchList();
  found.add(Uint32Array.from([3, 0, 1, 8, 0, 1]));
  const errors = new ErrorLines(found, 5);
  t.strictSame(
    [-1, 3, 5, 8].map((line) => errors.next(line, 1)),
    [3, 5, 8, 3],
  );
  t.strictSame(
    [Infinity, 8, 5, 3].map((line) => errors.next(line, -1)),
    [8, 5, 3, 8],
  );
  t.strictSame(
    [3, 5, 8].map((line) => errors.before(line)),
    [0, 1, 2],
  );
  t.equal(errors.count, 3);
  t.equal(new ErrorLines(found, 8).count, 2);
  t.equal(new ErrorLines(new MatchList(), null).next(-1, 1), -1);
  t.strictSame(found.inLine(8), [{ number: 1, start: 0, end: 1 }]);
  t.end();
});

/** A worker in the same thread that answers on demand. */
function byHand(): { start: StartWorker; answer: () => void; tasks: string[]; ended: () => number } {
  const tasks: string[] = [];
  const answers: (() => void)[] = [];
  let ended = 0;
  const start: StartWorker = (onAnswer) => {
    answers.push(() => onAnswer({ is: 'ready' }));
    return {
      post: (task) => {
        tasks.push(task.text);
        const pattern = patternOf(task.query);
        if (typeof pattern === 'string') return;
        const found = matchesIn(task.text, task.firstLine, pattern, { max: task.max, isOncePerLine: false });
        answers.push(() => onAnswer({ is: 'found', id: task.id, places: found }));
      },
      end: () => ended++,
    };
  };
  return { start, answer: () => answers.shift()?.(), tasks, ended: () => ended };
}

test('a search continues as the log grows, and reports an invalid pattern', (t) => {
  const log = new LogText();
  const worker = byHand();
  const finder = new LogFinder(log, query('x'), worker.start);
  finder.continueSearch();
  t.equal(finder.state().isDone, true);
  log.append('stdout', 'x\ny\nhalf x', 1);
  finder.continueSearch();
  worker.answer();
  worker.answer();
  t.equal(finder.state().found.count, 1);
  log.append('stdout', ' and whole\n', 1);
  finder.continueSearch();
  t.equal(finder.state().isDone, false);
  worker.answer();
  t.strictSame(worker.tasks, ['x\ny\n', 'half x and whole\n']);
  t.strictSame(
    [finder.state().found.count, finder.state().found.lineOf(1), finder.state().isDone],
    [2, 2, true],
  );
  finder.close();
  t.equal(worker.ended(), 1);
  t.match(new LogFinder(log, query('(', true), worker.start).state().problem, /Unterminated/);
  t.end();
});

test('pieces of a line keep its text', (t) => {
  const spans = fc.array(fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 1, maxLength: 8 }));
  fc.assert(
    fc.property(
      spans,
      fc.array(fc.tuple(fc.nat({ max: 4 }), fc.integer({ min: 1, max: 4 }))),
      fc.nat({ max: 60 }),
      (texts, gaps, max) => {
        let at = 0;
        const ranges = gaps.map(([gap, length], number) => {
          const start = at + gap;
          at = start + length;
          return { number, start, end: at };
        });
        const whole = texts.join('');
        const pieces = piecesOf(
          texts.map((text) => ({ text, style: PLAIN, href: null })),
          ranges,
          max,
        );
        const marks = pieces.flatMap(({ text, found }) => [...text].map(() => found));
        t.equal(pieces.map(({ text }) => text).join(''), whole.slice(0, max));
        t.strictSame(
          marks,
          [...whole.slice(0, max)].map(
            (_c, place) => ranges.find(({ start, end }) => place >= start && place < end)?.number ?? null,
          ),
        );
        return true;
      },
    ),
    { numRuns: 60 },
  );
  t.end();
});

test('the scroll bar reaches every row of a log that exceeds the maximum height', (t) => {
  const range = { rows: 2_000_000, viewport: 600 };
  t.equal(scrolledHeight(range), HEIGHT_MAX);
  t.equal(logTop(HEIGHT_MAX - 600, range), 2_000_000 * ROW_HEIGHT - 600);
  fc.assert(
    fc.property(fc.nat({ max: 3_000_000 }), fc.nat({ max: 3_000_000 }), (rows, row) => {
      const given = { rows, viewport: 600 };
      const last = Math.max(0, rows * ROW_HEIGHT - 600);
      const top = Math.min(row * ROW_HEIGHT, last);
      return Math.abs(logTop(scrollTopFor(row * ROW_HEIGHT, given), given) - top) < 0.01;
    }),
  );
  t.end();
});

test('parses lines in an address', (t) => {
  t.strictSame(linesOf('#L12'), { from: 12, to: 12 });
  t.strictSame(linesOf('#L20-L12'), { from: 12, to: 20 });
  for (const hash of ['', '#L0', '#Lx', '#L1-', '#L12345678901']) t.equal(linesOf(hash), null, hash);
  t.strictSame([null, { from: 3, to: 3 }, { from: 3, to: 5 }].map(hashOf), ['', '#L3', '#L3-L5']);
  t.end();
});
