import { test, type Test } from 'tap';
import { classify, countsOf, type Class, type Subject } from './checker.ts';
import type { AttemptState, History, JobState, NodeView, TaskState } from './history.ts';
import type { RecordedProcess } from './task-program.ts';

const NODES = ['n1', 'n2', 'n3'] as const;

const attempt = (number: number, status = 'succeeded', isOpen = false): AttemptState => ({
  number,
  status,
  isOpen,
});

const task = (number: number, attempts: readonly AttemptState[] = [attempt(1)]): TaskState => ({
  number,
  status: attempts.at(-1)?.status ?? 'ready',
  attempts,
});

const job = (change: Partial<JobState> = {}): JobState => ({
  id: 'id-1',
  name: 'key-1',
  status: 'completed',
  tasks: [task(1)],
  ...change,
});

const ran = (change: Partial<RecordedProcess> = {}): RecordedProcess => ({
  job: 'key-1',
  task: 1,
  pid: 100,
  worker: 'w1',
  startedAt: 10,
  lastSignAt: 12,
  end: 'succeeded',
  ...change,
});

const view = (node: string, jobs: readonly JobState[], register = '7'): NodeView => ({
  node,
  jobs,
  registers: new Map([['register', register]]),
});

const views = (jobs: readonly JobState[], register?: string): NodeView[] =>
  NODES.map((node) => view(node, jobs, register));

/** A history without a fault. */
const history = (change: Partial<History> = {}): History => ({
  submissions: [{ key: 'key-1', tasks: 1, failsFirst: false, jobId: 'id-1' }],
  orders: [],
  observations: [{ jobId: 'id-1', node: 'n2', status: 'completed', at: 13 }],
  registers: [{ name: 'register', acknowledged: '7', unknown: new Set(['8']) }],
  processes: [ran()],
  views: views([job()]),
  ...change,
});

/** Asserts that a history has this violation. */
function finds(t: Test, change: Partial<History>, subject: Subject, kind: Class): void {
  const verdicts = classify(history(change));
  const bad = verdicts.filter((verdict) => verdict.class !== 'ok');
  t.ok(
    bad.some((verdict) => verdict.subject === subject && verdict.class === kind),
    `${kind} ${subject}: ${JSON.stringify(bad)}`,
  );
}

test('a history without a violation is ok', (t) => {
  const verdicts = classify(history());
  t.same(
    verdicts.filter((verdict) => verdict.class !== 'ok'),
    [],
  );
  const counts = countsOf(verdicts);
  t.equal(counts.submission.ok, 1);
  t.equal(counts.lease.ok, 1);
  t.equal(counts.result.ok, 3, 'one task on three nodes');
  t.equal(counts.node.ok, 2);
  t.end();
});

test('what clients cannot know is ok', (t) => {
  const isOk = (text: string, change: Partial<History>): void => {
    t.same(
      classify(history(change)).filter((verdict) => verdict.class !== 'ok'),
      [],
      text,
    );
  };
  const unknown = { key: 'key-2', tasks: 1, failsFirst: false, jobId: null };
  const [known] = history().submissions;
  if (known === undefined) throw new Error('the history has a submission');
  isOk('a submission without an answer made no job', { submissions: [known, unknown] });
  isOk('a submission without an answer made a job', {
    submissions: [known, unknown],
    processes: [ran(), ran({ job: 'key-2', pid: 101 })],
    views: views([job(), job({ id: 'id-2', name: 'key-2' })]),
  });
  isOk('a write without an answer took effect', { views: views([job()], '8') });
  isOk('a lease whose worker died, and another one', {
    processes: [ran({ end: 'running' }), ran({ pid: 101, startedAt: 13, lastSignAt: 14 })],
    views: views([job({ tasks: [task(1, [attempt(1, 'canceled'), attempt(2)])] })]),
  });
  isOk('a lease that did not arrive', {
    views: views([job({ tasks: [task(1, [attempt(1, 'canceled'), attempt(2)])] })]),
  });
  isOk('a canceled job whose process ended before', {
    observations: [],
    orders: [{ jobId: 'id-1', what: 'cancel', at: 11 }],
    views: views([job({ status: 'canceled', tasks: [task(1, [attempt(1, 'canceled')])] })]),
  });
  isOk('a job that was read as failed before its retry', {
    submissions: [{ ...known, failsFirst: true }],
    observations: [{ jobId: 'id-1', node: 'n1', status: 'failed', at: 12 }],
    orders: [{ jobId: 'id-1', what: 'retry', at: 13 }],
    processes: [ran({ end: 'failed' }), ran({ pid: 101, startedAt: 14, lastSignAt: 15 })],
    views: views([job({ tasks: [task(1, [attempt(1, 'failed'), attempt(2)])] })]),
  });
  t.end();
});

test('lost', (t) => {
  const [n1, n2] = views([job()]);
  if (n1 === undefined || n2 === undefined) throw new Error('there are three views');
  finds(t, { views: [n1, n2, view('n3', [])] }, 'submission', 'lost');
  finds(t, { views: views([job({ id: 'other' })]) }, 'submission', 'lost');
  finds(t, { views: views([job({ tasks: [] })]) }, 'submission', 'lost');
  finds(t, { views: views([job({ tasks: [task(1, [])], status: 'running' })]) }, 'lease', 'lost');
  finds(
    t,
    { processes: [ran({ end: 'running' }), ran({ pid: 101, startedAt: 13, lastSignAt: 14 })] },
    'lease',
    'lost',
  );
  finds(
    t,
    { views: views([job({ status: 'failed', tasks: [task(1, [attempt(1, 'failed')])] })]) },
    'result',
    'lost',
  );
  finds(t, { views: views([job({ tasks: [task(1, [attempt(2)])] })]) }, 'result', 'lost');
  finds(t, { orders: [{ jobId: 'id-1', what: 'cancel', at: 11 }] }, 'order', 'lost');
  finds(t, { orders: [{ jobId: 'gone', what: 'cancel', at: 11 }] }, 'order', 'lost');
  finds(
    t,
    {
      orders: [{ jobId: 'id-1', what: 'retry', at: 11 }],
      views: views([job({ status: 'failed', tasks: [task(1, [attempt(1, 'failed')])] })]),
    },
    'order',
    'lost',
  );
  finds(t, { views: views([job({ status: 'canceled' })]) }, 'read', 'lost');
  finds(t, { views: views([job()], '6') }, 'register', 'lost');
  t.end();
});

test('doubled', (t) => {
  finds(t, { views: views([job(), job({ id: 'id-2' })]) }, 'submission', 'doubled');
  finds(t, { processes: [ran(), ran({ pid: 101, worker: 'w2', startedAt: 11 })] }, 'lease', 'doubled');
  finds(t, { views: views([job({ tasks: [task(1, [attempt(1), attempt(2)])] })]) }, 'result', 'doubled');
  t.end();
});

test('stuck', (t) => {
  finds(t, { views: views([job({ status: 'running' })]) }, 'submission', 'stuck');
  finds(
    t,
    { views: views([job({ tasks: [task(1, [attempt(1), attempt(2, 'running', true)])] })]) },
    'result',
    'stuck',
  );
  finds(
    t,
    { views: views([job({ status: 'running', tasks: [task(1, [attempt(1, 'canceled')])] })]) },
    'result',
    'stuck',
  );
  finds(
    t,
    { orders: [{ jobId: 'id-1', what: 'retry', at: 11 }], views: views([job({ status: 'pending' })]) },
    'order',
    'stuck',
  );
  t.end();
});

test('wrong', (t) => {
  finds(t, { processes: [ran({ end: 'running' })] }, 'result', 'wrong');
  finds(t, { views: views([job({ tasks: [{ ...task(1), status: 'failed' }] })]) }, 'result', 'wrong');
  const [n1, n2] = views([job()]);
  if (n1 === undefined || n2 === undefined) throw new Error('there are three views');
  const more = job({ tasks: [task(1, [attempt(1, 'canceled'), attempt(2)])] });
  finds(t, { views: [n1, n2, view('n3', [more])] }, 'node', 'wrong');
  finds(t, { views: [n1, n2, view('n3', [job()], '8')] }, 'node', 'wrong');
  finds(t, { views: [n1, n2, view('n3', [job(), job({ id: 'id-2', name: 'key-2' })])] }, 'node', 'wrong');
  t.end();
});
