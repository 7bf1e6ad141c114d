import type { ChunkCut } from '../space-description.ts';
import type { AxisReader } from './axis-reader.ts';
import {
  lastOf,
  runsOfDescription,
  shortestText,
  type Run,
  type IntegerRun,
} from '../../primitives/integer-set.ts';
import { PrefixSums } from './prefix-sums.ts';

/** Chunks of a set of integers. */
export interface ChunkAxis extends AxisReader {
  /** Returns the number of integers before a chunk, for chunks 0 to length. */
  readonly startOf: (index: number) => number;
}

/**
 * Returns the chunks of a set of integers, by position, as text (specification, section 3.4.1.5). `skipped`: number of
 * its first integers that are left out.
 */
export function chunkAxis(described: readonly IntegerRun[], cut: ChunkCut, skipped = 0): ChunkAxis {
  const runs = withoutFirst(runsOfDescription(described), skipped);
  const axis = cut.constraint === 'CONTIGUOUS' ? contiguous(runs, cut) : noncontiguous(runs, cut);
  return {
    ...axis,
    indicesOf: (value) => {
      const first = /^-?[0-9]{1,19}/.exec(value)?.[0];
      const index = first === undefined ? null : axis.chunkOf(BigInt(first));
      return index !== null && axis.valueAt(index) === value ? [index] : [];
    },
  };
}

interface Chunks {
  readonly length: number;
  readonly valueAt: (index: number) => string;
  /** Returns the number of integers before a chunk, for chunks 0 to length. */
  readonly startOf: (index: number) => number;
  /** Returns the chunk that contains an integer, or null. */
  readonly chunkOf: (value: bigint) => number | null;
}

/** Returns the number of chunks of a row of `length` integers. */
const chunkCount = (length: number, cut: ChunkCut): number => Math.ceil(length / cut.size);

/** Consecutive integers, or (step above 1) integers of which no two are consecutive. */
interface Row {
  readonly start: bigint;
  readonly step: bigint;
  readonly count: number;
}

/** Cuts every maximal row of consecutive integers separately. */
function contiguous(runs: readonly Run[], cut: ChunkCut): Chunks {
  const rows = rowsOf(runs);
  const counts = rows.map((row) => (row.step === 1n ? chunkCount(row.count, cut) : row.count));
  const sums = new PrefixSums(counts);
  const integers = new PrefixSums(rows.map((row) => row.count));
  return {
    length: sums.total,
    startOf: (index) => {
      if (index >= sums.total) return integers.total;
      const order = sums.find(index);
      const row = rows[order];
      const chunk = index - sums.before(order);
      const isSpread = row?.step === 1n;
      const offset = isSpread ? spreadStart(chunk, row.count, counts[order] ?? 1, cut) : chunk;
      return integers.before(order) + offset;
    },
    valueAt: (index) => {
      const order = sums.find(index);
      const row = rows[order];
      if (row === undefined) throw new RangeError('no such chunk');
      const chunk = index - sums.before(order);
      if (row.step !== 1n) {
        const value = row.start + BigInt(chunk) * row.step;
        return `${value}-${value}`;
      }
      const first = spreadStart(chunk, row.count, counts[order] ?? 1, cut);
      const end = spreadStart(chunk + 1, row.count, counts[order] ?? 1, cut);
      return `${row.start + BigInt(first)}-${row.start + BigInt(end) - 1n}`;
    },
    chunkOf: (value) => {
      const order = rows.findIndex(
        (row) => value >= row.start && value < row.start + BigInt(row.count) * row.step,
      );
      const row = rows[order];
      if (row === undefined) return null;
      const offset = Number((value - row.start) / row.step);
      if (row.step !== 1n) return sums.before(order) + offset;
      const chunks = counts[order] ?? 1;
      return (
        sums.before(order) + holderOf(offset, chunks, (chunk) => spreadStart(chunk, row.count, chunks, cut))
      );
    },
  };
}

/**
 * Returns the start of chunk `chunk` of `chunks` in a row: chunks of similar size, with the longer ones spread evenly.
 */
function spreadStart(chunk: number, length: number, chunks: number, cut: ChunkCut): number {
  if (chunk >= chunks) return length;
  if (cut.greedy) return chunk * cut.size;
  const base = Math.floor(length / chunks);
  const longer = length % chunks;
  const product = chunk * longer;
  const extra = Number.isSafeInteger(product)
    ? Math.ceil(product / chunks)
    : Number((BigInt(chunk) * BigInt(longer) + BigInt(chunks) - 1n) / BigInt(chunks));
  return chunk * base + extra;
}

/** Cuts the whole set in increasing order; the first chunks are the longer ones. */
function noncontiguous(runs: readonly Run[], cut: ChunkCut): Chunks {
  const sums = new PrefixSums(runs.map((run) => Number(run.count)));
  const chunks = chunkCount(sums.total, cut);
  const base = Math.floor(sums.total / Math.max(1, chunks));
  const longer = sums.total % Math.max(1, chunks);
  const startOf = (chunk: number): number => {
    if (chunk >= chunks) return sums.total;
    return cut.greedy ? chunk * cut.size : chunk * base + Math.min(chunk, longer);
  };
  return {
    length: chunks,
    startOf,
    valueAt: (index) => shortestText(slice(runs, sums, startOf(index), startOf(index + 1))),
    chunkOf: (value) => {
      const order = runs.findIndex((run) => value >= run.start && value <= lastOf(run));
      const run = runs[order];
      if (run === undefined || (value - run.start) % run.step !== 0n) return null;
      return holderOf(sums.before(order) + Number((value - run.start) / run.step), chunks, startOf);
    },
  };
}

/** Returns the last chunk that begins at or before an offset. */
function holderOf(offset: number, chunks: number, startOf: (chunk: number) => number): number {
  let low = 0;
  let high = chunks - 1;
  while (low < high) {
    const middle = low + Math.ceil((high - low) / 2);
    if (startOf(middle) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}

function withoutFirst(runs: readonly Run[], skipped: number): readonly Run[] {
  if (skipped === 0) return runs;
  const sums = new PrefixSums(runs.map((run) => Number(run.count)));
  return slice(runs, sums, skipped, sums.total);
}

function slice(runs: readonly Run[], sums: PrefixSums, from: number, to: number): Run[] {
  const result: Run[] = [];
  for (let order = sums.find(from), at = from; at < to; order++) {
    const run = runs[order];
    if (run === undefined) break;
    const end = Math.min(to, sums.before(order + 1));
    const skipped = BigInt(at - sums.before(order));
    result.push({ start: run.start + skipped * run.step, step: run.step, count: BigInt(end - at) });
    at = end;
  }
  return result;
}

/**
 * Cuts runs at their gaps: only the ends of a run with a step can be adjacent to another run, its inner integers
 * cannot.
 */
function rowsOf(runs: readonly Run[]): Row[] {
  const rows: Row[] = [];
  const addConsecutive = (start: bigint, count: bigint): void => {
    const previous = rows.at(-1);
    if (previous?.step === 1n && previous.start + BigInt(previous.count) === start) {
      rows[rows.length - 1] = { ...previous, count: previous.count + Number(count) };
    } else rows.push({ start, step: 1n, count: Number(count) });
  };
  for (const run of runs) {
    if (run.step === 1n || run.count === 1n) addConsecutive(run.start, run.count);
    else {
      addConsecutive(run.start, 1n);
      if (run.count > 2n)
        rows.push({ start: run.start + run.step, step: run.step, count: Number(run.count - 2n) });
      addConsecutive(lastOf(run), 1n);
    }
  }
  return rows;
}
