import { integerIn } from './numbers.ts';

/** What a range expression stands for. */
export type RangeReading =
  | { readonly ok: true; readonly count: bigint; readonly first: bigint; readonly last: bigint }
  | { readonly ok: false; readonly detail: string };

const PARTS_MAX = 10_000;
const INT = '(-?[0-9]+)';
const GAP = '[ \\t]*';
const PART = new RegExp(`^${GAP}${INT}(?:${GAP}-${GAP}${INT}(?:${GAP}:${GAP}${INT})?)?${GAP}$`);

interface Run {
  readonly first: bigint;
  readonly last: bigint;
  readonly count: bigint;
}

/** Reads a range expression (OpenJD, section 3.4.1.1.1): `1-5,10-20:2`. Its integers count once each, and parts may not overlap. */
export function readRange(text: string): RangeReading {
  if (text.trim() === '') return refused('The range is empty. Write frames like 1-100, 1-100:5 or 1,4,7-9.');
  const parts = text.split(',', PARTS_MAX + 1);
  if (parts.length > PARTS_MAX)
    return refused(`A range has at most ${PARTS_MAX.toLocaleString('en')} parts.`);
  const runs: Run[] = [];
  for (const part of parts) {
    const run = runOf(part);
    if (typeof run === 'string') return refused(run);
    runs.push(run);
  }
  runs.sort((a, b) => (a.first < b.first ? -1 : a.first > b.first ? 1 : 0));
  let count = 0n;
  let before: Run | null = null;
  for (const run of runs) {
    if (before !== null && run.first <= before.last)
      return refused(`The parts that begin at ${before.first} and at ${run.first} overlap.`);
    count += run.count;
    before = run;
  }
  return { ok: true, count, first: runs[0]?.first ?? 0n, last: before?.last ?? 0n };
}

function runOf(part: string): Run | string {
  const shown = `“${part.trim().slice(0, 40)}”`;
  const match = PART.exec(part);
  if (match === null)
    return part.trim() === ''
      ? 'There is nothing between two commas, or behind the last one.'
      : `${shown} is no part of a range: write 5, 1-10 or 1-10:2.`;
  const [first, last, step] = [match[1], match[2] ?? match[1], match[3] ?? '1'].map((digits) =>
    integerIn(digits ?? ''),
  );
  if (typeof first !== 'bigint' || typeof last !== 'bigint' || typeof step !== 'bigint')
    return `${shown} has a number that is too large.`;
  if (step === 0n) return `${shown} has the step 0.`;
  if (first === last) return { first, last, count: 1n };
  if (first < last !== step > 0n)
    return first < last
      ? `${shown} goes up with a negative step.`
      : `${shown} goes down: write a negative step, as in ${first}-${last}:-1.`;
  const stride = step < 0n ? -step : step;
  const count = (first < last ? last - first : first - last) / stride + 1n;
  const end = first + step * (count - 1n);
  return first < last ? { first, last: end, count } : { first: end, last: first, count };
}

const refused = (detail: string): RangeReading => ({ ok: false, detail });
