import { test } from 'tap';
import type { Attempt, Gate, Task } from '../../../client/resources.ts';
import { gateTitle, linkNames, linksOf } from '../../../web/pages/task/explanation-links.ts';
import { attemptShown, hasStateChanged, newestFirst } from '../../../web/pages/task/task-state.ts';
import { taskAfter } from '../../../web/state/task-after.ts';

const EXPLAINED = { job_id: 'job-1' };

test('names in a sentence link to their pages', (t) => {
  const job = { id: 'job-2', name: 'Sim v12' };
  const step = { id: 'step-2', name: 'Simulate' };
  const queue = { id: 'queue-1', name: 'day' };
  const progress = { total: 120, left: 37, running: 12, failed: 2 };
  const cap: Gate = {
    gate: 'queue_cap',
    reason: 'queue at max_concurrent_tasks',
    sentence: 'Queue day is at its cap of 40 concurrent tasks; job Sim v12 (Comp) holds 32.',
    queue,
    limit: 40,
    live: 40,
    holders: [{ farm: { id: 'farm-1', name: 'north' }, job, step, live: 32 }],
  };
  t.strictSame(linkNames(cap.sentence, linksOf(cap, EXPLAINED)), {
    parts: [
      { text: 'Queue ', href: null },
      { text: 'day', href: '/queues?search=day' },
      { text: ' is at its cap of 40 concurrent tasks; job ', href: null },
      { text: 'Sim v12', href: '/jobs/job-2' },
      { text: ' (Comp) holds 32.', href: null },
    ],
    others: [],
  });
  const upstream: Gate = {
    gate: 'upstream_step',
    reason: 'upstream step not completed',
    sentence: 'Waits for step Simulate: 37 of 120 tasks left, 12 running, 2 failed.',
    step,
    status: 'running',
    progress,
  };
  t.strictSame(linksOf(upstream, EXPLAINED), [
    { label: 'Simulate', href: '/jobs/job-1?tab=tasks&step=Simulate' },
  ]);
  const workers: Gate = {
    gate: 'workers',
    reason: 'no online workers',
    sentence: 'No worker is online.',
    online: 0,
    elsewhere: 0,
    rejected: [],
  };
  t.strictSame(linkNames(workers.sentence, linksOf(workers, EXPLAINED)).others, [
    { label: 'Workers', href: '/workers' },
  ]);
  t.end();
});

test('a name within a longer word is not linked', (t) => {
  t.strictSame(linkNames('Sunday and day-2, but day.', [{ label: 'day', href: '/day' }]).parts, [
    { text: 'Sunday and day-2, but ', href: null },
    { text: 'day', href: '/day' },
    { text: '.', href: null },
  ]);
  t.strictSame(linkNames('Nothing.', [{ label: '', href: '/x' }]).parts, [{ text: 'Nothing.', href: null }]);
  t.equal(gateTitle('queue_cap'), 'Queue cap');
  t.equal(gateTitle('of_a_later_version'), 'of_a_later_version');
  t.end();
});

test('the attempt of the address is shown, else the newest', (t) => {
  const attempt = (number: number): Attempt => ({
    attempt_number: number,
    status: 'failed',
    started_at: '2026-11-21T00:00:00Z',
  });
  const list = newestFirst([attempt(1), attempt(3), attempt(2)]);
  t.strictSame(
    list.map((one) => one.attempt_number),
    [3, 2, 1],
  );
  t.strictSame(
    [null, 2, 9].map((wanted) => attemptShown(list, wanted)?.attempt_number),
    [3, 2, 3],
  );
  t.equal(attemptShown([], 1), null);
  t.end();
});

test('an event changes the state or only the progress of a task', (t) => {
  const at = '2026-11-21T00:00:00Z';
  const task: Task = {
    id: 'task-1',
    job_id: 'job-1',
    step_id: 'step-1',
    name: 'Render',
    status: 'running',
    assigned_worker_id: 'worker-1',
    created_at: at,
    updated_at: at,
    failed_attempts: 0,
  };
  const event = {
    job_id: 'job-1',
    task_id: 'task-1',
    name: 'Render',
    status: 'running',
    worker_id: 'worker-1',
    unschedulable_reason: '',
    updated_at: at,
    progress: 50,
  } as const;
  t.equal(hasStateChanged(task, event), false);
  t.equal(hasStateChanged(task, { ...event, status: 'succeeded' }), true);
  t.equal(hasStateChanged(task, { ...event, worker_id: 'worker-2' }), true);
  t.strictSame(taskAfter(task, event), { ...task, progress: 50 });
  const newer = { ...task, status: 'succeeded', updated_at: '2026-11-21T00:00:01Z' } as const;
  t.equal(taskAfter(newer, event), newer, 'an older event does not change a task');
  t.strictSame(taskAfter(task, { ...event, status_message: 'tile 2' }), {
    ...task,
    progress: 50,
    status_message: 'tile 2',
  });
  const { progress: _progress, ...silent } = event;
  const { assigned_worker_id: _worker, ...free } = task;
  t.strictSame(
    taskAfter({ ...task, progress: 50 }, { ...silent, status: 'ready', worker_id: '' }),
    { ...free, status: 'ready' },
    'members that an event leaves out are removed',
  );
  t.equal(taskAfter(task, { ...event, updated_at: '2026-11-20T00:00:00Z' }), task);
  t.end();
});
