import { test } from 'tap';
import { JobActivity, type CountedJob } from '../../../src/core/history/job-activity.ts';
import { jobId, farmId, queueId } from '../../../src/core/ids.ts';
import { NO_TASKS, type TaskCounts } from '../../../src/core/lifecycle/task-counts.ts';

const SINCE = 1000;
const job = (
  id: string,
  counts: Partial<TaskCounts>,
  changes: Partial<Omit<CountedJob, 'taskCounts'>> = {},
): CountedJob => ({
  id: jobId(id),
  farmId: farmId('f'),
  queueId: queueId('q'),
  owner: 'ada',
  project: 'atlas',
  status: 'running',
  createdAt: SINCE + 1,
  taskCounts: { ...NO_TASKS, ...counts },
  ...changes,
});

const plain = (taken: ReturnType<JobActivity['takeEnded']>): object => ({
  all: taken.all,
  queues: Object.fromEntries(taken.queues),
  owners: Object.fromEntries(taken.owners),
  projects: Object.fromEntries(taken.projects),
});

void test('ended tasks are counted once, by queue and by owner', async (t) => {
  const activity = new JobActivity(SINCE);
  activity.put(job('a', { ready: 10 }), false);
  activity.put(
    job('b', { succeeded: 2, failed: 1, running: 1 }, { owner: 'bob', queueId: queueId('r'), project: '' }),
    false,
  );
  activity.put(job('a', { ready: 5, assigned: 1, running: 1, succeeded: 2, failed: 1 }), true);
  t.strictSame(activity.tasks('f'), { ready: 5, live: 3 });
  t.strictSame(plain(activity.takeEnded('f')), {
    all: { succeeded: 4, failed: 2 },
    queues: { q: { succeeded: 2, failed: 1 }, r: { succeeded: 2, failed: 1 } },
    owners: { ada: { succeeded: 2, failed: 1 }, bob: { succeeded: 2, failed: 1 } },
    projects: { atlas: { succeeded: 2, failed: 1 }, '': { succeeded: 2, failed: 1 } },
  });
  const nothing = { all: { succeeded: 0, failed: 0 }, queues: {}, owners: {}, projects: {} };
  t.strictSame(plain(activity.takeEnded('f')), nothing);
  activity.put(job('a', { ready: 5, assigned: 1, running: 1, succeeded: 2, failed: 1 }), true);
  t.strictSame(plain(activity.takeEnded('f')), nothing, 'an unchanged row');
  activity.put(job('a', { succeeded: 9, failed: 1 }, { status: 'failed' }), true);
  t.strictSame(activity.takeEnded('f').all, { succeeded: 7, failed: 0 });
  t.strictSame(activity.tasks('f'), { ready: 0, live: 1 }, 'ended jobs are removed');
  t.equal(activity.sideOf('a'), null);
  t.match(activity.sideOf('b'), { queueId: 'r', owner: 'bob' });
  t.strictSame(plain(activity.takeEnded('other')), nothing);
});

void test('tasks that ended before the start, or were retried, are not counted', async (t) => {
  const activity = new JobActivity(SINCE);
  activity.put(job('old', { succeeded: 50, ready: 1 }, { createdAt: SINCE - 1 }), false);
  activity.put(job('ended', { succeeded: 3, failed: 4 }, { status: 'failed' }), false);
  t.strictSame(activity.takeEnded('f').all, { succeeded: 3, failed: 4 }, 'created and ended in between');
  activity.put(job('ended', { succeeded: 3, ready: 4 }), true);
  t.strictSame(activity.takeEnded('f').all, { succeeded: 0, failed: 0 }, 'retried');
  activity.put(job('ended', { succeeded: 3, failed: 1, ready: 3 }), true);
  activity.put(job('old', { succeeded: 51 }, { createdAt: SINCE - 1 }), true);
  t.strictSame(activity.takeEnded('f').all, { succeeded: 1, failed: 1 });
  activity.remove('ended');
  activity.remove('nobody');
  t.strictSame(activity.tasks('f'), { ready: 0, live: 0 });
});

void test('ready tasks of paused jobs are counted separately, and removed farms are dropped', async (t) => {
  const activity = new JobActivity(SINCE);
  activity.put(job('a', { ready: 4 }, { status: 'paused' }), false);
  activity.put(job('b', { ready: 3 }, { status: 'paused' }), false);
  activity.put(job('c', { pending: 3 }, { status: 'paused' }), false);
  activity.put(job('d', { ready: 8 }, { farmId: farmId('g') }), false);
  t.strictSame(activity.paused('f'), { jobs: 2, tasks: 7 });
  t.strictSame(activity.tasks('f'), { ready: 7, live: 0 });
  activity.put(job('b', { ready: 3 }), true);
  t.strictSame(activity.paused('f'), { jobs: 1, tasks: 4 });
  t.strictSame(activity.paused('none'), { jobs: 0, tasks: 0 });
  activity.remove('d');
  activity.keepOnly(new Set(['f']));
  t.strictSame(activity.tasks('g'), { ready: 0, live: 0 });
  t.strictSame(activity.tasks('f'), { ready: 7, live: 0 });
});

void test('a job in a farm without history is still included in the totals', async (t) => {
  const activity = new JobActivity(SINCE);
  activity.put(job('a', { ready: 4 }, { status: 'paused' }), false);
  activity.put(job('b', { ready: 3, succeeded: 2 }, { status: 'paused' }), false);
  activity.keepOnly(new Set());
  t.strictSame(activity.paused('f'), { jobs: 2, tasks: 7 });
  t.strictSame(
    activity.takeEnded('f').all,
    { succeeded: 0, failed: 0 },
    'without history ended tasks are not counted',
  );
  activity.put(job('a', { running: 4 }), true);
  t.strictSame(activity.paused('f'), { jobs: 1, tasks: 3 });
  t.strictSame(activity.tasks('f'), { ready: 3, live: 4 });
  activity.remove('a');
  activity.remove('b');
  t.strictSame(activity.paused('f'), { jobs: 0, tasks: 0 });
  activity.keepOnly(new Set());
  t.strictSame(activity.tasks('f'), { ready: 0, live: 0 });
});

void test('tasks are counted by owner, in every spelling, in one farm or all', async (t) => {
  const activity = new JobActivity(SINCE);
  const nothing = { pending: 0, ready: 0, assigned: 0, running: 0, unschedulable: 0 };
  activity.put(job('a', { ready: 4, running: 1, unschedulable: 2 }), false);
  activity.put(
    job('b', { ready: 2, pending: 3 }, { owner: 'ADA', farmId: farmId('g'), status: 'paused' }),
    false,
  );
  activity.put(job('c', { ready: 50, assigned: 9 }, { owner: 'bob' }), false);
  t.strictSame(activity.tasksOf('ada', null), {
    pending: 3,
    ready: 6,
    assigned: 0,
    running: 1,
    unschedulable: 2,
  });
  t.strictSame(activity.tasksOf('ada', 'g'), { ...nothing, pending: 3, ready: 2 });
  t.strictSame(activity.pausedOf('ada', 'g'), { jobs: 1, tasks: 2 });
  t.strictSame(activity.pausedOf('ada', 'f'), { jobs: 0, tasks: 0 });
  activity.put(job('a', { succeeded: 5 }, { status: 'completed' }), true);
  activity.put(job('b', { ready: 2 }, { owner: 'bob', farmId: farmId('g') }), true);
  t.strictSame(activity.tasksOf('ada', null), nothing, 'ended, or with another owner');
  t.strictSame(activity.tasksOf('bob', null), { ...nothing, ready: 52, assigned: 9 });
  activity.remove('c');
  activity.remove('b');
  t.strictSame(activity.tasksOf('bob', null), nothing);
});
