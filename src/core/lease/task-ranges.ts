/**
 * Invariants: the runs are disjoint, sorted and never adjacent; `total` is the sum of their lengths. Exits: `remove`
 * and `takeFirst` take indices out.
 */

import { partitionPoint } from '../../openjd/primitives/partition-point.ts';
/** A run of `count` task indices, beginning at `start`. */
export interface TaskRange {
  readonly start: number;
  readonly count: number;
}

/** A set of task indices of one step as sorted runs: a million ready tasks are one run. */
export class TaskRanges {
  /** Disjoint, sorted, never adjacent; `end` is exclusive. */
  private runs: { start: number; end: number }[] = [];
  private total = 0;

  constructor(ranges: Iterable<TaskRange> = []) {
    for (const range of ranges) this.add(range);
  }

  get size(): number {
    return this.total;
  }

  /** Adds indices. Indices that are already in the set are ignored. */
  add(range: TaskRange): void {
    if (range.count <= 0) return;
    let start = range.start;
    let end = range.start + range.count;
    const first = this.firstRunEndingAtOrAfter(start);
    let last = first;
    for (let run = this.runs[last]; run !== undefined && run.start <= end; run = this.runs[++last]) {
      start = Math.min(start, run.start);
      end = Math.max(end, run.end);
      this.total -= run.end - run.start;
    }
    this.runs.splice(first, last - first, { start, end });
    this.total += end - start;
  }

  /** Removes an index. Reports whether it was in the set. */
  remove(index: number): boolean {
    const at = this.firstRunEndingAtOrAfter(index + 1);
    const run = this.runs[at];
    if (run === undefined || run.start > index) return false;
    const parts = [];
    if (run.start < index) parts.push({ start: run.start, end: index });
    if (index + 1 < run.end) parts.push({ start: index + 1, end: run.end });
    this.runs.splice(at, 1, ...parts);
    this.total--;
    return true;
  }

  /** Removes and returns up to `howMany` of the lowest indices. */
  takeFirst(howMany: number): TaskRange[] {
    const taken: TaskRange[] = [];
    let left = howMany;
    let used = 0;
    for (let run = this.runs[0]; run !== undefined && left > 0; run = this.runs[used]) {
      const count = Math.min(left, run.end - run.start);
      taken.push({ start: run.start, count });
      left -= count;
      this.total -= count;
      if (count < run.end - run.start) {
        this.runs[used] = { start: run.start + count, end: run.end };
        break;
      }
      used++;
    }
    if (used > 0) this.runs.splice(0, used);
    return taken;
  }

  has(index: number): boolean {
    const run = this.runs[this.firstRunEndingAtOrAfter(index + 1)];
    return run !== undefined && run.start <= index;
  }

  *[Symbol.iterator](): Generator<TaskRange> {
    for (const run of this.runs) yield { start: run.start, count: run.end - run.start };
  }

  private firstRunEndingAtOrAfter(at: number): number {
    return partitionPoint(this.runs.length, (place) => (this.runs[place]?.end ?? Infinity) < at);
  }
}
