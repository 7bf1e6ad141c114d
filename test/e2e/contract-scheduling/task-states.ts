import type { Case } from '../../kit/cases.ts';
import { jobOf } from '../../kit/contract-bench.ts';
import { type FlowContext, OK } from './kit.ts';

/** Transitions of tasks that start, succeed and fail (docs/contract/task-states.md). */
export const taskStateCases: readonly Case<FlowContext>[] = [
  [
    'submission without depends_on: the job is pending, tasks of steps without dependencies are ready',
    async (t, { quiet }) => {
      const job = await quiet.trySubmit(
        jobOf('new', { name: 'A', line: OK, tasks: 2 }, { name: 'B', line: OK, after: ['A'] }),
      );
      t.match(job, { status: 201, body: { status: 'pending', priority: 50, failed_attempts: 0 } });
      t.match(await quiet.job(job.body.id), {
        task_counts: { total: 3, ready: 2, pending: 1, assigned: 0, running: 0, unschedulable: 0 },
        steps: [
          { name: 'A', status: 'ready' },
          { name: 'B', status: 'pending' },
        ],
      });
      t.same(await quiet.statuses(job.body.id), ['ready', 'ready', 'pending']);
      t.same(
        await quiet.attempts((await quiet.task(job.body.id)).id),
        [],
        'a task that has not run has no attempts',
      );
    },
  ],
  [
    'a task is ready, assigned, running, then succeeded; the next step becomes ready; the job is running, then completed',
    async (t, { farm, solo, createGate }) => {
      const hold = createGate();
      const id = await farm.submit(
        jobOf('life', { name: 'A', line: hold.wait }, { name: 'B', line: OK, after: ['A'] }),
      );
      const task = await farm.waitForTask(id, 0, 'the task runs', ({ status }) => status === 'running');
      t.match(task, { assigned_worker_id: solo.id, assigned_at: String });
      t.match(await farm.job(id), {
        status: 'running',
        steps: [{ status: 'running' }, { status: 'pending' }],
      });
      t.match(await farm.attempts(task.id), [{ attempt_number: 1, status: 'running', worker_id: solo.id }]);
      hold.open();
      t.match(await farm.waitForJobStatus(id), {
        task_counts: { total: 2, succeeded: 2 },
        steps: [{ status: 'completed' }, { status: 'completed' }],
      });
      t.match(await farm.attempts(task.id), [
        { attempt_number: 1, status: 'succeeded', exit_code: 0, ended_at: String },
      ]);
      t.notOk('failure_reason' in (await farm.task(id)));
    },
  ],
  [
    'a failed task without a worker message has the reason failed (exit N); all dependent steps are canceled',
    async (t, { farm }) => {
      const id = await farm.submit(
        jobOf(
          'cascade',
          { name: 'A', line: 'exit 7' },
          { name: 'B', line: OK, after: ['A'], tasks: 2 },
          { name: 'C', line: OK, after: ['B'] },
          { name: 'D', line: OK },
        ),
        { max_attempts: 1 },
      );
      const job = await farm.waitForJobStatus(id, 'failed');
      t.match(job, {
        failed_attempts: 1,
        task_counts: { failed: 1, canceled: 3, succeeded: 1 },
        steps: [
          { status: 'failed' },
          { status: 'canceled' },
          { status: 'canceled' },
          { status: 'completed' },
        ],
        failure_summary: { failed_count: 1, dominant_reason: 'failed (exit 7)', distinct_reasons: 1 },
      });
      const [a, b, b2, c, d] = await farm.tasks(id);
      t.match(a, { status: 'failed', failure_reason: 'failed (exit 7)', failed_attempts: 1 });
      for (const each of [b, b2, c]) {
        t.match(each, {
          status: 'canceled',
          failure_reason: 'canceled: upstream step failed',
          failed_attempts: 0,
        });
      }
      t.equal(d?.status, 'succeeded');
      t.same(await farm.attempts(b?.id ?? ''), []);
      t.match(await farm.attempts(a?.id ?? ''), [{ status: 'failed', exit_code: 7 }]);
      await farm.waitForExplanation(
        a?.id ?? '',
        /^Failed after 1 attempt on flow-solo: failed \(exit 7\)\.$/,
      );
      await farm.waitForExplanation(c?.id ?? '', /^Canceled because upstream step B was canceled\.$/);
    },
  ],
  [
    'a failure that the worker reports keeps the message of the worker unchanged',
    async (t, { farm }) => {
      const line = 'echo "openjd_fail: Keine Lizenz für »Nuke«: 3 of 3"; exit 4';
      const id = await farm.submit(jobOf('message', { line }), { max_attempts: 1 });
      await farm.waitForJobStatus(id, 'failed');
      const task = await farm.task(id);
      t.equal(task.failure_reason, 'Keine Lizenz für »Nuke«: 3 of 3');
      t.match(await farm.attempts(task.id), [
        { status: 'failed', exit_code: 4, message: 'Keine Lizenz für »Nuke«: 3 of 3' },
      ]);
    },
  ],
  [
    'a fatal error that the worker reports makes the task failed, with a reason',
    async (t, { farm }) => {
      const template = jobOf('fatal', { line: OK }) as { steps: { script: object }[] };
      for (const step of template.steps) {
        step.script = { actions: { onRun: { command: '/no/such/program' } } };
      }
      const id = await farm.submit(template, { max_attempts: 1 });
      await farm.waitForJobStatus(id, 'failed');
      t.match(await farm.task(id), { status: 'failed', failure_reason: /\S/ });
      const late = await farm.submit(jobOf('late', { line: 'exec sleep 600', timeout: 1 }), {
        max_attempts: 1,
      });
      await farm.waitForJobStatus(late, 'failed');
      t.match(await farm.task(late), { status: 'failed', failure_reason: /\S/, failed_attempts: 1 });
    },
  ],
];
