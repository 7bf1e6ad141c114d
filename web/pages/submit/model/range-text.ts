import { integerIn } from './numbers.ts';

/** The values of a range expression, or an error text. */
export type RangeReading =
  | { readonly ok: true; readonly count: bigint; readonly first: bigint; readonly last: bigint }
  | { readonly ok: false; readonly detail: string };

const MAX_PARTS = 10_000;
const INT = '(-?[0-9]+)';
const GAP = '[ \\t]*';
const PART = new RegExp(`^${GAP}${INT}(?:${GAP}-${GAP}${INT}(?:${GAP}:${GAP}${INT})?)?${GAP}$`);

interface Run {
  readonly first: bigint;
  readonly last: bigint;
  readonly count: bigint;
}

/** Parses a range expression (OpenJD, section 3.4.1.1.1): `1-5,10-20:2`. Parts must not overlap. */
export function readRange(text: string): RangeReading {
  if (text.trim() === '')
    return invalid('The range is empty. Enter frames such as 1-100, 1-100:5, or 1,4,7-9.');
  const parts = text.split(',', MAX_PARTS + 1);
  if (parts.length > MAX_PARTS)
    return invalid(`A range has at most ${MAX_PARTS.toLocaleString('en')} parts.`);
  const runs: Run[] = [];
  for (const part of parts) {
    const run = runOf(part);
    if (typeof run === 'string') return invalid(run);
    runs.push(run);
  }
  runs.sort((a, b) => (a.first < b.first ? -1 : a.first > b.first ? 1 : 0));
  let count = 0n;
  let before: Run | null = null;
  for (const run of runs) {
    if (before !== null && run.first <= before.last)
      return invalid(`The parts that start at ${before.first} and ${run.first} overlap.`);
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
      ? 'A part between or after the commas is empty.'
      : `Invalid range ${shown}. Use 5, 1-10, or 1-10:2.`;
  const [first, last, step] = [match[1], match[2] ?? match[1], match[3] ?? '1'].map((digits) =>
    integerIn(digits ?? ''),
  );
  if (typeof first !== 'bigint' || typeof last !== 'bigint' || typeof step !== 'bigint')
    return `A number in ${shown} is too large.`;
  if (step === 0n) return `Invalid step 0 in ${shown}. Use a positive or negative step.`;
  if (first === last) return { first, last, count: 1n };
  if (first < last !== step > 0n)
    return first < last
      ? `Ascending range ${shown} with a negative step. Use a positive step.`
      : `Descending range ${shown}. Use a negative step, such as ${first}-${last}:-1.`;
  const stride = step < 0n ? -step : step;
  const count = (first < last ? last - first : first - last) / stride + 1n;
  const end = first + step * (count - 1n);
  return first < last ? { first, last: end, count } : { first: end, last: first, count };
}

const invalid = (detail: string): RangeReading => ({ ok: false, detail });
