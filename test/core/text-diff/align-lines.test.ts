import * as fc from 'fast-check';
import { test } from 'tap';
import { alignLines, type AlignedRow } from '../../../src/core/text-diff/align-lines.ts';

const lines = fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'), {
  maxLength: 24,
  size: 'max',
});

test('the rows have all lines of both sides in order, and equal lines only where they are equal', (t) => {
  fc.assert(
    fc.property(lines, lines, (left, right) => {
      const rows = alignLines(left, right);
      const sideOf = (side: 'left' | 'right'): number[] =>
        rows.map((row) => row[side]).filter((at) => at !== null);
      t.strictSame(sideOf('left'), [...left.keys()]);
      t.strictSame(sideOf('right'), [...right.keys()]);
      for (const row of rows) {
        if (row.kind === 'same') t.equal(left[row.left], right[row.right]);
        if (row.kind === 'changed') t.not(left[row.left], right[row.right]);
      }
    }),
  );
  t.end();
});

test('equal texts have only equal rows, and a side without lines has none', (t) => {
  fc.assert(
    fc.property(lines, (same) => {
      t.ok(alignLines(same, same).every(({ kind }) => kind === 'same'));
      t.ok(alignLines(same, []).every(({ kind }) => kind === 'removed'));
      t.ok(alignLines([], same).every(({ kind }) => kind === 'added'));
    }),
  );
  t.end();
});

test('lines that change at the same place are next to each other', (t) => {
  const expected: readonly AlignedRow[] = [
    { kind: 'same', left: 0, right: 0 },
    { kind: 'changed', left: 1, right: 1 },
    { kind: 'removed', left: 2, right: null },
    { kind: 'same', left: 3, right: 2 },
    { kind: 'added', left: null, right: 3 },
  ];
  t.strictSame(alignLines(['a', 'b', 'c', 'd'], ['a', 'x', 'd', 'e']), expected);
  t.end();
});

test('a text with thousands of differences is aligned by the lines that both have', (t) => {
  const left = Array.from({ length: 6_000 }, (_u, at) => (at % 2 === 0 ? `frame ${at}` : `old ${at}`));
  const right = Array.from({ length: 6_000 }, (_u, at) => (at % 2 === 0 ? `frame ${at}` : `new ${at}`));
  const rows = alignLines(left, right);
  t.equal(rows.length, 6_000);
  t.equal(rows.filter(({ kind }) => kind === 'changed').length, 3_000);
  t.end();
});
