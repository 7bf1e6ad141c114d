import fc from 'fast-check';
import { test } from 'tap';
import { diffHunks } from '../../../src/core/text-diff/diff-hunks.ts';
import { diffLines, type DiffLine } from '../../../src/core/text-diff/line-diff.ts';

const textOf = (lines: readonly DiffLine[], without: DiffLine['kind']): string =>
  lines
    .filter(({ kind }) => kind !== without)
    .map(({ text }) => text)
    .join('');

/** Length of the longest common subsequence, by the table of all prefixes. */
function commonLines(left: readonly string[], right: readonly string[]): number {
  let row = right.map(() => 0);
  for (const each of left) {
    const next: number[] = [];
    for (const [at, other] of right.entries()) {
      const diagonal = at === 0 ? 0 : (row[at - 1] ?? 0);
      next.push(each === other ? diagonal + 1 : Math.max(row[at] ?? 0, next[at - 1] ?? 0));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

const linesOf = (text: string): readonly string[] => (text === '' ? [] : text.split(/(?<=\n)/));

/** Texts of few different lines, so that many are equal; some without a line feed at the end. */
const someText = fc
  .tuple(
    fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 30, size: 'max' }),
    fc.constantFrom('', '\n'),
  )
  .map(([lines, end]) => lines.join('\n') + end);

test('a difference makes both texts and is the shortest one', (t) => {
  fc.assert(
    fc.property(someText, someText, (before, after) => {
      const lines = diffLines(before, after);
      if (textOf(lines, 'added') !== before || textOf(lines, 'removed') !== after) return false;
      const same = lines.filter(({ kind }) => kind === 'same').length;
      return same === commonLines(linesOf(before), linesOf(after));
    }),
    { numRuns: 2_000 },
  );
  t.end();
});

test('hunks hold every difference once, in order, with their lines at the given places', (t) => {
  fc.assert(
    fc.property(someText, someText, fc.integer({ min: 0, max: 4 }), (before, after, context) => {
      const lines = diffLines(before, after);
      const hunks = diffHunks(lines, context);
      const inHunks = hunks.flatMap((hunk) => hunk.lines);
      const differences = (all: readonly DiffLine[]): DiffLine[] => all.filter(({ kind }) => kind !== 'same');
      const isAt = (text: string, line: number, part: string): boolean =>
        linesOf(text)
          .slice(line - 1)
          .join('')
          .startsWith(part);
      return (
        JSON.stringify(differences(inHunks)) === JSON.stringify(differences(lines)) &&
        hunks.every(
          (hunk) =>
            isAt(before, hunk.beforeLine, textOf(hunk.lines, 'added')) &&
            isAt(after, hunk.afterLine, textOf(hunk.lines, 'removed')),
        )
      );
    }),
    { numRuns: 2_000 },
  );
  t.end();
});

test('equal texts have no hunks; distant changes have hunks of their own', (t) => {
  t.same(diffHunks(diffLines('a\nb\n', 'a\nb\n')), []);
  t.same(diffHunks(diffLines('', '')), []);
  const before = Array.from({ length: 40 }, (_, line) => `${line}\n`);
  const after = before.with(4, 'new\n').with(30, 'other\n');
  const hunks = diffHunks(diffLines(before.join(''), after.join('')));
  t.same(
    hunks.map(({ beforeLine, afterLine, lines }) => [beforeLine, afterLine, lines.length]),
    [
      [2, 2, 8],
      [28, 28, 8],
    ],
  );
  t.same(diffLines('a', 'a\n'), [
    { kind: 'removed', text: 'a' },
    { kind: 'added', text: 'a\n' },
  ]);
  t.end();
});

test('texts with more differences than are searched for are replaced between their common ends', (t) => {
  const many = (prefix: string): string =>
    `first\n${Array.from({ length: 3_000 }, (_, line) => `${prefix}${line}\n`).join('')}last\n`;
  const lines = diffLines(many('a'), many('b'));
  t.equal(textOf(lines, 'added'), many('a'));
  t.equal(textOf(lines, 'removed'), many('b'));
  t.same(
    lines.filter(({ kind }) => kind === 'same').map(({ text }) => text),
    ['first\n', 'last\n'],
  );
  t.end();
});
