import type { AxisReader } from './axis-reader.ts';
import { PrefixSums } from './prefix-sums.ts';
import type { IntegerRun } from '../../primitives/integer-set.ts';

/** A run whose integers are exact as numbers. */
interface SmallRun {
  readonly start: number;
  readonly step: number;
  readonly count: number;
}

/** Returns the integers of a set of runs, by position. */
export function integerAxis(runs: readonly IntegerRun[]): AxisReader {
  const sums = new PrefixSums(runs.map((run) => run.count));
  const small = runs.map(smallRun);
  const valueOf = (order: number, offset: number): string => {
    const quick = small[order];
    if (quick !== null && quick !== undefined) return String(quick.start + offset * quick.step);
    const run = runs[order];
    if (run === undefined) throw new RangeError('no such run');
    return String(BigInt(run.start) + BigInt(offset) * BigInt(run.step));
  };
  const only = small.length === 1 ? small[0] : null;
  return {
    length: sums.total,
    valueAt: (index) => {
      if (only !== null && only !== undefined) return String(only.start + index * only.step);
      const order = sums.find(index);
      return valueOf(order, index - sums.before(order));
    },
    indicesOf: (value) => indexIn(runs, sums, value),
  };
}

/** The runs of a step contain no integer twice, so there is at most one. */
function indexIn(runs: readonly IntegerRun[], sums: PrefixSums, text: string): number[] {
  if (!/^-?[0-9]{1,19}$/.test(text)) return [];
  const value = BigInt(text);
  if (String(value) !== text) return [];
  for (const [order, run] of runs.entries()) {
    const distance = value - BigInt(run.start);
    const step = BigInt(run.step);
    if (distance >= 0n && distance % step === 0n && distance / step < BigInt(run.count)) {
      return [sums.before(order) + Number(distance / step)];
    }
  }
  return [];
}

function smallRun(run: IntegerRun): SmallRun | null {
  const start = Number(run.start);
  const step = Number(run.step);
  const last = start + step * (run.count - 1);
  return Number.isSafeInteger(start) && Number.isSafeInteger(step) && Number.isSafeInteger(last)
    ? { start, step, count: run.count }
    : null;
}
