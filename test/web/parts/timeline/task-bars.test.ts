import { test } from 'tap';
import type { Task } from '../../../../client/resources.ts';
import { taskBars } from '../../../../web/parts/timeline/task-bars.ts';

const AT = '2026-11-21T10:00:00.000000000Z';
const LATER = '2026-11-21T10:01:30.000000000Z';
const task = (id: string, more: Partial<Task>): Task => ({
  id,
  job_id: 'j',
  step_id: 's',
  name: `frame ${id}`,
  status: 'ready',
  created_at: AT,
  updated_at: AT,
  failed_attempts: 0,
  ...more,
});

test('an assigned task has a bar, a waiting one is counted', (t) => {
  const { items, waiting, retried } = taskBars([
    task('1', {
      status: 'succeeded',
      assigned_worker_id: 'w',
      started_at: AT,
      ended_at: LATER,
      failed_attempts: 1,
    }),
    task('2', { status: 'running', assigned_worker_id: 'w', started_at: AT }),
    task('3', {
      status: 'failed',
      assigned_worker_id: 'w',
      started_at: AT,
      ended_at: LATER,
      failed_attempts: 1,
    }),
    task('4', { status: 'ready', assigned_worker_id: 'w', failed_attempts: 2 }),
    task('5', { status: 'canceled' }),
  ]);
  t.strictSame(items, [
    { id: '1', name: 'frame 1', status: 'succeeded', lane: 'w', from: Date.parse(AT), to: Date.parse(LATER) },
    { id: '2', name: 'frame 2', status: 'running', lane: 'w', from: Date.parse(AT), to: null },
    { id: '3', name: 'frame 3', status: 'failed', lane: 'w', from: Date.parse(AT), to: Date.parse(LATER) },
  ]);
  t.equal(waiting, 2);
  t.equal(retried, 2, 'the failure of the bar itself does not count as an earlier one');
  t.end();
});
