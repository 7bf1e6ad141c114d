import type { DiffLine } from './line-diff.ts';

/** Differing lines of two texts with the equal lines around them. Lines count from 1. */
export interface DiffHunk {
  readonly beforeLine: number;
  readonly afterLine: number;
  readonly lines: readonly DiffLine[];
}

const CONTEXT = 3;

/** Returns the parts of a comparison that differ, each with up to `context` equal lines before and after it. */
export function diffHunks(lines: readonly DiffLine[], context = CONTEXT): readonly DiffHunk[] {
  const hunks: (DiffHunk & { readonly lines: DiffLine[] })[] = [];
  const shown = linesNearDifferences(lines, context);
  let [beforeLine, afterLine] = [1, 1];
  for (const [index, line] of lines.entries()) {
    if (shown[index] === true) {
      if (shown[index - 1] !== true) hunks.push({ beforeLine, afterLine, lines: [] });
      hunks.at(-1)?.lines.push(line);
    }
    if (line.kind !== 'added') beforeLine += 1;
    if (line.kind !== 'removed') afterLine += 1;
  }
  return hunks;
}

/** Returns for each line whether it differs or is at most `context` lines away from one that does. */
function linesNearDifferences(lines: readonly DiffLine[], context: number): readonly boolean[] {
  const isNear = lines.map(() => false);
  let shownUntil = -1;
  for (const [index, { kind }] of lines.entries()) {
    if (kind === 'same') continue;
    const from = Math.max(shownUntil + 1, index - context);
    shownUntil = Math.min(lines.length - 1, index + context);
    isNear.fill(true, from, shownUntil + 1);
  }
  return isNear;
}
