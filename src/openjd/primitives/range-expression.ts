import { parseInteger } from './numbers.ts';
import { quoteForMessage } from './text-rules.ts';
import { lastOf, normalRuns, type Run } from './integer-set.ts';

type ParsedRange =
  | { readonly ok: true; readonly runs: Run[] }
  | { readonly ok: false; readonly detail: string };

const INT = '(-?[0-9]+)';
const GAP = '[ \\t]*';
const ONE = `${GAP}${INT}(?:${GAP}-${GAP}${INT}(?:${GAP}:${GAP}${INT})?)?${GAP}`;
const ELEMENT = new RegExp(`^${ONE}$`);
/** Syntax of a range expression, without the rules on its numbers. */
export const RANGE_SYNTAX = new RegExp(`^${ONE}(?:,${ONE})*$`);

/**
 * Parses a range expression (specification, section 3.4.1.1.1): `1-5,10-20:2`. Returns its integers in ascending order
 * as runs in normal form. Errors: invalid syntax, a step in the wrong direction, step 0, numbers beyond 64 bits,
 * overlapping parts, too many parts.
 */
export function parseRange(text: string, maxParts: number): ParsedRange {
  if (text.trim() === '') return failed('the range is empty');
  const parts = text.split(',', maxParts + 1);
  if (parts.length > maxParts) return failed(`the range has more than ${maxParts} parts`);
  const runs: Run[] = [];
  for (const part of parts) {
    const run = parseElement(part);
    if (typeof run === 'string') return failed(run);
    runs.push(run);
  }
  runs.sort((a, b) => (a.start < b.start ? -1 : a.start > b.start ? 1 : 0));
  for (let index = 1; index < runs.length; index++) {
    const previous = runs[index - 1];
    const run = runs[index];
    if (previous !== undefined && run !== undefined && run.start <= lastOf(previous)) {
      return failed(`the parts that begin at ${previous.start} and at ${run.start} overlap`);
    }
  }
  return { ok: true, runs: normalRuns(runs) };
}

function parseElement(text: string): Run | string {
  const match = ELEMENT.exec(text);
  if (match === null) {
    return `${quoteForMessage(text.trim())} is not a part of a range: write 5, 1-10 or 1-10:2`;
  }
  const [first, last, step] = [match[1], match[2] ?? match[1], match[3] ?? '1'].map((digits) =>
    parseInteger(digits ?? ''),
  );
  if (typeof first !== 'bigint' || typeof last !== 'bigint' || typeof step !== 'bigint') {
    return `${quoteForMessage(text.trim())} is outside the range of 64-bit integers`;
  }
  if (step === 0n) return `${quoteForMessage(text.trim())} has the step 0`;
  if (first === last) return { start: first, step: step < 0n ? -step : step, count: 1n };
  if (first < last !== step > 0n) {
    return first < last
      ? `${quoteForMessage(text.trim())} goes up with a negative step`
      : `${quoteForMessage(text.trim())} goes down without a negative step; write ${first}-${last}:-${step}`;
  }
  const stride = step < 0n ? -step : step;
  const count = (first < last ? last - first : first - last) / stride + 1n;
  return { start: first < last ? first : first - stride * (count - 1n), step: stride, count };
}

const failed = (detail: string): ParsedRange => ({ ok: false, detail });
