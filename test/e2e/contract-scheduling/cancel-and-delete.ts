import type { Case } from '../../kit/cases.ts';
import { jobOf } from '../../kit/contract-bench.ts';
import { type FlowContext, OK } from './kit.ts';

/** Cancel, retry and DELETE of jobs and tasks by a user (docs/contract/job-states.md). */
export const cancelCases: readonly Case<FlowContext>[] = [
  [
    'cancel of a job: unfinished tasks are canceled by user, their workers are notified; idempotent for a canceled job',
    async (t, { farm }) => {
      const id = await farm.submit(
        jobOf(
          'endless',
          { name: 'A', line: 'exec sleep 600', tasks: 2 },
          { name: 'B', line: OK, after: ['A'] },
        ),
      );
      await farm.waitForTaskCount(id, 'running', 1);
      const live = (await farm.tasks(id)).find(({ status }) => status === 'running');
      t.equal((await farm.post(`jobs/${id}/cancel`)).status, 204);
      t.match(await farm.job(id), { status: 'canceled', task_counts: { canceled: 3 } });
      for (const task of await farm.tasks(id)) t.equal(task.failure_reason, 'canceled by user');
      const [attempt] = await farm.attempts(live?.id ?? '');
      t.match(attempt, { status: 'canceled', ended_at: String });
      t.equal((await farm.post(`jobs/${id}/cancel`)).status, 204);
      await farm.waitForJobStatus(await farm.submit(jobOf('the worker is free again', { line: OK })));
      t.match(
        await farm.job(id),
        { status: 'canceled', task_counts: { canceled: 3 } },
        'a late report changes nothing',
      );
      await farm.waitForExplanation(live?.id ?? '', /^Canceled by a user\.$/);
    },
  ],
  [
    'cancel of a job: 409 for completed or failed; an earlier cascade reason stays',
    async (t, { farm, createGate }) => {
      const completed = await farm.submit(jobOf('done', { line: OK }));
      await farm.waitForJobStatus(completed);
      t.match(await farm.post(`jobs/${completed}/cancel`), {
        status: 409,
        body: { type: 'about:blank', title: 'Conflict', status: 409, detail: String, instance: String },
      });
      const hold = createGate();
      const id = await farm.submit(
        jobOf(
          'cascade first',
          { name: 'A', line: 'exit 3' },
          { name: 'B', line: OK, after: ['A'] },
          { name: 'C', line: hold.wait },
        ),
        { max_attempts: 1 },
      );
      await farm.waitForTaskCount(id, 'running', 1);
      await farm.waitForTaskCount(id, 'canceled', 1);
      await farm.cancel(id);
      const [a, b, c] = await farm.tasks(id);
      t.match(a, { status: 'failed', failure_reason: 'failed (exit 3)' });
      t.match(b, { status: 'canceled', failure_reason: 'canceled: upstream step failed' });
      t.match(c, { status: 'canceled', failure_reason: 'canceled by user' });
      t.match(await farm.job(id), { status: 'canceled' });
      const failed = await farm.submit(jobOf('failed', { line: 'exit 3' }), { max_attempts: 1 });
      await farm.waitForJobStatus(failed, 'failed');
      t.equal((await farm.post(`jobs/${failed}/cancel`)).status, 409);
    },
  ],
  [
    'retry of a job: failed and canceled tasks are pending, counters and reasons are cleared; 0 if no task is eligible',
    async (t, { farm, quiet, createGate, failingLine }) => {
      const id = await farm.submit(
        jobOf('again', { name: 'A', line: failingLine(1) }, { name: 'B', line: OK, after: ['A'], tasks: 2 }),
        { max_attempts: 1 },
      );
      await farm.waitForJobStatus(id, 'failed');
      await farm.patch(id, { priority: 1 });
      const hold = createGate();
      const before = await farm.submit(jobOf('before', { line: hold.wait }), { priority: 90 });
      await farm.waitForTaskCount(before, 'running', 1);
      t.match(await farm.post(`jobs/${id}/retry`), { status: 200, body: { job_id: id, retried: 3 } });
      t.match(await farm.job(id), {
        status: 'pending',
        failed_attempts: 0,
        task_counts: { ready: 1, pending: 2, failed: 0, canceled: 0 },
        failure_summary: { failed_count: 0 },
      });
      for (const task of await farm.tasks(id)) {
        t.equal(task.failed_attempts, 0);
        t.notOk('failure_reason' in task);
      }
      hold.open();
      await farm.waitForJobStatus(id);
      t.match(
        await farm.attempts((await farm.task(id)).id),
        [
          { attempt_number: 1, status: 'failed' },
          { attempt_number: 2, status: 'succeeded' },
        ],
        'attempts are kept, oldest first',
      );
      t.match(await farm.post(`jobs/${id}/retry`), { status: 200, body: { job_id: id, retried: 0 } });
      t.equal((await farm.job(id)).status, 'completed');
      const canceled = await quiet.submit(jobOf('canceled', { line: OK, tasks: 3 }));
      t.match(await quiet.post(`jobs/${canceled}/retry`), { body: { retried: 0 } }, 'no task is eligible');
      await quiet.cancel(canceled);
      t.match(await quiet.post(`jobs/${canceled}/retry`), { body: { retried: 3 } });
      t.match(await quiet.job(canceled), { status: 'pending', task_counts: { ready: 3 } });
    },
  ],
  [
    'retry of a task: only failed or canceled, 202 with task_id and status; a terminal step and job are pending again',
    async (t, { farm, failingLine }) => {
      const id = await farm.submit(
        jobOf('one of two', { line: failingLine(1), tasks: 2 }, { line: OK, name: 'Then', after: ['Step1'] }),
        { max_attempts: 1 },
      );
      await farm.waitForJobStatus(id, 'failed');
      const [first, second, then] = await farm.tasks(id);
      t.match([first?.status, second?.status, then?.status], ['failed', 'succeeded', 'canceled']);
      t.equal((await farm.post(`tasks/${second?.id ?? ''}/retry`)).status, 409);
      t.match(await farm.post(`tasks/${then?.id ?? ''}/retry`), {
        status: 202,
        body: { task_id: then?.id, status: 'pending' },
      });
      t.match(await farm.job(id), {
        status: 'pending',
        steps: [{ status: 'failed' }, { status: 'pending' }],
      });
      await farm.waitForExplanation(then?.id ?? '', /Step1/);
      t.match(await farm.post(`tasks/${first?.id ?? ''}/retry`), {
        status: 202,
        body: { task_id: first?.id, status: 'ready' },
      });
      t.match(await farm.waitForJobStatus(id), { failed_attempts: 0, task_counts: { succeeded: 3 } });
    },
  ],
  [
    'cancel of a task: only unfinished, closes the running attempt, 202 with task_id and status; 409 for a terminal task',
    async (t, { farm }) => {
      const id = await farm.submit(jobOf('tasks', { line: 'exec sleep 600', tasks: 3 }));
      await farm.waitForTaskCount(id, 'running', 1);
      const [first, second, third] = await farm.tasks(id);
      t.match(await farm.post(`tasks/${third?.id ?? ''}/cancel`), {
        status: 202,
        body: { task_id: third?.id, status: 'canceled' },
      });
      t.equal((await farm.post(`tasks/${third?.id ?? ''}/cancel`)).status, 409);
      t.match(await farm.post(`tasks/${first?.id ?? ''}/cancel`), {
        status: 202,
        body: { task_id: first?.id, status: 'canceled' },
      });
      t.match(await farm.attempts(first?.id ?? ''), [{ status: 'canceled' }]);
      await farm.waitForTask(id, 1, 'the next task runs', ({ status }) => status === 'running');
      await farm.post(`tasks/${second?.id ?? ''}/cancel`);
      const job = await farm.waitForJob(
        id,
        'the job is terminal',
        ({ status }) => !['running', 'pending'].includes(status),
      );
      t.match(job, { status: 'failed', task_counts: { canceled: 3 }, failed_attempts: 0 });
      for (const task of await farm.tasks(id)) t.equal(task.failure_reason, 'canceled by user');
    },
  ],
  [
    'DELETE of a job: 204, active tasks are canceled first, all data is removed; 404',
    async (t, { farm }) => {
      const id = await farm.submit(jobOf('doomed', { line: 'exec sleep 600', tasks: 2 }));
      await farm.waitForTaskCount(id, 'running', 1);
      const { id: task } = await farm.task(id);
      t.equal((await farm.api.call('DELETE', `/api/v1/jobs/${id}`)).status, 204);
      for (const path of [`jobs/${id}`, `jobs/${id}/tasks`, `tasks/${task}`, `tasks/${task}/attempts`]) {
        t.equal((await farm.api.call('GET', `/api/v1/${path}`)).status, 404, path);
      }
      t.equal((await farm.api.call('DELETE', `/api/v1/jobs/${id}`)).status, 404);
      await farm.waitForJobStatus(await farm.submit(jobOf('the worker is free again', { line: OK })));
    },
  ],
];
