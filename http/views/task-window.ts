import { positionsAt, type ValueBlock } from '../../src/core/lists/ranks.ts';
import { TASKS_PER_BLOCK, type StepTasks } from '../../src/core/lists/step-tasks.ts';
import { TASK_STATUSES, type TaskStatus } from '../../src/core/lifecycle/task-transitions.ts';
import type { StepRecord } from '../../src/core/records/step.ts';
import { sortedBy, type Paging, type Sorting } from './page-view.ts';

/** Position of a task in the job. */
export interface TaskPosition {
  readonly step: StepRecord;
  readonly index: number;
}

export interface TaskQuery extends Paging, Sorting<'created_at' | 'status' | 'updated_at' | 'name'> {
  readonly status?: TaskStatus;
}

/** Returns the current status and time of the tasks of a step. */
export type TasksOf = (step: StepRecord) => StepTasks;

/**
 * Returns the tasks of a job on one page, and their total number. Untouched or skipped tasks are counted, not listed;
 * only the sort by `updated_at` reads every task. `tasksOf` is called only for steps whose tasks differ.
 */
export function taskWindow(
  tasksOf: TasksOf,
  steps: readonly StepRecord[],
  query: TaskQuery,
): { readonly total: number; readonly places: readonly TaskPosition[] } {
  const segments = segmentsOf(steps, query);
  const total = segments.reduce((sum, segment) => sum + segment.count, 0);
  const isReversed =
    query.sort_dir === 'desc' && (query.sort_by === 'created_at' || query.sort_by === 'name');
  const places =
    query.sort_by === 'updated_at'
      ? byTime(tasksOf, segments, query)
      : windowOf(tasksOf, isReversed ? segments.toReversed() : segments, query, isReversed);
  return { total, places };
}

/** All tasks of one step, or those with one status. */
interface Segment {
  readonly step: StepRecord;
  readonly status: TaskStatus | null;
  readonly count: number;
}

function segmentsOf(steps: readonly StepRecord[], query: TaskQuery): readonly Segment[] {
  const { status, sort_by: sortBy, sort_dir: direction } = query;
  const of = (step: StepRecord, only: TaskStatus | null): Segment => ({
    step,
    status: only,
    count: only === null ? step.taskCount : step.taskCounts[only],
  });
  if (sortBy === 'status') {
    const statuses = status === undefined ? sortedBy(TASK_STATUSES, (name) => name, direction) : [status];
    return statuses.flatMap((only) => steps.map((step) => of(step, only)));
  }
  const ordered = sortBy === 'name' ? sortedBy(steps, (step) => step.name, 'asc') : steps;
  return ordered.map((step) => of(step, status ?? null));
}

function windowOf(
  tasksOf: TasksOf,
  segments: readonly Segment[],
  paging: Paging,
  descending: boolean,
): readonly TaskPosition[] {
  const places: TaskPosition[] = [];
  let skip = paging.offset;
  for (const segment of segments) {
    if (places.length >= paging.limit) break;
    if (skip >= segment.count) {
      skip -= segment.count;
      continue;
    }
    const picker = new Picker(skip, paging.limit - places.length, descending);
    pick(tasksOf, segment, picker);
    for (const index of picker.indices) places.push({ step: segment.step, index });
    skip = 0;
  }
  return places;
}

function pick(tasksOf: TasksOf, { step, status, count }: Segment, picker: Picker): void {
  if (status === null || count === step.taskCount) {
    picker.takeRun(0, step.taskCount);
    return;
  }
  const tasks = tasksOf(step);
  const untouched = step.untouched.status;
  for (let nth = 0; nth < tasks.blockCount && !picker.isFull; nth += 1) {
    const block = picker.descending ? tasks.blockCount - 1 - nth : nth;
    const found = tasks.countIn(block, status, untouched);
    if (picker.skipAll(found)) continue;
    const from = block * TASKS_PER_BLOCK;
    const to = from + tasks.sizeOf(block);
    if (found === to - from) picker.takeRun(from, to);
    else picker.takeThose(from, to, tasks.matcher(block, status, untouched));
  }
}

/** Skips the first matches and keeps the following ones. */
class Picker {
  readonly indices: number[] = [];
  readonly descending: boolean;
  #skip: number;
  readonly #limit: number;

  constructor(skip: number, limit: number, descending: boolean) {
    this.#skip = skip;
    this.#limit = limit;
    this.descending = descending;
  }

  get isFull(): boolean {
    return this.indices.length >= this.#limit;
  }

  /** Skips `matches` matches if none of them is kept. */
  skipAll(matches: number): boolean {
    if (matches > this.#skip) return false;
    this.#skip -= matches;
    return true;
  }

  /** Takes the matching indices from `from` (inclusive) to `to` (exclusive). */
  takeThose(from: number, to: number, fits: (index: number) => boolean): void {
    for (let nth = 0; nth < to - from && !this.isFull; nth += 1) {
      const index = this.descending ? to - 1 - nth : from + nth;
      if (!fits(index)) continue;
      if (this.#skip > 0) this.#skip -= 1;
      else this.indices.push(index);
    }
  }

  /** Takes all indices from `from` (inclusive) to `to` (exclusive). */
  takeRun(from: number, to: number): void {
    const skipped = Math.min(this.#skip, to - from);
    this.#skip -= skipped;
    const taken = Math.min(to - from - skipped, this.#limit - this.indices.length);
    for (let nth = skipped; nth < skipped + taken; nth += 1) {
      this.indices.push(this.descending ? to - 1 - nth : from + nth);
    }
  }
}

/** Returns the page of a sort by `updated_at`. Counts times by range and sorts only the part of the page. */
function byTime(tasksOf: TasksOf, segments: readonly Segment[], query: TaskQuery): readonly TaskPosition[] {
  const starts: number[] = [];
  const blocks: ValueBlock[] = [];
  let first = 0;
  for (const { step, status, count } of segments) {
    starts.push(first);
    if (count > 0) for (const block of tasksOf(step).times(status, step.untouched, first)) blocks.push(block);
    first += step.taskCount;
  }
  const { offset, limit } = query;
  const positions = positionsAt(blocks, { offset, limit, descending: query.sort_dir === 'desc' });
  return positions.flatMap((position) => {
    const nth = starts.findLastIndex((start) => start <= position);
    const segment = segments[nth];
    return segment === undefined ? [] : [{ step: segment.step, index: position - (starts[nth] ?? 0) }];
  });
}
