import type { StoreReader } from '../../src/core/ports/store.ts';
import { TASK_STATUSES, type TaskStatus } from '../../src/core/lifecycle/task-transitions.ts';
import type { StepRecord } from '../../src/core/records/step.ts';
import { keys, lastNumberOfKey } from '../../src/core/records/tables.ts';
import { readTaskStatus, TASKS_PER_PAGE } from '../../src/core/records/task-page.ts';
import { taskStateOf } from '../../src/core/records/task-view.ts';
import { sortedBy, type Paging, type Sorting } from './page-view.ts';

/** Where a task of a page stands. */
export interface TaskPlace {
  readonly step: StepRecord;
  readonly index: number;
}

export interface TaskQuery extends Paging, Sorting<'created_at' | 'status' | 'updated_at' | 'name'> {
  readonly status?: TaskStatus;
}

/**
 * The tasks of a job that one page shows, and how many there are on all pages. Reads packed pages; what is not touched
 * or skipped is counted, not listed: only the sort by `updated_at` looks at every task.
 */
export function taskWindow(
  store: StoreReader,
  steps: readonly StepRecord[],
  query: TaskQuery,
): { readonly total: number; readonly places: readonly TaskPlace[] } {
  const segments = segmentsOf(steps, query);
  const total = segments.reduce((sum, segment) => sum + segment.count, 0);
  const isReversed =
    query.sort_dir === 'desc' && (query.sort_by === 'created_at' || query.sort_by === 'name');
  const places =
    query.sort_by === 'updated_at'
      ? latestOf(store, segments, total, query)
      : windowOf(store, isReversed ? segments.toReversed() : segments, query, isReversed);
  return { total, places };
}

/** All tasks of one step, or those of one status. */
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
  store: StoreReader,
  segments: readonly Segment[],
  paging: Paging,
  descending: boolean,
): readonly TaskPlace[] {
  const places: TaskPlace[] = [];
  let skip = paging.offset;
  for (const segment of segments) {
    if (places.length >= paging.limit) break;
    if (skip >= segment.count) {
      skip -= segment.count;
      continue;
    }
    const picker = new Picker(skip, paging.limit - places.length, descending);
    pick(store, segment, picker);
    for (const index of picker.indices) places.push({ step: segment.step, index });
    skip = 0;
  }
  return places;
}

function pick(store: StoreReader, segment: Segment, picker: Picker): void {
  const { step, status } = segment;
  if (status === null || segment.count === step.taskCount) {
    picker.takeRun(0, step.taskCount);
    return;
  }
  for (const { from, to, page } of runsOf(store, step, picker.descending)) {
    if (picker.isFull) return;
    if (page === null) {
      if (step.untouched.status === status) picker.takeRun(from, to);
      continue;
    }
    for (let nth = 0; nth < to - from; nth += 1) {
      const index = picker.descending ? to - 1 - nth : from + nth;
      if ((readTaskStatus(page, index) ?? step.untouched.status) === status) picker.take(index);
    }
  }
}

/** Passes over the first matches and keeps the next ones. */
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

  take(index: number): void {
    if (this.#skip > 0) this.#skip -= 1;
    else if (!this.isFull) this.indices.push(index);
  }

  /** All indices from `from` up to and without `to`. */
  takeRun(from: number, to: number): void {
    const skipped = Math.min(this.#skip, to - from);
    this.#skip -= skipped;
    const taken = Math.min(to - from - skipped, this.#limit - this.indices.length);
    for (let nth = skipped; nth < skipped + taken; nth += 1) {
      this.indices.push(this.descending ? to - 1 - nth : from + nth);
    }
  }
}

/** Tasks of one page, or a run of tasks without a page (`page` null: all untouched). `to` is not in it. */
interface Run {
  readonly from: number;
  readonly to: number;
  readonly page: Uint8Array | null;
}

/** All tasks of a step as runs, in the order of their indices or against it. */
function* runsOf(store: StoreReader, step: StepRecord, descending: boolean): Generator<Run> {
  const count = step.taskCount;
  const pages = store.scan('taskPage', {
    prefix: keys.taskPagesOf(step.jobId, step.order),
    reverse: descending,
  });
  let next = descending ? count : 0;
  for (const { key, value: page } of pages) {
    const from = lastNumberOfKey(key) * TASKS_PER_PAGE;
    const to = Math.min(from + TASKS_PER_PAGE, count);
    if (descending && to < next) yield { from: to, to: next, page: null };
    if (!descending && from > next) yield { from: next, to: from, page: null };
    yield { from, to, page };
    next = descending ? from : to;
  }
  if (descending && next > 0) yield { from: 0, to: next, page: null };
  if (!descending && next < count) yield { from: next, to: count, page: null };
}

/** The page of a sort by `updated_at`: all times in one packed list, of which only the page's part is put in order. */
function latestOf(
  store: StoreReader,
  segments: readonly Segment[],
  total: number,
  query: TaskQuery,
): readonly TaskPlace[] {
  const sign = query.sort_dir === 'asc' ? 1 : -1;
  const times = new Float64Array(total);
  const indices = new Uint32Array(total);
  const starts: number[] = [];
  let filled = 0;
  for (const { step, status } of segments) {
    starts.push(filled);
    for (const { from, to, page } of runsOf(store, step, false)) {
      for (let index = from; index < to && filled < total; index += 1) {
        const state = taskStateOf(step, page ?? undefined, index);
        if (status !== null && state.status !== status) continue;
        times[filled] = sign * state.updatedAt;
        indices[filled] = index;
        filled += 1;
      }
    }
  }
  const positions = smallest(times.subarray(0, filled), query.offset, query.limit);
  return positions.flatMap((position) => {
    const segment = segments[starts.findLastIndex((start) => start <= position)];
    return segment === undefined ? [] : [{ step: segment.step, index: indices[position] ?? 0 }];
  });
}

/** The positions of the values that come at `offset` and after it when the values are put in order; ties by position. */
function smallest(values: Float64Array, offset: number, limit: number): readonly number[] {
  const sorted = values.toSorted();
  const end = Math.min(offset + limit, sorted.length);
  const low = sorted[offset];
  const high = sorted[end - 1];
  if (low === undefined || high === undefined || end <= offset) return [];
  let lowToSkip = offset - lowerBound(sorted, low);
  let lowToTake = Math.min(lowerBound(sorted, low, true), end) - offset;
  let highToTake = high === low ? 0 : end - lowerBound(sorted, high);
  const positions: number[] = [];
  values.forEach((value, position) => {
    if (value < low || value > high) return;
    if (value === low) {
      if (lowToSkip > 0) {
        lowToSkip -= 1;
        return;
      }
      if (lowToTake === 0) return;
      lowToTake -= 1;
    } else if (value === high) {
      if (highToTake === 0) return;
      highToTake -= 1;
    }
    positions.push(position);
  });
  return positions.sort((left, right) => (values[left] ?? 0) - (values[right] ?? 0) || left - right);
}

/** Where the first value that is not below `value` (or, with `above`, the first above it) stands. */
function lowerBound(sorted: Float64Array, value: number, above = false): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const at = sorted[middle] ?? 0;
    if (at < value || (above && at === value)) low = middle + 1;
    else high = middle;
  }
  return low;
}
