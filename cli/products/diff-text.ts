import { diffHunks, type DiffHunk } from '../../src/core/text-diff/diff-hunks.ts';
import { diffLines, type DiffLine } from '../../src/core/text-diff/line-diff.ts';
import { painted, printable } from '../terminal/terminal.ts';

const SIGNS: Readonly<Record<DiffLine['kind'], string>> = { same: ' ', removed: '-', added: '+' };

/** Formats the difference of two texts as a unified diff without file names. Empty if they are equal. */
export const diffText = (before: string, after: string, colors: boolean): string =>
  diffHunks(diffLines(before, after))
    .map((hunk) => `${painted(headOf(hunk), 'cyan', colors)}\n${linesOf(hunk, colors)}`)
    .join('');

function headOf({ beforeLine, afterLine, lines }: DiffHunk): string {
  const count = (without: DiffLine['kind']): number => lines.filter(({ kind }) => kind !== without).length;
  return `@@ -${rangeOf(beforeLine, count('added'))} +${rangeOf(afterLine, count('removed'))} @@`;
}

/** A range without lines is named by the line before it. */
const rangeOf = (line: number, count: number): string => `${count === 0 ? line - 1 : line},${count}`;

const linesOf = ({ lines }: DiffHunk, colors: boolean): string =>
  lines.map((line) => `${lineText(line, colors)}\n`).join('');

function lineText({ kind, text }: DiffLine, colors: boolean): string {
  const hasEnd = text.endsWith('\n');
  const shown = `${SIGNS[kind]}${printable(hasEnd ? text.slice(0, -1) : text)}`;
  const line = kind === 'same' ? shown : painted(shown, kind === 'added' ? 'green' : 'red', colors);
  return hasEnd ? line : `${line}\n\\ No newline at end of file`;
}
