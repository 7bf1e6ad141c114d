import { test } from 'tap';
import { NO_TASKS } from '../../../src/core/lifecycle/task-counts.ts';
import type { JobEvent } from '../../../client/events/subjects.ts';
import type { Job } from '../../../client/resources.ts';
import { disabledReason, disabledReasonForAll, type JobAction } from '../../../web/pages/jobs/job-actions.ts';
import {
  isFiltered,
  listCommand,
  listCurl,
  listQuery,
  NO_FILTERS,
  filterQuery,
  type JobListView,
} from '../../../web/pages/jobs/job-filters.ts';
import { applyJobEvent, changesWithoutEvents, latestEvents } from '../../../web/pages/jobs/live-jobs.ts';
import {
  currentView,
  nameError,
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
  task_counts: { ...NO_TASKS, total: 1, ready: 1 },
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

test('the query, the command and the request have all filters', (t) => {
  t.equal(isFiltered(VIEW), false);
  t.same(JSON.parse(JSON.stringify(listQuery(VIEW))), { sort_by: 'created_at', sort_dir: 'desc' });
  const view: JobListView = {
    status: ['running', 'failed'],
    search: ' beauty 10 ',
    farm: 'f1',
    queue: 'q1',
    owner: 'ada',
    project: 'atlas',
    product: 'blender/render',
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
    product: 'blender/render',
    sort_by: 'name',
    sort_dir: 'asc',
  });
  t.same(
    filterQuery(view),
    {
      search: 'beauty 10',
      farm_id: 'f1',
      queue_id: 'q1',
      owner: 'ada',
      project: 'atlas',
      product: 'blender/render',
    },
    'the counts by status have no filter for the status',
  );
  t.equal(
    listCommand(view, { farm: 'feature film', queue: undefined }, 'http://farm:8080'),
    "callsheet jobs --status running failed --farm 'feature film' --queue q1 --owner ada --project atlas --product blender/render --search 'beauty 10' --sort-by name --sort-dir asc --url http://farm:8080",
  );
  t.equal(isFiltered({ ...VIEW, product: 'script' }), true);
  t.equal(
    listCurl({ ...VIEW, status: ['running', 'failed'], search: "it's" }, 'http://farm:8080'),
    "curl 'http://farm:8080/api/v1/jobs?search=it%27s&status=running&status=failed&sort_by=created_at&sort_dir=desc'",
  );
  t.end();
});

test('an action that does not fit has a reason', (t) => {
  const counts = job().task_counts;
  const cases: [JobAction, Partial<Job>, string][] = [
    ['pause', { status: 'running' }, ''],
    ['pause', { status: 'blocked' }, ''],
    ['pause', { status: 'paused' }, 'The job is already paused.'],
    ['pause', { status: 'failed' }, 'The job has ended.'],
    ['resume', { status: 'paused' }, ''],
    ['resume', { status: 'running' }, 'The job is not paused.'],
    ['cancel', { status: 'pending' }, ''],
    ['cancel', { status: 'canceled' }, 'The job is already canceled.'],
    ['cancel', { status: 'completed' }, 'The job has ended.'],
    ['retry', { status: 'failed' }, 'The job has no failed or canceled tasks.'],
    ['retry', { status: 'running', task_counts: { ...counts, failed: 1 } }, ''],
    ['retry', { status: 'canceled', task_counts: { ...counts, canceled: 1 } }, ''],
    ['delete', { status: 'running' }, ''],
    ['move', { status: 'completed' }, ''],
    ['set-priority', { status: 'completed' }, ''],
  ];
  for (const [action, change, reason] of cases) {
    t.equal(disabledReason(action, job(change)), reason, `${action} ${change.status}`);
  }
  t.equal(disabledReasonForAll('pause', [job(), job({ status: 'failed' })]), '', 'fits one of the jobs');
  t.equal(disabledReasonForAll('pause', [job({ status: 'failed' })]), 'The job has ended.');
  t.equal(
    disabledReasonForAll('pause', [job({ status: 'failed' }), job({ status: 'failed' })]),
    'Not available for any of the selected jobs.',
  );
  t.equal(disabledReasonForAll('pause', []), '', 'no job is loaded');
  t.end();
});

test('an event changes a job unless it is older', (t) => {
  const { changed, removed } = latestEvents([
    event({ status: 'running' }),
    event(),
    event({ job_id: 'j2' }),
    event({ job_id: 'j2', status: 'removed' }),
  ]);
  t.same([[...changed.keys()], [...removed]], [['j1'], ['j2']]);
  const before = job();
  t.same(applyJobEvent(before, changed.get('j1')), {
    ...before,
    status: 'completed',
    updated_at: '2026-11-21T10:00:20.000Z',
  });
  t.equal(applyJobEvent(before, undefined), before);
  t.equal(applyJobEvent(before, event({ updated_at: '2026-11-21T10:00:09.000Z' })), before);
  t.equal(applyJobEvent(before, event({ status: 'running', updated_at: before.updated_at })), before);
  const waiting = job({ waiting_reason: 'The job is paused.' });
  t.equal(applyJobEvent(waiting, changed.get('j1')).waiting_reason, undefined, 'it has another status');
  const renamed = event({ status: waiting.status, name: 'new' });
  t.equal(applyJobEvent(waiting, renamed).waiting_reason, 'The job is paused.');
  t.equal(changesWithoutEvents(job()), true);
  t.equal(changesWithoutEvents(job({ status: 'pending' })), true, 'the reason why it waits changes');
  t.equal(changesWithoutEvents(job({ status: 'failed' })), false);
  t.equal(
    changesWithoutEvents(job({ status: 'failed', task_counts: { ...before.task_counts, running: 2 } })),
    true,
  );
  t.end();
});

test('saved views are unique by name', (t) => {
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
  t.equal(nameError('  '), 'Enter a name.');
  t.equal(nameError('x'.repeat(61)), 'Use at most 60 characters.');
  t.equal(nameError('fine'), '');
  t.end();
});
