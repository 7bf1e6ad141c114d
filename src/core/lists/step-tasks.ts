/**
 * States of a block: null (none of its tasks has a record), filled. Invariants: `counts` of a block add up to its
 * number of tasks; `#filled` is the number of filled blocks. Exits: `clear` drops a block before it is read again.
 */

import { TASK_STATUSES, type TaskStatus } from '../lifecycle/task-transitions.ts';
import { bucketOfValue, type BucketOf, type FoundValues, type ValueBlock } from './ranks.ts';
import { readPageColumns, statusCodeOf, TASKS_PER_PAGE } from '../records/task-page.ts';

/** Number of pages that are read again together when one of them may have changed. */
export const PAGES_PER_BLOCK = 64;
export const TASKS_PER_BLOCK = PAGES_PER_BLOCK * TASKS_PER_PAGE;

const CODES = 1 + TASK_STATUSES.length;
/** Memory of a block: code and time of each task, and the counts. */
const BLOCK_BYTES = TASKS_PER_BLOCK * 9 + CODES * 2;
const BYTES_PER_PLACE = 16;

/** Tasks of a block in which at least one task has a record. */
interface Block {
  readonly codes: Uint8Array;
  readonly updatedAt: Float64Array;
  /** Number of tasks by code. */
  readonly counts: Uint16Array;
  /** Earliest and latest time of a task that has a record. */
  low: number;
  high: number;
}

/**
 * Status and time of the tasks of one step that have a record, as columns in blocks: the fields by which lists of tasks
 * are filtered and sorted. A block without records takes no memory.
 */
export class StepTasks {
  readonly taskCount: number;
  readonly #blocks: (Block | null)[];
  #filled = 0;

  constructor(taskCount: number) {
    this.taskCount = taskCount;
    this.#blocks = Array.from({ length: Math.ceil(taskCount / TASKS_PER_BLOCK) }, () => null);
  }

  get blockCount(): number {
    return this.#blocks.length;
  }

  /** Returns the memory of the columns in bytes. */
  get bytes(): number {
    return this.#blocks.length * BYTES_PER_PLACE + this.#filled * BLOCK_BYTES;
  }

  /** Clears a block: none of its tasks has a record any longer. */
  clear(block: number): void {
    if (this.#blocks[block] === null) return;
    this.#blocks[block] = null;
    this.#filled -= 1;
  }

  /** Adds a page by its number. If its block was read before, it must have been cleared. */
  addPage(number: number, page: Uint8Array): void {
    const place = Math.floor(number / PAGES_PER_BLOCK);
    if (place >= this.#blocks.length) return;
    const block = this.#blocks[place] ?? this.#fill(place);
    const at = (number % PAGES_PER_BLOCK) * TASKS_PER_PAGE;
    readPageColumns(page, block.codes, block.updatedAt, at);
    const end = Math.min(at + TASKS_PER_PAGE, this.sizeOf(place));
    for (let nth = at; nth < end; nth += 1) {
      const code = block.codes[nth] ?? 0;
      block.counts[0] = (block.counts[0] ?? 0) - 1;
      block.counts[code] = (block.counts[code] ?? 0) + 1;
      const time = block.updatedAt[nth] ?? 0;
      if (code === 0) continue;
      if (time < block.low) block.low = time;
      if (time > block.high) block.high = time;
    }
  }

  #fill(place: number): Block {
    const block = {
      codes: new Uint8Array(TASKS_PER_BLOCK),
      updatedAt: new Float64Array(TASKS_PER_BLOCK),
      counts: new Uint16Array(CODES),
      low: Infinity,
      high: -Infinity,
    };
    block.counts[0] = this.sizeOf(place);
    this.#blocks[place] = block;
    this.#filled += 1;
    return block;
  }

  /** Returns the number of tasks in a block. */
  sizeOf(block: number): number {
    return Math.max(0, Math.min(TASKS_PER_BLOCK, this.taskCount - block * TASKS_PER_BLOCK));
  }

  /** Returns the number of tasks of a block with a status. `untouched` is the status of tasks without a record. */
  countIn(block: number, status: TaskStatus, untouched: TaskStatus): number {
    const counts = this.#blocks[block]?.counts;
    const without = status !== untouched ? 0 : counts === undefined ? this.sizeOf(block) : (counts[0] ?? 0);
    return without + (counts?.[statusCodeOf(status)] ?? 0);
  }

  /** Writes one cell per task: `byCode` maps the code of its record, 0 for an untouched task, to the cell. */
  writeCells(cells: Uint8Array, byCode: Uint8Array): void {
    for (const [place, block] of this.#blocks.entries()) {
      const first = place * TASKS_PER_BLOCK;
      const size = this.sizeOf(place);
      if (block === null) {
        cells.fill(byCode[0] ?? 0, first, first + size);
        continue;
      }
      const { codes } = block;
      for (let nth = 0; nth < size; nth += 1) cells[first + nth] = byCode[codes[nth] ?? 0] ?? 0;
    }
  }

  /** Returns the test of tasks of a block, by index in the step, for a status. */
  matcher(block: number, status: TaskStatus, untouched: TaskStatus): (index: number) => boolean {
    const held = this.#blocks[block] ?? null;
    const code = statusCodeOf(status);
    const isUntouched = status === untouched;
    if (held === null) return () => isUntouched;
    const { codes } = held;
    const first = block * TASKS_PER_BLOCK;
    return (index) => {
      const found = codes[index - first];
      return found === code || (isUntouched && found === 0);
    };
  }

  /**
   * Returns the times of all tasks, or of those with one status. The position of a task is its index in the step,
   * starting at `first`.
   */
  times(
    only: TaskStatus | null,
    untouched: { readonly status: TaskStatus; readonly updatedAt: number },
    first: number,
  ): readonly ValueBlock[] {
    const wanted = Uint8Array.from({ length: CODES }, (_, code) =>
      only === null || code === statusCodeOf(only) || (code === 0 && only === untouched.status) ? 1 : 0,
    );
    return this.#blocks.map((block, place) => {
      const size = this.sizeOf(place);
      const position = first + place * TASKS_PER_BLOCK;
      if (block === null) {
        return new UntouchedTimes(untouched.updatedAt, wanted[0] === 1 ? size : 0, position);
      }
      const count = only === null ? size : this.countIn(place, only, untouched.status);
      return new BlockTimes(block, { size, count, wanted, untouchedAt: untouched.updatedAt, position });
    });
  }
}

class UntouchedTimes implements ValueBlock {
  readonly low: number;
  readonly high: number;
  readonly count: number;
  readonly #position: number;

  constructor(time: number, count: number, position: number) {
    this.low = time;
    this.high = time;
    this.count = count;
    this.#position = position;
  }

  countInto(counts: Uint32Array, bucketOf: BucketOf): void {
    const bucket = bucketOfValue(bucketOf, this.low);
    counts[bucket] = (counts[bucket] ?? 0) + this.count;
  }

  collect(found: FoundValues): void {
    for (let nth = 0; nth < this.count; nth += 1) found.add(this.low, this.#position + nth);
  }
}

interface Looked {
  readonly size: number;
  readonly count: number;
  /** By code: 1 for matching tasks. */
  readonly wanted: Uint8Array;
  readonly untouchedAt: number;
  readonly position: number;
}

class BlockTimes implements ValueBlock {
  readonly low: number;
  readonly high: number;
  readonly count: number;
  readonly #block: Block;
  readonly #looked: Looked;

  constructor(block: Block, looked: Looked) {
    const withUntouched = looked.wanted[0] === 1 && (block.counts[0] ?? 0) > 0;
    this.low = withUntouched ? Math.min(block.low, looked.untouchedAt) : block.low;
    this.high = withUntouched ? Math.max(block.high, looked.untouchedAt) : block.high;
    this.count = looked.count;
    this.#block = block;
    this.#looked = looked;
  }

  countInto(counts: Uint32Array, bucketOf: BucketOf): void {
    const { codes, updatedAt } = this.#block;
    const { size, wanted, untouchedAt } = this.#looked;
    for (let nth = 0; nth < size; nth += 1) {
      const code = codes[nth] ?? 0;
      if (wanted[code] === 0) continue;
      const bucket = bucketOfValue(bucketOf, code === 0 ? untouchedAt : (updatedAt[nth] ?? 0));
      counts[bucket] = (counts[bucket] ?? 0) + 1;
    }
  }

  collect(found: FoundValues, bucketOf: BucketOf, from: number, to: number): void {
    const { codes, updatedAt } = this.#block;
    const { size, wanted, untouchedAt, position } = this.#looked;
    for (let nth = 0; nth < size; nth += 1) {
      const code = codes[nth] ?? 0;
      if (wanted[code] === 0) continue;
      const value = code === 0 ? untouchedAt : (updatedAt[nth] ?? 0);
      const bucket = bucketOfValue(bucketOf, value);
      if (bucket >= from && bucket <= to) found.add(value, position + nth);
    }
  }
}
