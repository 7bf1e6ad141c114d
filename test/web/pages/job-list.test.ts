import { test } from 'tap';
import type { JobEvent } from '../../../web/api/events/subjects.ts';
import type { BulkResult, Job, JobBulk } from '../../../web/api/resources.ts';
import { offBecause, offForAll, type JobAction } from '../../../web/pages/jobs/job-actions.ts';
import {
  isFiltered,
  listCommand,
  listCurl,
  listQuery,
  NO_FILTERS,
  summaryQuery,
  type JobListView,
} from '../../../web/pages/jobs/job-filters.ts';
import { shellWord } from '../../../web/parts/shell-words.ts';
import { isMoving, jobAfter, newsOf } from '../../../web/pages/jobs/live-jobs.ts';
import { collectIds, refusalGroups, runBulk } from '../../../web/pages/jobs/run-bulk.ts';
import {
  currentView,
  nameFault,
  readViews,
  withoutView,
  withView,
} from '../../../web/pages/jobs/saved-views.ts';

const VIEW: JobListView = { ...NO_FILTERS, sort: 'created_at', dir: 'desc' };

const job = (change: Partial<Job> = {}): Job => ({
  id: 'j1',
  farm_id: 'f1',
  queue_id: 'q1',
  name: 'shot',
  owner: 'ada',
  submitter: 'ada',
  priority: 50,
  project: 'atlas',
  status: 'running',
  template_format: 'yaml',
  created_at: '2026-11-21T10:00:00.000Z',
  updated_at: '2026-11-21T10:00:10.000Z',
  failed_attempts: 0,
  effective_retry: { max_attempts: 3, retry_delay_seconds: 10, failure_limit: 0 },
  task_counts: {
    total: 1,
    pending: 0,
    ready: 1,
    assigned: 0,
    running: 0,
    succeeded: 0,
    failed: 0,
    canceled: 0,
    unschedulable: 0,
  },
  ...change,
});

const event = (change: Partial<JobEvent> = {}): JobEvent => ({
  job_id: 'j1',
  task_id: '',
  name: 'shot',
  owner: 'ada',
  queue_id: 'q1',
  status: 'completed',
  updated_at: '2026-11-21T10:00:20.000Z',
  ...change,
});

test('what is asked of the service is what is filtered by', (t) => {
  t.equal(isFiltered(VIEW), false);
  t.same(JSON.parse(JSON.stringify(listQuery(VIEW))), { sort_by: 'created_at', sort_dir: 'desc' });
  const view: JobListView = {
    status: ['running', 'failed'],
    search: ' beauty 10 ',
    farm: 'f1',
    queue: 'q1',
    owner: 'ada',
    project: 'atlas',
    sort: 'name',
    dir: 'asc',
  };
  t.equal(isFiltered(view), true);
  t.same(listQuery(view), {
    status: ['running', 'failed'],
    search: 'beauty 10',
    farm_id: 'f1',
    queue_id: 'q1',
    owner: 'ada',
    project: 'atlas',
    sort_by: 'name',
    sort_dir: 'asc',
  });
  t.same(
    summaryQuery(view),
    { search: 'beauty 10', farm_id: 'f1', queue_id: 'q1', owner: 'ada', project: 'atlas' },
    'the counts are of all statuses',
  );
  t.equal(
    listCommand(view, { farm: 'feature film', queue: undefined }, 'http://farm:8080'),
    "callsheet jobs --status running failed --farm 'feature film' --queue q1 --owner ada --project atlas --search 'beauty 10' --sort-by name --sort-dir asc --url http://farm:8080",
  );
  t.equal(
    listCurl({ ...VIEW, status: ['running', 'failed'], search: "it's" }, 'http://farm:8080'),
    "curl 'http://farm:8080/api/v1/jobs?search=it%27s&status=running&status=failed&sort_by=created_at&sort_dir=desc'",
  );
  t.equal(shellWord("it's"), `'it'\\''s'`);
  t.equal(shellWord(''), "''");
  t.end();
});

test('an action that makes no sense says why', (t) => {
  const counts = job().task_counts;
  const cases: [JobAction, Partial<Job>, string][] = [
    ['pause', { status: 'running' }, ''],
    ['pause', { status: 'blocked' }, ''],
    ['pause', { status: 'paused' }, 'It is paused already.'],
    ['pause', { status: 'failed' }, 'It has ended.'],
    ['resume', { status: 'paused' }, ''],
    ['resume', { status: 'running' }, 'It is not paused.'],
    ['cancel', { status: 'pending' }, ''],
    ['cancel', { status: 'canceled' }, 'It is canceled already.'],
    ['cancel', { status: 'completed' }, 'It has ended.'],
    ['retry', { status: 'failed' }, 'None of its tasks has failed or was canceled.'],
    ['retry', { status: 'running', task_counts: { ...counts, failed: 1 } }, ''],
    ['retry', { status: 'canceled', task_counts: { ...counts, canceled: 1 } }, ''],
    ['delete', { status: 'running' }, ''],
    ['move', { status: 'completed' }, ''],
    ['set-priority', { status: 'completed' }, ''],
  ];
  for (const [action, change, reason] of cases) {
    t.equal(offBecause(action, job(change)), reason, `${action} ${change.status}`);
  }
  t.equal(offForAll('pause', [job(), job({ status: 'failed' })]), '', 'one of them is enough');
  t.equal(offForAll('pause', [job({ status: 'failed' })]), 'It has ended.');
  t.equal(
    offForAll('pause', [job({ status: 'failed' }), job({ status: 'failed' })]),
    'Not for any of the selected jobs.',
  );
  t.equal(offForAll('pause', []), '', 'nothing is known of them');
  t.end();
});

test('events change jobs, and older ones do not', (t) => {
  const { changed, gone } = newsOf([
    event({ status: 'running' }),
    event(),
    event({ job_id: 'j2' }),
    event({ job_id: 'j2', status: 'removed' }),
  ]);
  t.same([[...changed.keys()], [...gone]], [['j1'], ['j2']]);
  const before = job();
  t.same(jobAfter(before, changed.get('j1')), {
    ...before,
    status: 'completed',
    updated_at: '2026-11-21T10:00:20.000Z',
  });
  t.equal(jobAfter(before, undefined), before);
  t.equal(jobAfter(before, event({ updated_at: '2026-11-21T10:00:09.000Z' })), before);
  t.equal(jobAfter(before, event({ status: 'running', updated_at: before.updated_at })), before);
  t.equal(isMoving(job()), true);
  t.equal(isMoving(job({ status: 'paused' })), false);
  t.equal(isMoving(job({ status: 'pending' })), false);
  t.equal(isMoving(job({ status: 'paused', task_counts: { ...before.task_counts, running: 2 } })), true);
  t.end();
});

const refusal = (id: string, detail: string): BulkResult => ({
  id,
  ok: false,
  status: 409,
  problem: { type: 'about:blank', title: 'Conflict', status: 409, detail },
});

test('many jobs are changed a thousand at a time', async (t) => {
  const ids = Array.from({ length: 2_500 }, (_unused, nth) => `j${nth}`);
  const sent: JobBulk[] = [];
  const progress: number[] = [];
  const outcome = await runBulk(
    ids,
    { action: 'retry' },
    {
      send: (body) => {
        sent.push(body);
        const results = (body.ids ?? []).map((id) =>
          id === 'j7' ? refusal(id, 'it has ended') : { id, ok: true, status: 200, retried: 2 },
        );
        return Promise.resolve({ results });
      },
      progress: (dealtWith) => progress.push(dealtWith),
      isStopped: () => false,
    },
  );
  t.same(
    sent.map((body) => [body.action, body.ids?.length, body.ids?.[0]]),
    [
      ['retry', 1000, 'j0'],
      ['retry', 1000, 'j1000'],
      ['retry', 500, 'j2000'],
    ],
  );
  t.same(progress, [1000, 2000, 2500]);
  t.same(outcome, { done: 2499, retried: 4998, refused: [refusal('j7', 'it has ended')], left: 0 });
});

test('changing many jobs can be stopped', async (t) => {
  let lots = 0;
  const outcome = await runBulk(
    Array.from({ length: 3_000 }, (_unused, nth) => `j${nth}`),
    { action: 'cancel' },
    {
      send: ({ ids = [] }) => {
        lots += 1;
        return Promise.resolve({ results: ids.map((id) => ({ id, ok: true, status: 204 })) });
      },
      progress: () => undefined,
      isStopped: () => lots === 1,
    },
  );
  t.same(outcome, { done: 1000, retried: 0, refused: [], left: 2000 });
});

test('all jobs that match are found, but for those that were taken out', async (t) => {
  const all = Array.from({ length: 2_001 }, (_unused, nth) => ({ id: `j${nth}` }));
  const offsets: number[] = [];
  const ids = await collectIds(
    (offset, limit) => {
      offsets.push(offset);
      return Promise.resolve({ items: all.slice(offset, offset + limit), total: all.length });
    },
    new Set(['j1']),
  );
  t.same([offsets, ids.length, ids.includes('j1')], [[0, 1000, 2000], 2000, false]);
  t.same(await collectIds(() => Promise.resolve({ items: [], total: 0 }), new Set()), []);
});

test('refusals are told by their reason', (t) => {
  t.same(
    refusalGroups([
      refusal('j1', 'job j1 has ended'),
      refusal('j2', 'no queue'),
      refusal('j3', 'job j3 has ended'),
      { id: 'j4', ok: false, status: 500 },
    ]),
    [
      { reason: 'job has ended', ids: ['j1', 'j3'] },
      { reason: 'no queue', ids: ['j2'] },
      { reason: 'status 500', ids: ['j4'] },
    ],
  );
  t.end();
});

test('views are kept by their names', (t) => {
  t.equal(readViews({}), null);
  t.same(readViews([{ name: 'a', query: 'x=1' }, { name: '' }, null, { name: 'b' }, 3]), [
    { name: 'a', query: 'x=1' },
  ]);
  const views = withView(withView([], { name: ' b ', query: 'x=1&y=2' }), { name: 'a', query: '' });
  t.same(views, [
    { name: 'a', query: '' },
    { name: 'b', query: 'x=1&y=2' },
  ]);
  t.same(withView(views, { name: 'a', query: 'z=1' })[0], { name: 'a', query: 'z=1' });
  t.same(withoutView(views, 'a'), [{ name: 'b', query: 'x=1&y=2' }]);
  t.equal(currentView(views, 'y=2&x=1')?.name, 'b');
  t.equal(currentView(views, 'y=3'), undefined);
  t.equal(nameFault('  '), 'Give it a name.');
  t.equal(nameFault('x'.repeat(61)), 'At most 60 characters.');
  t.equal(nameFault('fine'), '');
  t.end();
});
