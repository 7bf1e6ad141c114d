import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mkdtemp, rm } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import tap, { test, type Test } from 'tap';
import { JobLists } from '../../../http/lists/job-lists.ts';
import { TaskLists } from '../../../http/lists/task-lists.ts';
import { taskWindow, type TaskQuery } from '../../../http/views/task-window.ts';
import type { ChangeSubscription } from '../../../src/adapters/lmdb/change-subscription.ts';
import { openStateReader, type StateReader } from '../../../src/adapters/lmdb/state-reader.ts';
import type { StoreClient } from '../../../src/adapters/lmdb/store-client.ts';
import type { StoreThread } from '../../../src/adapters/lmdb/store-thread-host.ts';
import { JobActivity } from '../../../src/core/history/job-activity.ts';
import type { JobListQuery } from '../../../src/core/lists/job-directory.ts';
import { TASKS_PER_BLOCK } from '../../../src/core/lists/step-tasks.ts';
import { JOB_STATUSES } from '../../../src/core/lifecycle/job-transitions.ts';
import { TASK_STATUSES } from '../../../src/core/lifecycle/task-transitions.ts';
import { put, remove, removePrefix, type Change } from '../../../src/core/records/change-set.ts';
import { keys } from '../../../src/core/records/tables.ts';
import { emptyTaskPage, TASKS_PER_PAGE, writeTask } from '../../../src/core/records/task-page.ts';
import { attach, committed, startStore, threadOptions } from '../../adapters/lmdb/store-kit.ts';
import { plainJobs, plainTasks } from '../../kit/plain-lists.ts';
import { FRAMES, jobChanges, jobNumber, jobRecord, T0, taskState } from '../kit/records.ts';

/** In milliseconds: the test starts threads. */
tap.setTimeout(120_000);

/** Lists over a real store thread, as in the service. */
class Lists {
  readonly jobs: JobLists;
  readonly tasks: TaskLists;
  readonly reader: StateReader;
  readonly thread: StoreThread;
  readonly watch: ChangeSubscription;
  readonly clients: readonly StoreClient[];
  readonly #sequences = [0, 0];

  private constructor(thread: StoreThread, watch: ChangeSubscription, reader: StateReader) {
    this.thread = thread;
    this.watch = watch;
    this.reader = reader;
    this.clients = [attach(thread, 0), attach(thread, 1)];
    const state = { store: reader, renew: () => reader.refresh() };
    this.jobs = new JobLists(state, watch.jobs, new JobActivity(0));
    this.tasks = new TaskLists(state, watch.pages);
    watch.onArrival(() => this.jobs.noticesArrived());
  }

  static async open(directory: string): Promise<Lists> {
    const thread = await startStore(threadOptions(directory));
    const watch = thread.watch();
    return new Lists(thread, watch, await openStateReader(directory));
  }

  commit(shard: number, changes: readonly Change[]): Promise<void> {
    const sequence = (this.#sequences[shard] ?? 0) + 1;
    this.#sequences[shard] = sequence;
    const client = this.clients[shard];
    if (client === undefined) throw new Error(`there is no shard ${shard}`);
    return committed(client, { version: 1, shard, sequence, changes });
  }

  async close(): Promise<void> {
    this.watch.close();
    await this.reader.close();
    await this.thread.stop();
  }
}

async function folderOf(t: Test): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'callsheet-lists-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  return join(folder, 'state');
}

/** Pseudorandom numbers, the same in every run. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const jobQuery = (random: (below: number) => number): JobListQuery => ({
  words: random(3) === 0 ? ['shot'] : [],
  sortBy: (['created_at', 'priority', 'status', 'updated_at', 'name'] as const)[random(5)] ?? 'name',
  descending: random(2) === 0,
  offset: random(30),
  limit: 1 + random(100),
  ...(random(3) === 0 && { statuses: JOB_STATUSES.filter(() => random(3) === 0) }),
});

const JOBS = 300;

const jobChange = (random: (below: number) => number): Change => {
  const id = jobNumber(random(JOBS));
  if (random(4) === 0)
    return random(20) === 0 ? removePrefix('job', id.slice(0, -1)) : remove('job', keys.job(id));
  return put(
    'job',
    keys.job(id),
    jobRecord({
      id,
      name: `${random(2) === 0 ? 'shot' : 'comp'} ${random(9)}`,
      priority: random(5),
      status: JOB_STATUSES[random(JOB_STATUSES.length)] ?? 'pending',
      createdAt: T0 + random(5),
      updatedAt: T0 + random(1000),
    }),
  );
};

void test('a list of jobs reflects one consistent state during commits', async (t) => {
  const directory = await folderOf(t);
  const random = numbers(7);
  const queried = (lists: Lists): void => {
    const query = jobQuery(random);
    const found = lists.jobs.page(query, null);
    const rows = [...lists.reader.scan('job')].map((row) => row.value);
    t.same(found, plainJobs(rows, query), `${JSON.stringify(query)} of ${rows.length} jobs`);
  };
  const lists = await Lists.open(directory);
  queried(lists);
  const commits: Promise<void>[] = [];
  for (let round = 0; round < 250; round += 1) {
    const changes = Array.from({ length: 1 + random(round % 50 === 0 ? 600 : 6) }, () => jobChange(random));
    commits.push(lists.commit(random(2), changes));
    // During, before and after a commit; sometimes without a turn of the event loop in between.
    for (let turns = random(4); turns > 0; turns -= 1) await nextTurn();
    queried(lists);
  }
  await Promise.all(commits);
  queried(lists);
  await lists.close();

  const again = await Lists.open(directory);
  t.ok([...again.reader.scan('job')].length > 0, 'there are jobs left');
  queried(again);
  await again.close();
});

void test('a write is in the next list after its acknowledgement', async (t) => {
  const lists = await Lists.open(await folderOf(t));
  const all = { words: [], sortBy: 'created_at', descending: false, offset: 0, limit: 1000 } as const;
  for (let nth = 1; nth <= 100; nth += 1) {
    const id = jobNumber(nth);
    await lists.commit(nth % 2, [put('job', keys.job(id), jobRecord({ id, createdAt: T0 + nth }))]);
    const { ids, total } = lists.jobs.page(all, null);
    t.same([ids.at(-1), total], [id, 1]);
    await lists.commit(nth % 2, [remove('job', keys.job(id))]);
    t.same(lists.jobs.page(all, null), { ids: [], total: 0 });
  }
  await lists.close();
});

void test('a slow initial load misses no concurrent write', async (t) => {
  const directory = await folderOf(t);
  const before = await Lists.open(directory);
  const number = 3500;
  const jobs = Array.from({ length: number }, (_, nth) => jobNumber(nth));
  await before.commit(
    0,
    jobs.map((id) => put('job', keys.job(id), jobRecord({ id }))),
  );
  await before.close();
  const lists = await Lists.open(directory);
  t.ok(lists.jobs.fillNext());
  const [first, last] = [jobNumber(1), jobNumber(number - 1)];
  const late = jobNumber(number + 1);
  await lists.commit(0, [
    remove('job', keys.job(first)),
    remove('job', keys.job(last)),
    put('job', keys.job(jobNumber(2)), jobRecord({ id: jobNumber(2), status: 'failed' })),
    put('job', keys.job(late), jobRecord({ id: late, status: 'failed' })),
  ]);
  const query = { words: [], sortBy: 'created_at', descending: false, offset: 0, limit: 1000 } as const;
  t.same(lists.jobs.page({ ...query, statuses: ['failed'] }, null), { ids: [jobNumber(2), late], total: 2 });
  t.equal(lists.jobs.page(query, null).total, number - 1);
  t.notOk(lists.jobs.fillNext(), 'the initial load has not finished');
  await lists.close();
});

const TASKS = 2 * TASKS_PER_BLOCK + 100;
const JOB = jobNumber(1);

const taskQuery = (random: (below: number) => number): TaskQuery => ({
  sort_by: (['created_at', 'status', 'updated_at', 'name'] as const)[random(4)] ?? 'name',
  sort_dir: random(2) === 0 ? 'asc' : 'desc',
  offset: random(TASKS),
  limit: 1 + random(20),
  ...(random(2) === 0 && { status: TASK_STATUSES[random(TASK_STATUSES.length)] ?? 'ready' }),
});

void test('a list of tasks reflects one consistent state during commits', async (t) => {
  const lists = await Lists.open(await folderOf(t));
  const random = numbers(11);
  const sketch = { name: 'render', taskCount: TASKS, space: FRAMES(TASKS) };
  const touched = new Map<number, ReturnType<typeof taskState>>();
  const states = (count: number): void => {
    for (let nth = 0; nth < count; nth += 1) {
      const status = TASK_STATUSES[random(TASK_STATUSES.length)] ?? 'ready';
      touched.set(random(TASKS), taskState({ status, updatedAt: T0 + random(500) }));
    }
  };
  /** Changes of a job, its step and its changed task pages, as a shard writes them. */
  const changesOf = (indices: ReadonlySet<number>): Change[] => {
    const all = jobChanges({}, [{ ...sketch, untouched: 'ready', touched }]);
    const pages = new Set(
      [...indices].map((index) => keys.taskPage(JOB, 0, Math.floor(index / TASKS_PER_PAGE))),
    );
    return all.filter(
      (change) => change.op === 'put' && (change.table !== 'taskPage' || pages.has(change.key)),
    );
  };
  t.equal(lists.tasks.open(JOB), null);
  await lists.commit(0, changesOf(new Set()));
  const commits: Promise<void>[] = [];
  const queried = (): void => {
    const query = taskQuery(random);
    const list = lists.tasks.open(JOB);
    if (list === null) throw new Error('the job is missing');
    const { total, places } = taskWindow(list.tasksOf, list.steps, query);
    const found = { total, places: places.map(({ step, index }) => [step.order, index]) };
    t.same(found, plainTasks(lists.reader, list.steps, query), JSON.stringify(query));
  };
  for (let round = 0; round < 120; round += 1) {
    const before = new Map(touched);
    states(1 + random(4));
    const changed = new Set(
      [...touched].flatMap(([index, state]) => (before.get(index) === state ? [] : [index])),
    );
    // Only one shard writes a job, because changes of two shards may be committed in another order.
    commits.push(lists.commit(0, changesOf(changed)));
    for (let turns = random(4); turns > 0; turns -= 1) await nextTurn();
    queried();
  }
  await Promise.all(commits);
  queried();

  // Pages can be deleted by prefix or one by one. A deleted job has no list, and a re-created one has a new list.
  await lists.commit(0, [removePrefix('taskPage', keys.bulkOf(JOB))]);
  touched.clear();
  await lists.commit(0, changesOf(new Set()));
  queried();
  touched.set(TASKS - 1, taskState({ status: 'failed' }));
  await lists.commit(0, changesOf(new Set([TASKS - 1])));
  queried();
  const page = emptyTaskPage();
  writeTask(page, TASKS - 1, taskState({ status: 'succeeded' }));
  await lists.commit(0, [
    remove('job', keys.job(JOB)),
    remove('taskPage', keys.taskPage(JOB, 0, Math.floor((TASKS - 1) / TASKS_PER_PAGE))),
  ]);
  t.equal(lists.tasks.open(JOB), null);
  touched.clear();
  await lists.commit(0, changesOf(new Set()));
  for (let nth = 0; nth < 10; nth += 1) queried();
  await lists.close();
});

void test('lists more jobs than the cache keeps', async (t) => {
  const lists = await Lists.open(await folderOf(t));
  const count = 1100;
  const status = (nth: number): 'failed' | 'succeeded' => (nth % 2 === 0 ? 'failed' : 'succeeded');
  for (let nth = 0; nth < count; nth += 1) {
    const touched = new Map([[1, taskState({ status: status(nth) })]]);
    const sketch = { name: 'render', untouched: 'ready', taskCount: 3, space: FRAMES(3), touched } as const;
    void lists.commit(0, jobChanges({ id: jobNumber(nth) }, [sketch]));
  }
  await lists.commit(0, [remove('farm', 'none')]);
  const query = { sort_by: 'created_at', sort_dir: 'asc', offset: 0, limit: 5 } as const;
  for (const nth of [...Array(count).keys(), 0, 1, 2]) {
    const list = lists.tasks.open(jobNumber(nth));
    if (list === null) throw new Error('the job is missing');
    const { total, places } = taskWindow(list.tasksOf, list.steps, { ...query, status: status(nth) });
    if (total !== 1 || places[0]?.index !== 1) t.fail(`the list of job ${nth}`);
  }
  t.pass('every list is correct');
  await lists.close();
});
