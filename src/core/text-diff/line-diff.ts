/** A line of two compared texts: in both, only in the first one, or only in the second one. */
export interface DiffLine {
  readonly kind: 'same' | 'removed' | 'added';
  /** With its line feed, which the last line of a text may lack. */
  readonly text: string;
}

/** Maximum number of different lines for which the shortest difference is found: time and memory grow with its square. */
const EDITS_MAX = 1_000;

/**
 * Compares two texts line by line. The lines that are not `added` make the first text, those that are not `removed` the
 * second one. The difference is the shortest one (Myers, 1986) unless more than 1,000 lines differ: then everything
 * between the common beginning and the common end is replaced.
 */
export const diffLines = (before: string, after: string): readonly DiffLine[] =>
  diffSequences(linesOf(before), linesOf(after));

/** Compares two lists of lines like `diffLines`. */
export function diffSequences(left: readonly string[], right: readonly string[]): readonly DiffLine[] {
  const shorter = Math.min(left.length, right.length);
  let start = 0;
  while (start < shorter && left[start] === right[start]) start += 1;
  let end = 0;
  while (end < shorter - start && left.at(-1 - end) === right.at(-1 - end)) end += 1;
  return [
    ...toLines('same', left.slice(0, start)),
    ...diffMiddle(left.slice(start, left.length - end), right.slice(start, right.length - end)),
    ...toLines('same', left.slice(left.length - end)),
  ];
}

const linesOf = (text: string): readonly string[] => (text === '' ? [] : text.split(/(?<=\n)/));

const toLines = (kind: DiffLine['kind'], texts: readonly string[]): readonly DiffLine[] =>
  texts.map((text) => ({ kind, text }));

/**
 * For each number of edits, the furthest position in `left` on each diagonal (position in `left` minus position in
 * `right`) before the last edit is made. Null if more than `EDITS_MAX` edits are needed.
 */
function editTrace(left: readonly string[], right: readonly string[]): readonly Int32Array[] | null {
  const most = Math.min(left.length + right.length, EDITS_MAX);
  const furthest = new Int32Array(2 * most + 3);
  const trace: Int32Array[] = [];
  const at = (diagonal: number): number => furthest[diagonal + most + 1] ?? 0;
  for (let edits = 0; edits <= most; edits++) {
    trace.push(furthest.slice(most - edits, most + edits + 3));
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      const isAddition = comesFromAbove(diagonal, edits, at);
      let x = isAddition ? at(diagonal + 1) : at(diagonal - 1) + 1;
      let y = x - diagonal;
      while (x < left.length && y < right.length && left[x] === right[y]) {
        x += 1;
        y += 1;
      }
      furthest[diagonal + most + 1] = x;
      if (x >= left.length && y >= right.length) return trace;
    }
  }
  return null;
}

/** Reports whether the last edit that leads to a diagonal adds a line. */
const comesFromAbove = (diagonal: number, edits: number, at: (diagonal: number) => number): boolean =>
  diagonal === -edits || (diagonal !== edits && at(diagonal - 1) < at(diagonal + 1));

function diffMiddle(left: readonly string[], right: readonly string[]): readonly DiffLine[] {
  const trace = editTrace(left, right);
  if (trace === null) return [...toLines('removed', left), ...toLines('added', right)];
  const reversed: DiffLine[] = [];
  let [x, y] = [left.length, right.length];
  const keepTo = (wantedX: number, wantedY: number): void => {
    while (x > wantedX && y > wantedY) {
      x -= 1;
      y -= 1;
      reversed.push({ kind: 'same', text: left[x] ?? '' });
    }
  };
  for (let edits = trace.length - 1; edits > 0; edits--) {
    const furthest = trace[edits] ?? new Int32Array();
    const at = (diagonal: number): number => furthest[diagonal + edits + 1] ?? 0;
    const diagonal = x - y;
    const isAddition = comesFromAbove(diagonal, edits, at);
    const former = isAddition ? diagonal + 1 : diagonal - 1;
    const [formerX, formerY] = [at(former), at(former) - former];
    keepTo(isAddition ? formerX : formerX + 1, isAddition ? formerY + 1 : formerY);
    if (isAddition) reversed.push({ kind: 'added', text: right[y - 1] ?? '' });
    else reversed.push({ kind: 'removed', text: left[x - 1] ?? '' });
    [x, y] = [formerX, formerY];
  }
  keepTo(0, 0);
  return reversed.reverse();
}
