import { test } from 'tap';
import {
  asLines,
  comparedText,
  compareLines,
  differencesOf,
  shownRows,
} from '../../../web/pages/task/compare/comparison.ts';

const NOTHING = { times: false, numbers: false };

test('times and numbers are ignored on request', (t) => {
  const line = '2026-11-24T10:15:02.123Z [12:00:01] frame 1010 took 3.25 s at 0xdeadbeef';
  t.equal(comparedText(line, NOTHING), line);
  t.equal(
    comparedText(line, { times: true, numbers: false }),
    '<time> [<time>] frame 1010 took 3.25 s at 0xdeadbeef',
  );
  t.equal(comparedText('2026/11/24 10:15:02,5 +1', { times: true, numbers: true }), '<time> +<number>');
  t.equal(
    comparedText('took 3.25 s at 0xdeadbeef', { times: false, numbers: true }),
    'took <number> s at <number>',
  );
  t.end();
});

test('lines that differ only in ignored parts are equal, and are shown as they are', (t) => {
  const left = ['10:00:00 start', 'frame 1', 'end'];
  const right = ['10:05:00 start', 'frame 2', 'end'];
  const kindsOf = (times: boolean, numbers: boolean): string[] =>
    compareLines(left, right, { times, numbers }).rows.map(({ kind }) => kind);
  t.strictSame(kindsOf(false, false), ['changed', 'changed', 'same']);
  t.strictSame(kindsOf(true, false), ['same', 'changed', 'same']);
  t.strictSame(kindsOf(true, true), ['same', 'same', 'same']);
  t.strictSame(asLines(compareLines(left, right, { times: true, numbers: false })), [
    { kind: 'same', text: '10:00:00 start' },
    { kind: 'removed', text: 'frame 1' },
    { kind: 'added', text: 'frame 2' },
    { kind: 'same', text: 'end' },
  ]);
  t.end();
});

test('equal lines far from differences are hidden', (t) => {
  const left = Array.from({ length: 20 }, (_u, at) => `line ${at}`);
  const right = left.with(10, 'other');
  const { rows } = compareLines(left, right, NOTHING);
  const shown = shownRows(rows, true);
  t.strictSame(
    shown.map((row) => (row.kind === 'hidden' ? row.count : row.kind)),
    [7, 'same', 'same', 'same', 'changed', 'same', 'same', 'same', 6],
  );
  t.strictSame(differencesOf(shown), [4]);
  t.strictSame(differencesOf(shownRows(rows, false)), [10]);
  t.strictSame(shownRows(compareLines(left, left, NOTHING).rows, true), [{ kind: 'hidden', count: 20 }]);
  t.end();
});
