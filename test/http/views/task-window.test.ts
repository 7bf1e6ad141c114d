import { test } from 'tap';
import fc from 'fast-check';
import { TaskLists, type OpenTaskList } from '../../../http/lists/task-lists.ts';
import { taskWindow, type TaskQuery } from '../../../http/views/task-window.ts';
import { createMemoryStore, type MemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import type { StoreReader } from '../../../src/core/ports/store.ts';
import { TASK_STATUSES } from '../../../src/core/lifecycle/task-transitions.ts';
import type { TaskState } from '../../../src/core/records/task-page.ts';
import { plainTasks } from '../../kit/plain-lists.ts';
import { FRAMES, jobChanges, jobNumber, taskState, T0, type StepSketch } from '../kit/records.ts';
import { NO_CALLBACKS } from '../../kit/commit-callbacks.ts';

const JOB = jobNumber(1);

function storeOf(sketches: readonly StepSketch[]): MemoryStore {
  const store = createMemoryStore();
  store.commit({ version: 1, shard: 0, sequence: 1, changes: jobChanges({}, sketches) }, NO_CALLBACKS);
  store.flushAll();
  return store;
}

function listOf(store: StoreReader): OpenTaskList {
  const list = new TaskLists(
    { store, renew: () => undefined },
    { of: () => 1, readableVersion: () => 1 },
  ).open(JOB);
  if (list === null) throw new Error('the job is missing');
  return list;
}

function windowed(list: OpenTaskList, query: TaskQuery): unknown {
  const { total, places } = taskWindow(list.tasksOf, list.steps, query);
  return { total, places: places.map(({ step, index }) => [step.order, index]) };
}

const states = fc.record({
  status: fc.constantFrom(...TASK_STATUSES),
  updatedAt: fc.integer({ min: T0, max: T0 + 9 }),
});

const sketches: fc.Arbitrary<StepSketch> = fc
  .record({
    name: fc.constantFrom('render', 'assemble', 'Zip'),
    untouched: fc.constantFrom('pending', 'ready', 'canceled'),
    taskCount: fc.integer({ min: 1, max: 150 }),
    touched: fc.array(fc.tuple(fc.nat({ max: 149 }), states), { maxLength: 60, size: 'max' }),
  })
  .map(({ name, untouched, taskCount, touched }) => ({
    name,
    untouched,
    taskCount,
    space: FRAMES(taskCount),
    touched: new Map<number, TaskState>(
      touched.filter(([index]) => index < taskCount).map(([index, state]) => [index, taskState(state)]),
    ),
  }));

const queries: fc.Arbitrary<TaskQuery> = fc
  .record({
    status: fc.option(fc.constantFrom(...TASK_STATUSES), { nil: undefined }),
    sort_by: fc.constantFrom('created_at', 'status', 'updated_at', 'name'),
    sort_dir: fc.constantFrom('asc', 'desc'),
    offset: fc.nat({ max: 200 }),
    limit: fc.integer({ min: 1, max: 50 }),
  })
  .map(({ status, ...rest }) => ({ ...rest, ...(status !== undefined && { status }) }));

void test('a page of tasks equals that of a plain list', async (t) => {
  fc.assert(
    fc.property(
      fc.array(sketches, { minLength: 1, maxLength: 4 }),
      fc.array(queries, { minLength: 1, maxLength: 20, size: 'max' }),
      (steps, asked) => {
        const store = storeOf(steps);
        const list = listOf(store);
        for (const query of asked) {
          const found = JSON.stringify(windowed(list, query));
          const expected = JSON.stringify(plainTasks(store, list.steps, query));
          if (found !== expected)
            throw new Error(`${JSON.stringify(query)}: ${found} instead of ${expected}`);
        }
      },
    ),
    { numRuns: 200 },
  );
  t.pass('200 jobs');
});

/** Counts the pages that are read. */
function counted(store: StoreReader): { reader: StoreReader; pages: () => number } {
  let pages = 0;
  const reader: StoreReader = {
    get: (table, key) => {
      if (table === 'taskPage') pages += 1;
      return store.get(table, key);
    },
    *scan(table, options) {
      for (const row of store.scan(table, options)) {
        if (table === 'taskPage') pages += 1;
        yield row;
      }
    },
  };
  return { reader, pages: () => pages };
}

void test('listing a million tasks reads few pages, each once', async (t) => {
  const count = 1_000_000;
  const touched = new Map<number, TaskState>();
  for (let index = 0; index < 3200; index += 1) touched.set(index, taskState({ status: 'succeeded' }));
  touched.set(999_999, taskState({ status: 'failed', updatedAt: T0 + 99 }));
  const { reader, pages } = counted(
    storeOf([{ name: 'render', untouched: 'ready', taskCount: count, space: FRAMES(count), touched }]),
  );
  const page = { offset: 0, limit: 2, sort_by: 'created_at', sort_dir: 'asc' } as const;
  const cases: [TaskQuery, number, number[], number][] = [
    [{ ...page, offset: 500_000 }, count, [500_000, 500_001], 0],
    [{ ...page, sort_dir: 'desc' }, count, [999_999, 999_998], 0],
    [{ ...page, sort_by: 'name', offset: 999_998 }, count, [999_998, 999_999], 0],
    [{ ...page, status: 'ready', offset: 10 }, count - 3201, [3210, 3211], 101],
    [{ ...page, status: 'succeeded' }, 3200, [0, 1], 101],
    [{ ...page, status: 'failed', sort_dir: 'desc' }, 1, [999_999], 101],
    [{ ...page, status: 'canceled' }, 0, [], 101],
    [{ ...page, sort_by: 'status', sort_dir: 'desc', offset: 3199 }, count, [3199, 3200], 101],
    [{ ...page, sort_by: 'updated_at', sort_dir: 'desc' }, count, [999_999, 3200], 101],
  ];
  const list = listOf(reader);
  for (const [query, total, indices, read] of cases) {
    const found = taskWindow(list.tasksOf, list.steps, query);
    t.same([found.total, found.places.map((place) => place.index)], [total, indices], JSON.stringify(query));
    t.equal(pages(), read, `pages read after ${JSON.stringify(query)}`);
  }
});

void test('pages of a step of several blocks equal those of a plain list, in both directions', async (t) => {
  const taskCount = 5_000;
  const touched = new Map<number, TaskState>();
  for (let index = 0; index < taskCount; index += 7)
    touched.set(index, taskState({ status: index % 3 === 0 ? 'failed' : 'succeeded' }));
  const store = storeOf([
    { name: 'render', untouched: 'ready', taskCount, space: FRAMES(taskCount), touched },
  ]);
  const list = listOf(store);
  for (const sort_dir of ['asc', 'desc'] as const)
    for (const status of ['failed', 'succeeded', 'ready'] as const)
      for (const offset of [0, 100, 230, 400]) {
        const query: TaskQuery = { sort_by: 'created_at', sort_dir, status, offset, limit: 50 };
        const [found, expected] = [windowed(list, query), plainTasks(store, list.steps, query)];
        t.equal(JSON.stringify(found), JSON.stringify(expected), `${status} ${sort_dir} ${offset}`);
      }
});
