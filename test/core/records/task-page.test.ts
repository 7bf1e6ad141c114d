import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { test } from 'tap';
import {
  emptyTaskPage,
  highestAttemptOn,
  pageOf,
  readTask,
  readTaskStatus,
  TASK_PAGE_BYTES,
  TASKS_PER_PAGE,
  untouchedTask,
  writeTask,
  type TaskState,
} from '../../../src/core/records/task-page.ts';
import { TASK_STATUSES } from '../../../src/core/lifecycle/task-transitions.ts';

const time = fc.integer({ min: 0, max: 4_102_444_800_000 });

const task: fc.Arbitrary<TaskState> = fc
  .record({
    status: fc.constantFrom(...TASK_STATUSES),
    failedAttempts: fc.nat(0xffff),
    attemptNumber: fc.nat(0xffffffff),
    updatedAt: time,
    when: fc.option(fc.integer({ min: 1, max: 4_102_444_800_000 })),
    workerOrdinal: fc.option(fc.integer({ min: 1, max: 0xffffffff })),
    hasText: fc.boolean(),
    unschedulable: fc.boolean(),
    silent: fc.boolean(),
    exiting: fc.boolean(),
    cascaded: fc.boolean(),
    skipped: fc.boolean(),
  })
  .map(({ when, ...rest }) => ({
    ...rest,
    assignedAt: rest.status === 'ready' ? null : when,
    retryAfter: rest.status === 'ready' ? when : null,
  }));

test('a page returns each task as it was written', (t) => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.nat(TASKS_PER_PAGE - 1), task), { maxLength: 60, size: 'max' }),
      fc.nat(40_000),
      (writes, pageNumber) => {
        const page = emptyTaskPage();
        const wanted = new Map<number, TaskState>();
        for (const [slot, state] of writes) {
          const index = pageNumber * TASKS_PER_PAGE + slot;
          writeTask(page, index, state);
          wanted.set(index, state);
        }
        for (let slot = 0; slot < TASKS_PER_PAGE; slot++) {
          const index = pageNumber * TASKS_PER_PAGE + slot;
          const found = readTask(page, index);
          const expected = wanted.get(index) ?? null;
          if (!isDeepStrictEqual(found, expected)) return false;
          if (readTaskStatus(page, index) !== (expected?.status ?? null)) return false;
        }
        const numbers = [...wanted.values()].map(({ attemptNumber }) => attemptNumber);
        return highestAttemptOn(page) === Math.max(0, ...numbers);
      },
    ),
    { numRuns: 300 },
  );
  t.end();
});

test('every status has exactly this code', (t) => {
  for (const status of TASK_STATUSES) {
    const page = emptyTaskPage();
    const state: TaskState = {
      status,
      failedAttempts: 2,
      attemptNumber: 70_000,
      updatedAt: 1_700_000_000_123,
      assignedAt: status === 'ready' ? null : 1_700_000_000_001,
      retryAfter: status === 'ready' ? 1_700_000_000_002 : null,
      workerOrdinal: 66_000,
      hasText: true,
      unschedulable: true,
      silent: false,
      exiting: false,
      cascaded: false,
      skipped: false,
    };
    writeTask(page, 31, state);
    t.strictSame(readTask(page, 31), state, status);
    t.equal(readTask(page, 30), null, 'its neighbor is untouched');
    t.equal(readTaskStatus(page, 31), status);
  }
  t.end();
});

test('null is stored as 0', (t) => {
  for (const status of TASK_STATUSES) {
    const page = emptyTaskPage();
    const state = { ...untouchedTask({ status, updatedAt: 1_700_000_000_123 }), attemptNumber: 1 };
    writeTask(page, 0, state);
    t.strictSame(
      [...page.subarray(16, 32)],
      Array.from({ length: 16 }, () => 0),
      status,
    );
    t.strictSame(readTask(page, 0), state);
  }
  t.end();
});

test('an empty page holds untouched tasks alone', (t) => {
  const page = emptyTaskPage();
  t.equal(page.byteLength, TASK_PAGE_BYTES);
  t.equal(TASK_PAGE_BYTES, 1024);
  for (let index = 0; index < TASKS_PER_PAGE; index++) {
    t.equal(readTask(page, index), null);
    t.equal(readTaskStatus(page, index), null);
  }
  t.strictSame(untouchedTask({ status: 'ready', updatedAt: 17 }), {
    status: 'ready',
    failedAttempts: 0,
    attemptNumber: 0,
    updatedAt: 17,
    assignedAt: null,
    retryAfter: null,
    workerOrdinal: null,
    hasText: false,
    unschedulable: false,
    silent: false,
    exiting: false,
    cascaded: false,
    skipped: false,
  });
  t.end();
});

test('a page can be inside a larger buffer, at any offset', (t) => {
  const buffer = new Uint8Array(3 * TASK_PAGE_BYTES).fill(0xee);
  const page = buffer.subarray(TASK_PAGE_BYTES + 8, 2 * TASK_PAGE_BYTES + 8);
  page.fill(0);
  const state = { ...untouchedTask({ status: 'failed', updatedAt: 5 }), attemptNumber: 3, hasText: true };
  writeTask(page, 5, state);
  t.strictSame(readTask(page, 5), state);
  t.ok(
    buffer.subarray(0, TASK_PAGE_BYTES + 8).every((byte) => byte === 0xee),
    'nothing before it is changed',
  );
  t.ok(
    buffer.subarray(2 * TASK_PAGE_BYTES + 8).every((byte) => byte === 0xee),
    'nothing after it is changed',
  );
  t.end();
});

test('an unknown status code is an error', (t) => {
  const page = emptyTaskPage();
  page[0] = 8;
  t.throws(() => readTask(page, 0), { message: 'task page holds the unknown status code 8 at index 0' });
  t.end();
});

test('the number of failures stops at the maximum of a record', (t) => {
  const page = emptyTaskPage();
  writeTask(page, 0, { ...untouchedTask({ status: 'ready', updatedAt: 0 }), failedAttempts: 100_000 });
  t.equal(readTask(page, 0)?.failedAttempts, 0xffff);
  t.end();
});

test('returns the page of a task', (t) => {
  t.strictSame([0, 31, 32, 63, 64, 999_999].map(pageOf), [0, 0, 1, 1, 2, 31_249]);
  t.end();
});
