import type { Case } from '../../kit/cases.ts';
import { type LeaseContext, RETRIES } from './kit.ts';

/** Assigned tasks that do not start (docs/contract/workers.md). */
export const staleAssignmentCases: readonly Case<LeaseContext>[] = [
  [
    'a task that stays assigned for 30 s returns to ready, and its job to pending; late reports change nothing',
    async (t, { frozen, staleTask }) => {
      const task = staleTask();
      const { job_id: id } = task;
      const first = await frozen.waitForTask(
        id,
        0,
        'the task is ready again',
        ({ status }) => status === 'ready',
      );
      t.match(first, { failed_attempts: 0 });
      t.notOk('failure_reason' in first || 'assigned_worker_id' in first);
      t.match(await frozen.job(id), { status: 'pending', failed_attempts: 0 });
      t.match(await frozen.attempts(task.id), [{ attempt_number: 1, status: 'failed', message: String }]);
      frozen.workers.get('one')?.child.kill('SIGCONT');
      t.match(await frozen.waitForJobStatus(id), { failed_attempts: 0 });
      const attempts = await frozen.attempts(task.id);
      t.match(attempts, [
        { attempt_number: 1, status: 'failed' },
        { attempt_number: 2, status: 'succeeded' },
      ]);
      t.equal(await frozen.counter(RETRIES, (await frozen.job(id)).queue_id), 0);
    },
  ],
];
