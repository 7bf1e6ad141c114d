import { test } from 'tap';
import type { FarmHistory, HistorySeries } from '../../../client/resources.ts';
import { attentionOf, jobsWithFailures } from '../../../web/pages/overview/attention.ts';
import { farmCharts, sumOfLast } from '../../../web/pages/overview/farm-series.ts';
import { farmStatus, type FarmFacts } from '../../../web/pages/overview/farm-status.ts';
import { shareRows } from '../../../web/pages/overview/share-rows.ts';
import { waitingLink } from '../../../web/pages/overview/waiting-links.ts';

const FACTS: FarmFacts = {
  tasksRunning: 0,
  coresBooked: 0,
  coresTotal: 8,
  workersOnline: 2,
  workersOffline: 0,
  recentMaxOnline: 2,
  recentlySucceeded: 0,
  recentlyFailed: 0,
  waiting: [],
};

void test('the state of a farm has a reason', (t) => {
  const group = (reason: FarmFacts['waiting'][number]['reason'], sentence: string, tasks = 3) => ({
    reason,
    sentence,
    tasks,
  });
  const cases: readonly (readonly [Partial<FarmFacts>, string, string])[] = [
    [{}, 'idle', 'No tasks are running or waiting. 2 workers are free.'],
    [
      { workersOnline: 0, recentMaxOnline: 0 },
      'idle',
      'No tasks are running or waiting, and no worker is online.',
    ],
    [{ tasksRunning: 1, coresBooked: 1.5 }, 'active', '1 task running on 1.5 of 8 cores.'],
    // Running tasks have precedence over waiting tasks.
    [
      { tasksRunning: 2, coresBooked: 8, waiting: [group('cores', 'None has the cores free.')] },
      'active',
      '2 tasks running on 8 of 8 cores.',
    ],
    [
      { workersOnline: 0, recentMaxOnline: 0, waiting: [group('cores', 'x', 1)] },
      'starved',
      '1 task ready, but no worker is online.',
    ],
    [{ waiting: [group('workers', 'No worker may.')] }, 'starved', '3 tasks ready. No worker may.'],
    [
      { waiting: [group('paused_queue', 'Queue a is paused.')] },
      'paused',
      '3 tasks ready. Queue a is paused.',
    ],
    [
      { waiting: [group('usage_pool', 'Full.'), group('order', 'Soon.', 1)] },
      'blocked',
      '3 tasks ready. Full. And 1 other reason.',
    ],
    [{ waiting: [group('retry_after', 'Held.')] }, 'waiting', '3 tasks ready. Held.'],
    [
      { workersOnline: 1, workersOffline: 1, tasksRunning: 4 },
      'degraded',
      '1 of 2 workers went offline in the last half hour.',
    ],
    // Workers that were disabled, or offline for long, do not degrade the farm.
    [{ workersOnline: 1, workersOffline: 0 }, 'idle', 'No tasks are running or waiting. 1 worker is free.'],
    [{ workersOffline: 40 }, 'idle', 'No tasks are running or waiting. 2 workers are free.'],
    [
      { tasksRunning: 1, recentlyFailed: 6, recentlySucceeded: 2 },
      'degraded',
      '6 of the last 8 tasks failed.',
    ],
    [{ tasksRunning: 1, coresBooked: 1, recentlyFailed: 4 }, 'active', '1 task running on 1 of 8 cores.'],
  ];
  for (const [facts, state, reason] of cases) {
    t.strictSame(farmStatus({ ...FACTS, ...facts }), { state, reason });
  }
  t.end();
});

const series = (key: string, change: Partial<HistorySeries> = {}): HistorySeries => ({
  key,
  is_other: false,
  cores_booked: [1, 2],
  tasks_succeeded: [3, 4],
  tasks_failed: [0, 1],
  ...change,
});

void test('queues and owners are sorted by booked cores, with all others last', (t) => {
  const rows = shareRows(
    [series('a'), series('', { is_other: true, cores_booked: [9, 9] }), series('')],
    [
      { key: 'new', is_other: false, cores_booked: 6 },
      { key: 'a', is_other: false, cores_booked: 1 },
      { key: '', is_other: true, cores_booked: 1 },
    ],
  );
  t.strictSame(
    rows.map(({ key, isOther, coresNow, share }) => [key, isOther, coresNow, share]),
    [
      ['new', false, 6, 0.75],
      ['a', false, 1, 0.125],
      // The name of an owner can be empty.
      ['', false, 0, 0],
      ['', true, 1, 0.125],
    ],
  );
  t.strictSame(rows[1], {
    key: 'a',
    isOther: false,
    coresNow: 1,
    share: 0.125,
    coresOverTime: [1, 2],
    succeeded: 7,
    failed: 1,
  });
  t.strictSame(shareRows([], []), []);
  t.end();
});

const HISTORY: FarmHistory = {
  farm_id: 'f',
  step_seconds: 60,
  times: ['2026-01-01T00:01:00Z'],
  cores_total: [8],
  cores_booked: [2],
  workers_online: [1],
  tasks_ready: [5],
  tasks_running: [2],
  tasks_succeeded: [7],
  tasks_failed: [1],
  queues: [],
  owners: [],
  projects: [],
};

void test('the history of a farm is converted to chart series', (t) => {
  const { times, cores, tasks, ended } = farmCharts(HISTORY);
  t.strictSame(times, [1_767_225_660]);
  t.strictSame(
    [...cores, ...tasks, ...ended].map(({ label, values }) => [label, values]),
    [
      ['Booked', [2]],
      ['Online', [8]],
      ['Running', [2]],
      ['Ready', [5]],
      ['Failed', [1]],
      ['Succeeded', [7]],
    ],
  );
  t.equal(sumOfLast([1, 2, 3], 2), 5);
  t.equal(sumOfLast([], 2), 0);
  t.end();
});

const NOW = Date.parse('2026-01-02T00:00:00Z');
const COUNTS = {
  total: 10,
  pending: 0,
  ready: 0,
  assigned: 0,
  running: 0,
  succeeded: 8,
  failed: 2,
  canceled: 0,
  unschedulable: 0,
};
const job = (id: string, status: 'failed' | 'paused' | 'running', at: string, parkReason?: string) => ({
  id,
  name: `job ${id}`,
  owner: 'mira',
  status,
  updated_at: at,
  task_counts: COUNTS,
  failed_attempts: 2,
  ...(parkReason !== undefined && { park_reason: parkReason }),
});

void test('jobs that need attention are sorted by kind and time', (t) => {
  const items = attentionOf(
    [
      job('old', 'failed', '2025-12-30T00:00:00Z'),
      job('new', 'failed', '2026-01-01T20:00:00Z'),
      job('newer', 'failed', '2026-01-01T21:00:00Z'),
      job('parked', 'paused', '2026-01-01T10:00:00Z', 'the failure limit was reached'),
      // A user paused this job, so it needs no attention.
      job('paused', 'paused', '2026-01-01T10:00:00Z'),
      job('busy', 'running', '2026-01-01T10:00:00Z'),
    ],
    [
      {
        reason: 'workers',
        sentence: 'No worker may run them.',
        job_ids: ['busy', 'far'],
        job_names: ['busy', 'far one'],
      },
      { reason: 'cores', sentence: 'Later.', job_ids: ['x'], job_names: ['x'] },
    ],
    NOW,
  );
  t.strictSame(
    items.map(({ id, name, kind, reason, owner }) => [id, name, kind, reason, owner]),
    [
      ['parked', 'job parked', 'parked', 'the failure limit was reached', 'mira'],
      ['busy', 'busy', 'unschedulable', 'No worker may run them.', 'mira'],
      ['far', 'far one', 'unschedulable', 'No worker may run them.', ''],
      ['newer', 'job newer', 'failed', '2 of 10 tasks failed', 'mira'],
      ['new', 'job new', 'failed', '2 of 10 tasks failed', 'mira'],
    ],
  );
  t.strictSame(attentionOf([], [], NOW), []);
  t.end();
});

void test('jobs with failures are sorted by their last change', (t) => {
  const well = { ...job('well', 'running', '2026-01-01T23:00:00Z'), task_counts: { ...COUNTS, failed: 0 } };
  t.strictSame(
    jobsWithFailures([
      job('a', 'failed', '2026-01-01T10:00:00Z'),
      well,
      job('b', 'running', '2026-01-01T11:00:00Z'),
    ]).map(({ id }) => id),
    ['b', 'a'],
  );
  t.end();
});

void test('each reason links to the page that can remove it', (t) => {
  const link = (reason: Parameters<typeof waitingLink>[0]['reason'], more = {}) =>
    waitingLink({ reason, ...more }, 'f 1')?.href ?? null;
  t.strictSame(
    [
      link('paused_queue', { queue_id: 'q' }),
      link('queue_cap', { queue_id: 'q' }),
      link('farm_cap'),
      link('usage_pool', { pool: 'a&b' }),
      link('usage_pool_missing', { pool: 'p' }),
      link('workers'),
      link('cores'),
      link('paused_job'),
      link('retry_after'),
      link('order'),
    ],
    [
      '/queues?edit=q',
      '/queues?edit=q',
      '/farms?edit=f%201',
      '/usage-pools?search=a%26b',
      '/usage-pools?search=p',
      '/workers?farm=f%201',
      '/workers?farm=f%201',
      '/jobs?status=paused&farm=f%201',
      null,
      null,
    ],
  );
  t.end();
});
