import { TASK_STATUSES, type TaskStatus } from '../lifecycle/task-transitions.ts';

/**
 * Packed task state: a step's tasks in pages of fixed-width records (docs/architecture.md#tasks-are-indices). A record
 * that was never written, or is on a missing page, belongs to an untouched task: its status is the step's
 * `untouched.status`.
 *
 * Layout of a record, little-endian, 32 bytes: status u8 (0 untouched, else 1 + index in TASK_STATUSES), flags u8,
 * failed attempts u16, number of the latest attempt u32, updated at f64, assigned at or retry after f64 (by status),
 * worker ordinal u32, reserved u32. Null is 0: in the time by status and in the worker ordinal.
 */
export const TASKS_PER_PAGE = 32;
const RECORD_BYTES = 32;
export const TASK_PAGE_BYTES = TASKS_PER_PAGE * RECORD_BYTES;

const FLAG_HAS_TEXT = 1;
const FLAG_UNSCHEDULABLE = 2;
/** Pages of an earlier version do not have this flag: their tasks need a look at the attempt. */
const FLAG_SILENT = 4;
const FLAG_EXITING = 8;
const FLAG_CASCADED = 16;
const FLAG_SKIPPED = 32;

/**
 * The state of one touched task. Times are milliseconds since the epoch. Every status has the same fields, so that all
 * objects have one hidden class.
 */
export interface TaskState {
  readonly status: TaskStatus;
  /** Genuine failures since the last manual retry. */
  readonly failedAttempts: number;
  /** Number of the latest attempt. Counts from 1; 0 means no attempt so far. */
  readonly attemptNumber: number;
  readonly updatedAt: number;
  /** When the latest attempt was assigned. Null without an attempt since the last retry, and for a ready task. */
  readonly assignedAt: number | null;
  /** End of the retry delay of a ready task. Null without a delay, and for every other status. */
  readonly retryAfter: number | null;
  /** Ordinal of the worker that holds or held the latest attempt. Null under the same conditions as `assignedAt`. */
  readonly workerOrdinal: number | null;
  /** Whether a TaskTextRecord exists. */
  readonly hasText: boolean;
  /** Whether the step's `unschedulableReason` is the task's; only a ready task's is. */
  readonly unschedulable: boolean;
  /** Set if the task has ended and its latest attempt reported no progress (task-progress.ts). */
  readonly silent: boolean;
  /**
   * Whether the process of the latest attempt may still run, because the service closed the attempt. Set by a
   * cancelation of a live task, until the worker has confirmed the end. The task gets no new attempt meanwhile.
   */
  readonly exiting: boolean;
  /** Whether the task was canceled because an upstream step failed or was canceled. */
  readonly cascaded: boolean;
  /** Whether a user has skipped the task: it counts as succeeded without having run to its end. */
  readonly skipped: boolean;
}

/** A task with the assignment of its latest attempt. Every live task has one. */
export interface AssignedTaskState extends TaskState {
  readonly assignedAt: number;
  readonly workerOrdinal: number;
}

export const hasAssignment = (task: TaskState): task is AssignedTaskState =>
  task.assignedAt !== null && task.workerOrdinal !== null;

export const pageOf = (index: number): number => Math.floor(index / TASKS_PER_PAGE);

export const emptyTaskPage = (): Uint8Array => new Uint8Array(TASK_PAGE_BYTES);

/** Number of pages copied into one buffer: a buffer for each would cost more than the copy. */
const COPIES_A_SLAB = 64;
let slab = new Uint8Array(0);
let slabUsed = 0;

/** Returns a copy of the page that does not change with it. */
export function copyOfPage(page: Uint8Array): Uint8Array {
  if (slabUsed + TASK_PAGE_BYTES > slab.length) {
    slab = new Uint8Array(COPIES_A_SLAB * TASK_PAGE_BYTES);
    slabUsed = 0;
  }
  const copy = slab.subarray(slabUsed, slabUsed + TASK_PAGE_BYTES);
  slabUsed += TASK_PAGE_BYTES;
  copy.set(page);
  return copy;
}

interface View {
  readonly page: Uint8Array;
  readonly data: DataView;
}

const viewOnto = (page: Uint8Array): View => ({
  page,
  data: new DataView(page.buffer, page.byteOffset, page.byteLength),
});

/**
 * The latest pages: a turn reads and writes a record several times, and turns that lease and turns that end tasks
 * alternate.
 */
let last = viewOnto(emptyTaskPage());
let lastButOne = last;

function viewOf(page: Uint8Array): DataView {
  if (page === last.page) return last.data;
  const view = page === lastButOne.page ? lastButOne : viewOnto(page);
  lastButOne = last;
  last = view;
  return view.data;
}

/**
 * Returns the record of the task at `index` of its step, or null if it is untouched. `page` is the page of that index.
 */
export function readTask(page: Uint8Array, index: number): TaskState | null {
  const at = (index % TASKS_PER_PAGE) * RECORD_BYTES;
  const code = page[at] ?? 0;
  if (code === 0) return null;
  const status = TASK_STATUSES[code - 1];
  if (status === undefined)
    throw new Error(`task page holds the unknown status code ${code} at index ${index}`);
  const view = viewOf(page);
  const when = view.getFloat64(at + 16, true);
  const ordinal = view.getUint32(at + 24, true);
  const isReady = status === 'ready';
  return {
    status,
    failedAttempts: view.getUint16(at + 2, true),
    attemptNumber: view.getUint32(at + 4, true),
    updatedAt: view.getFloat64(at + 8, true),
    assignedAt: isReady || when === 0 ? null : when,
    retryAfter: isReady && when !== 0 ? when : null,
    workerOrdinal: ordinal === 0 ? null : ordinal,
    hasText: ((page[at + 1] ?? 0) & FLAG_HAS_TEXT) !== 0,
    unschedulable: ((page[at + 1] ?? 0) & FLAG_UNSCHEDULABLE) !== 0,
    silent: ((page[at + 1] ?? 0) & FLAG_SILENT) !== 0,
    exiting: ((page[at + 1] ?? 0) & FLAG_EXITING) !== 0,
    cascaded: ((page[at + 1] ?? 0) & FLAG_CASCADED) !== 0,
    skipped: ((page[at + 1] ?? 0) & FLAG_SKIPPED) !== 0,
  };
}

/** Returns only the status of a task, without allocating an object; null if it is untouched. */
export function readTaskStatus(page: Uint8Array, index: number): TaskStatus | null {
  const code = page[(index % TASKS_PER_PAGE) * RECORD_BYTES] ?? 0;
  return code === 0 ? null : (TASK_STATUSES[code - 1] ?? null);
}

/** Returns the highest number of any attempt on the page; 0 means no attempt so far. */
export function highestAttemptOn(page: Uint8Array): number {
  const view = viewOf(page);
  let highest = 0;
  for (let record = 0; record < TASK_PAGE_BYTES; record += RECORD_BYTES)
    highest = Math.max(highest, view.getUint32(record + 4, true));
  return highest;
}

/** Yields the indices of the tasks on page `number` that have a record and are marked unschedulable. */
export const unschedulableOn = (page: Uint8Array, number: number): Generator<number> =>
  flaggedOn(page, number, FLAG_UNSCHEDULABLE);

/** Yields the indices of the tasks on page `number` that have a record and are skipped. */
export const skippedOn = (page: Uint8Array, number: number): Generator<number> =>
  flaggedOn(page, number, FLAG_SKIPPED);

function* flaggedOn(page: Uint8Array, number: number, flag: number): Generator<number> {
  for (let nth = 0; nth < TASKS_PER_PAGE; nth += 1) {
    const record = nth * RECORD_BYTES;
    if (page[record] === 0 || ((page[record + 1] ?? 0) & flag) === 0) continue;
    yield number * TASKS_PER_PAGE + nth;
  }
}

/** Returns the code of a status in a record, and in columns made of records; 0 is the code of an untouched task. */
export const statusCodeOf = (status: TaskStatus): number => 1 + TASK_STATUSES.indexOf(status);

/**
 * Copies status codes and times of a page into columns, from `at` on, without allocating objects. The time of an
 * untouched task is 0.
 */
export function readPageColumns(
  page: Uint8Array,
  codes: Uint8Array,
  updatedAt: Float64Array,
  at: number,
): void {
  const view = viewOf(page);
  for (let nth = 0; nth < TASKS_PER_PAGE; nth += 1) {
    const record = nth * RECORD_BYTES;
    const code = page[record] ?? 0;
    codes[at + nth] = code;
    updatedAt[at + nth] = code === 0 ? 0 : view.getFloat64(record + 8, true);
  }
}

/** Writes the record of the task at `index` into its page, in place. */
export function writeTask(page: Uint8Array, index: number, task: TaskState): void {
  const at = (index % TASKS_PER_PAGE) * RECORD_BYTES;
  const view = viewOf(page);
  page[at] = statusCodeOf(task.status);
  page[at + 1] =
    (task.hasText ? FLAG_HAS_TEXT : 0) |
    (task.unschedulable ? FLAG_UNSCHEDULABLE : 0) |
    (task.silent ? FLAG_SILENT : 0) |
    (task.exiting ? FLAG_EXITING : 0) |
    (task.cascaded ? FLAG_CASCADED : 0) |
    (task.skipped ? FLAG_SKIPPED : 0);
  view.setUint16(at + 2, Math.min(task.failedAttempts, 0xffff), true);
  view.setUint32(at + 4, task.attemptNumber, true);
  view.setFloat64(at + 8, task.updatedAt, true);
  view.setFloat64(at + 16, (task.status === 'ready' ? task.retryAfter : task.assignedAt) ?? 0, true);
  view.setUint32(at + 24, task.workerOrdinal ?? 0, true);
}

/** Fields that untouched tasks share (step.ts). */
interface Untouched {
  readonly status: TaskStatus;
  readonly updatedAt: number;
  readonly unschedulable?: boolean;
}

/** Returns the state of an untouched task, as if it had been written. */
export function untouchedTask({ status, updatedAt, unschedulable }: Untouched): TaskState {
  return {
    status,
    failedAttempts: 0,
    attemptNumber: 0,
    updatedAt,
    assignedAt: null,
    retryAfter: null,
    workerOrdinal: null,
    hasText: false,
    unschedulable: unschedulable === true,
    silent: false,
    exiting: false,
    cascaded: false,
    // Only a skip ends a task that has no record.
    skipped: status === 'succeeded',
  };
}
