import fc from 'fast-check';
import { test } from 'tap';
import { GRID_LEGEND } from '../../../../http/views/task-grid.ts';
import { NO_TASKS } from '../../../../src/core/lifecycle/task-counts.ts';
import { TASK_STATUSES } from '../../../../src/core/lifecycle/task-transitions.ts';
import type { TaskEvent } from '../../../../client/events/subjects.ts';
import type { Step, TaskCounts, TaskGrid } from '../../../../client/resources.ts';
import {
  cellCounts,
  cellsMatchCounts,
  gridAfter,
  taskIndexOf,
  taskAt,
} from '../../../../web/pages/job/model/cells.ts';
import { environmentsOf } from '../../../../web/pages/job/model/environments.ts';
import { estimateOf } from '../../../../web/pages/job/model/estimate.ts';
import {
  cornerOf,
  fittingZoom,
  GUTTER,
  layoutOf,
  moveCursor,
  indexAt,
  ZOOMS,
} from '../../../../web/pages/job/model/grid-layout.ts';
import { noticeOf } from '../../../../web/pages/job/model/remedies.ts';
import { retrySourceOf } from '../../../../web/pages/job/model/retry-source.ts';
import { fitted, zoomed } from '../../../../web/pages/job/graph/view-box.ts';
import { layoutOfSteps } from '../../../../web/pages/job/graph/step-layout.ts';
import { formatBulkOutcome } from '../../../../web/pages/job/bulk-tasks.ts';
import { GRID_STATUSES } from '../../../../web/parts/status-looks.ts';

const JOB = '01a1ffc6-1965-7000-a079-9b18af328cf6';
const event = (index: number, status: TaskEvent['status'], more: Partial<TaskEvent> = {}): TaskEvent => ({
  job_id: JOB,
  task_id: `${JOB}-1-${index}`,
  name: 'render',
  status,
  worker_id: '',
  unschedulable_reason: '',
  updated_at: '2026-11-21T20:00:00.000Z',
  ...more,
});

const GRID: TaskGrid = {
  job_id: JOB,
  legend: {},
  steps: [{ id: `${JOB}-1`, name: 'render', order: 1, cells: 'PPQQR' }],
};

void test('the last event of a task changes its cell', async (t) => {
  const after = gridAfter(GRID, [
    event(0, 'running'),
    event(0, 'failed'),
    event(3, 'ready', { unschedulable_reason: 'no worker' }),
    event(9, 'failed'),
    event(1, 'succeeded', { job_id: 'another' }),
  ]);
  t.equal(after.steps[0]?.cells, 'FPQUR');
  t.equal(gridAfter(GRID, [event(4, 'running')]), GRID, 'an event without a change keeps the grid');
  t.equal(gridAfter(GRID, [event(4, 'failed', { task_id: 'what' })]), GRID);
  t.strictSame(cellCounts('FPQUF'), { F: 2, P: 1, Q: 1, U: 1 });
});

void test('the letters of statuses match the characters of a grid', async (t) => {
  t.strictSame(GRID_STATUSES, GRID_LEGEND);
  const grid = { ...GRID, steps: [{ id: `${JOB}-1`, name: 'render', order: 1, cells: '?' }] };
  for (const status of TASK_STATUSES)
    t.equal(GRID_LEGEND[gridAfter(grid, [event(0, status)]).steps[0]?.cells ?? ''], status);
});

void test('a batch of events changes the same cells as single events', async (t) => {
  const change = fc.tuple(fc.nat(59), fc.constantFrom<TaskEvent['status']>('running', 'failed', 'succeeded'));
  fc.assert(
    fc.property(fc.array(change), (changes) => {
      const cells = 'Q'.repeat(60);
      const grid = { ...GRID, steps: [{ id: `${JOB}-1`, name: 'render', order: 1, cells }] };
      const expected = [...cells];
      const letters = { running: 'R', failed: 'F', succeeded: 'S' } as Record<string, string>;
      for (const [index, status] of changes) expected[index] = letters[status] ?? '';
      const after = gridAfter(
        grid,
        changes.map(([index, status]) => event(index, status)),
      );
      return after.steps[0]?.cells === expected.join('');
    }),
  );
  t.pass();
});

void test('a grid after lost events does not match the counts', async (t) => {
  const counts = { ...NO_TASKS, total: 4, ready: 2, unschedulable: 1, running: 1, failed: 1 };
  t.ok(cellsMatchCounts('QURF', counts));
  t.notOk(cellsMatchCounts('QQRF', counts));
  t.notOk(cellsMatchCounts('QURS', counts));
});

void test('a task id contains its job, step and index', async (t) => {
  t.strictSame(taskIndexOf(`${JOB}-2-17`), { jobId: JOB, step: 2, index: 17 });
  t.equal(taskIndexOf('no task'), null);
  t.equal(taskAt(`${JOB}-2`, 17), `${JOB}-2-17`);
});

void test('a grid has a round number of columns, and every cell is found at its position', async (t) => {
  t.strictSame(layoutOf(120, 1100, 26), {
    count: 120,
    columns: 40,
    rows: 3,
    pitch: 26,
    size: 24,
    gutter: GUTTER,
    height: 78,
  });
  t.equal(layoutOf(3, 1100, 26).columns, 3);
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 20_000 }),
      fc.integer({ min: 80, max: 3_000 }),
      fc.constantFrom(...ZOOMS),
      fc.nat(),
      (count, width, pitch, nth) => {
        const layout = layoutOf(count, width, pitch);
        const index = nth % count;
        const { x, y } = cornerOf(layout, index);
        return (
          indexAt(layout, x + 1, y + 1) === index &&
          y < layout.height &&
          (layout.columns === 1 || x + pitch <= width)
        );
      },
    ),
  );
  const layout = layoutOf(95, 1100, 26);
  t.equal(indexAt(layout, 10, 10), null, 'in the gutter');
  t.equal(indexAt(layout, GUTTER + 39 * 26, 2 * 26 + 1), null, 'after the last cell');
  t.equal(ZOOMS[fittingZoom(10_000, 1_100, 450)], 6);
  t.equal(ZOOMS[fittingZoom(1_000_000, 1_100, 450)], ZOOMS[0]);
  t.equal(ZOOMS[fittingZoom(25, 1_100, 450)], 38, 'a single row has large cells');
  t.equal(ZOOMS[fittingZoom(40, 1_100, 450)], 26);
});

void test('keys move within the grid', async (t) => {
  const layout = { columns: 10, count: 95 };
  const to = (index: number, key: string): number | null => moveCursor(layout, index, key, 4);
  t.strictSame(
    [to(5, 'ArrowRight'), to(94, 'ArrowRight'), to(0, 'ArrowLeft'), to(5, 'ArrowDown'), to(87, 'ArrowDown')],
    [6, 94, 0, 15, 87],
  );
  t.strictSame(
    [to(5, 'ArrowUp'), to(15, 'ArrowUp'), to(5, 'PageDown'), to(50, 'Home'), to(5, 'End'), to(5, 'x')],
    [5, 5, 35, 0, 94, null],
  );
});

type JudgedStep = Parameters<typeof estimateOf>[1][number];
const step = (name: string, counts: Partial<TaskCounts>, more: Partial<JudgedStep> = {}): JudgedStep => ({
  name,
  task_counts: { ...NO_TASKS, ...counts },
  ...more,
});

void test('the remaining time is unknown without running tasks or succeeded attempts', async (t) => {
  const reasonOf = (...args: Parameters<typeof estimateOf>): string => {
    const estimate = estimateOf(...args);
    return estimate.kind === 'unknown' ? estimate.reason : `${estimate.ms}`;
  };
  const running = step('render', { ready: 8, running: 4 }, { attempt_seconds: { count: 3, mean: 10 } });
  t.equal(reasonOf('paused', [running]), 'the job is paused');
  t.equal(reasonOf('blocked', [running]), 'the job is waiting for other jobs');
  t.equal(reasonOf('completed', [running]), 'the job has ended');
  t.equal(
    reasonOf('running', [step('render', { ready: 8 })]),
    'no attempt of the remaining steps has succeeded yet',
  );
  t.equal(
    reasonOf('running', [step('render', { ready: 8 }, { attempt_seconds: { count: 1, mean: 1 } })]),
    'no tasks are running',
  );
  t.equal(reasonOf('running', [step('render', { failed: 8 })]), 'no tasks remain');
  t.strictSame(estimateOf('running', [running]), {
    kind: 'known',
    ms: 25_000,
    isLowerBound: false,
    attempts: 3,
    concurrency: 4,
  });
  const chunks = {
    parameter: 'Frame',
    size: 5,
    default_size: 1,
    target_seconds: 60,
    changes: 1,
    measured_tasks: 3,
    seconds_per_value: 4,
    sentence: '',
  };
  t.match(
    estimateOf('running', [{ ...running, chunks }]),
    { ms: 50_000 },
    'tasks take the time of their chunks now, not of earlier ones',
  );
  t.strictSame(estimateOf('running', [running, step('movie', { pending: 1 }, { depends_on: ['render'] })]), {
    kind: 'known',
    ms: 25_000,
    isLowerBound: true,
    attempts: 3,
    concurrency: 4,
  });
});

void test('the remaining time is at least that of the longest chain of steps', async (t) => {
  const steps = [
    step('a', { running: 10 }, { attempt_seconds: { count: 5, mean: 60 } }),
    step('b', { pending: 1 }, { depends_on: ['a'], attempt_seconds: { count: 1, mean: 100 } }),
  ];
  t.match(estimateOf('running', steps), { kind: 'known', ms: 130_000 });
});

void test('the environments of a template are listed, those of the job first', async (t) => {
  const template = {
    jobEnvironments: [
      {
        name: 'houdini',
        description: 'Licenses',
        variables: { HOUDINI_PATH: '/sw', N: 4 },
        script: { actions: { onEnter: { command: 'sh', args: ['-c', 'true'] } } },
      },
    ],
    steps: [{ name: 'render', stepEnvironments: [{ name: 'oidn' }] }, { name: 'movie' }],
  };
  t.strictSame(environmentsOf(template), [
    {
      origin: 'job',
      step: '',
      name: 'houdini',
      description: 'Licenses',
      variables: [
        ['HOUDINI_PATH', '/sw'],
        ['N', '4'],
      ],
      onEnter: 'sh -c true',
      onExit: '',
    },
    {
      origin: 'job',
      step: 'render',
      name: 'oidn',
      description: '',
      variables: [],
      onEnter: '',
      onExit: '',
    },
  ]);
  for (const wrong of [null, 7, [], { steps: 'x', jobEnvironments: [1] }])
    t.strictSame(environmentsOf(wrong), []);
});

void test('a retry setting has the level that sets it as its source', async (t) => {
  const queue = { retry_delay_seconds: 5 };
  const farm = { max_attempts: 4, retry_delay_seconds: 9 };
  t.equal(
    retrySourceOf('max_attempts', { own_retry: { max_attempts: 2 } }, undefined, undefined),
    'this job',
  );
  t.equal(retrySourceOf('retry_delay_seconds', { own_retry: {} }, queue, farm), 'the queue');
  t.equal(retrySourceOf('max_attempts', { own_retry: {} }, queue, farm), 'the farm');
  t.equal(retrySourceOf('failure_limit', { own_retry: {} }, queue, farm), 'the server');
  t.equal(retrySourceOf('failure_limit', {}, undefined, farm), null);
});

void test('a job that does not continue has a notice', async (t) => {
  const job = { failed_attempts: 3, task_counts: NO_TASKS, effective_retry: { failure_limit: 3 } };
  t.match(noticeOf({ ...job, status: 'paused', park_reason: 'failure limit reached' }), {
    kind: 'warning',
    title: 'The job was parked: failure limit reached',
    detail: /3 of 3 allowed failures/,
  });
  t.match(noticeOf({ ...job, status: 'paused' }), { kind: 'info' });
  t.match(noticeOf({ ...job, status: 'canceled', cancel_reason: 'canceled: upstream job failed' }), {
    title: /upstream job failed/,
  });
  t.equal(noticeOf({ ...job, status: 'canceled' }), null);
  t.match(noticeOf({ ...job, status: 'running', task_counts: { ...NO_TASKS, unschedulable: 1 } }), {
    title: '1 task cannot start',
  });
  const reason = 'Usage pool nuke is not registered and has no slots: the task cannot start before it is.';
  for (const more of [
    { status: 'blocked' },
    { status: 'pending' },
    { status: 'running', task_counts: { ...NO_TASKS, unschedulable: 1 } },
  ] as const) {
    t.match(noticeOf({ ...job, ...more, waiting_reason: reason }), { detail: reason }, more.status);
  }
  t.equal(noticeOf({ ...job, status: 'running' }), null);
});

void test('a graph is arranged from left to right, and zooming keeps the point under the cursor', async (t) => {
  const steps: readonly Pick<Step, 'name' | 'depends_on'>[] = [
    { name: 'b', depends_on: ['a'] },
    { name: 'a' },
    { name: 'c', depends_on: ['a', 'b'] },
  ];
  const { nodes, edges } = layoutOfSteps(steps);
  const x = (name: string): number => nodes.get(name)?.x ?? NaN;
  t.ok(x('a') < x('b') && x('b') < x('c'));
  t.strictSame(edges.map(({ from, to }) => `${from}${to}`).sort(), ['ab', 'ac', 'bc']);
  t.strictSame(fitted({ width: 200, height: 100 }, { width: 400, height: 100 }), { scale: 1, x: 100, y: 0 });
  t.strictSame(zoomed({ scale: 1, x: 0, y: 0 }, 2, { x: 10, y: 20 }), { scale: 2, x: -10, y: -20 });
});

void test('the result of a bulk action is formatted', async (t) => {
  t.equal(formatBulkOutcome('retry', { done: 1, unchanged: [], refused: [] }), '1 task retried');
  const problem = { type: 'about:blank', title: 'Conflict', status: 409, detail: 'it has ended' } as const;
  t.equal(
    formatBulkOutcome('cancel', {
      done: 3,
      unchanged: [],
      refused: [{ id: 't1', ok: false, changed: false, status: 409, problem }],
    }),
    '3 of 4 tasks canceled, 1 refused: it has ended',
  );
});
