import type { Case } from '../../kit/cases.ts';
import { jobOf, type StepSpec } from '../../kit/contract-bench.ts';
import { type FlowContext, OK, PARKS } from './kit.ts';

/** Jobs that reach their failure limit, and jobs that a user pauses (docs/contract/retry.md). */
export const parkCases: readonly Case<FlowContext>[] = [
  [
    'auto-park: the job is paused with park_reason until it is resumed; the task that reached the limit is failed',
    async (t, { farm, failingLine }) => {
      const before = await farm.counter(PARKS);
      const line = failingLine(2);
      const id = await farm.submit(jobOf('parked', { line, tasks: 4 }), {
        max_attempts: 1,
        failure_limit: 2,
      });
      const job = await farm.waitForJobStatus(id, 'paused');
      t.match(job, { park_reason: 'failure limit reached', failed_attempts: 2 });
      t.match(job.task_counts, { failed: 2, ready: 2, assigned: 0, running: 0 });
      await farm.waitForCounter(PARKS, before + 1);
      await farm.waitForJobStatus(await farm.submit(jobOf('others', { line: OK })));
      t.match((await farm.job(id)).task_counts, { failed: 2, ready: 2 }, 'none of its tasks was assigned');
      const ready = (await farm.tasks(id)).find(({ status }) => status === 'ready');
      await farm.waitForExplanation(
        ready?.id ?? '',
        /^The job was parked after 2 failures: failure limit reached;/,
      );
      const resumed = await farm.patch(id, { action: 'resume' });
      t.match(resumed, { status: 200, body: { failed_attempts: 0 } });
      t.notOk('park_reason' in resumed.body);
      t.not(resumed.body.status, 'paused');
      t.match(await farm.waitForJobStatus(id, 'failed'), { task_counts: { failed: 2, succeeded: 2 } });
    },
  ],
  [
    'a job whose last unfinished task reaches the failure limit becomes failed at once',
    async (t, { farm }) => {
      const id = await farm.submit(jobOf('last', { line: 'exit 3' }), {
        max_attempts: 5,
        failure_limit: 1,
      });
      await farm.waitForJobStatus(id, 'failed');
      t.match(await farm.task(id), {
        status: 'failed',
        failure_reason: 'failed (exit 3)',
        failed_attempts: 1,
      });
      t.equal((await farm.patch(id, { action: 'resume' })).status, 409);
    },
  ],
  [
    'failure_limit 0 disables an inherited limit; a limit of the queue parks a job',
    async (t, { farm }) => {
      const queue = await farm.queue('limited', { failure_limit: 1, max_attempts: 1 });
      const spec: StepSpec = { line: 'exit 3', tasks: 2 };
      const free = await farm.submit(jobOf('free', spec), { failure_limit: 0 }, queue);
      t.match(await farm.waitForJobStatus(free, 'failed'), {
        failed_attempts: 2,
        task_counts: { failed: 2 },
      });
      const parked = await farm.submit(jobOf('parked', spec), {}, queue);
      t.match(await farm.waitForJobStatus(parked, 'paused'), { failed_attempts: 1, park_reason: String });
      await farm.waitForCounter(PARKS, 1, queue);
      const retry = await farm.post(`jobs/${parked}/retry`);
      t.match(retry, { status: 200, body: { job_id: parked, retried: 1 } });
      t.match(
        await farm.waitForJobStatus(parked, 'paused'),
        { failed_attempts: 1, park_reason: String },
        'a retry resumes the job',
      );
      await farm.cancel(parked);
      t.notOk('park_reason' in (await farm.job(parked)));
    },
  ],
  [
    'a manual pause keeps failed_attempts, and a retry does not end it',
    async (t, { farm, createGate }) => {
      const hold = createGate();
      const id = await farm.submit(
        jobOf('paused', { line: 'exit 3' }, { name: 'Hold', line: hold.wait }, { name: 'Rest', line: OK }),
        { max_attempts: 1 },
      );
      await farm.waitForTaskCount(id, 'running', 1);
      await farm.waitForTaskCount(id, 'failed', 1);
      t.match(await farm.patch(id, { action: 'pause' }), {
        status: 200,
        body: { status: 'paused', failed_attempts: 1 },
      });
      t.match(await farm.patch(id, { action: 'pause' }), { status: 200, body: { status: 'paused' } });
      const parks = await farm.counter(PARKS);
      hold.open();
      await farm.waitForTaskCount(id, 'succeeded', 1);
      t.match(await farm.job(id), { status: 'paused', task_counts: { failed: 1, ready: 1 } });
      t.notOk('park_reason' in (await farm.job(id)));
      t.match(await farm.post(`jobs/${id}/retry`), { status: 200, body: { retried: 1 } });
      t.match(await farm.job(id), { status: 'paused', task_counts: { failed: 0, ready: 2 } });
      await farm.waitForJobStatus(await farm.submit(jobOf('others', { line: OK })));
      t.match(await farm.job(id), { status: 'paused', task_counts: { ready: 2, failed: 0 } });
      await farm.waitForExplanation((await farm.task(id)).id, /^The job is paused: no new tasks start/);
      t.match(await farm.patch(id, { action: 'resume' }), { body: { failed_attempts: 0 } });
      await farm.waitForJobStatus(id, 'failed');
      t.equal(await farm.counter(PARKS), parks, 'a manual pause is not counted');
    },
  ],
  [
    'a task that fails while its job is paused by a user is retried, and waits',
    async (t, { farm, createGate }) => {
      const hold = createGate();
      const id = await farm.submit(jobOf('late failure', { line: `${hold.wait}; exit 3`, tasks: 2 }), {
        failure_limit: 1,
      });
      await farm.waitForTaskCount(id, 'running', 1);
      await farm.patch(id, { action: 'pause' });
      hold.open();
      const job = await farm.waitForJob(
        id,
        'the failure is counted',
        ({ failed_attempts: count }) => count === 1,
      );
      t.match(job, { status: 'paused', task_counts: { running: 0 } });
      t.notOk('park_reason' in job, 'a manual pause is not a park');
      await farm.cancel(id);
    },
  ],
  [
    'a manual retry of a task clears park_reason and resets failed_attempts; the job continues',
    async (t, { farm, failingLine }) => {
      const id = await farm.submit(jobOf('parked task', { line: failingLine(1), tasks: 2 }), {
        failure_limit: 1,
      });
      await farm.waitForJobStatus(id, 'paused');
      const task = (await farm.tasks(id)).find(({ status }) => status === 'failed');
      t.match(await farm.post(`tasks/${task?.id ?? ''}/retry`), { status: 202, body: { status: 'ready' } });
      t.match(await farm.waitForJobStatus(id), { failed_attempts: 0, task_counts: { succeeded: 2 } });
    },
  ],
  [
    'a failure uses the retry policy at the moment of the failure',
    async (t, { farm, createGate }) => {
      const queue = await farm.queue('patient', { max_attempts: 9, retry_delay_seconds: 600 });
      const hold = createGate();
      const spec: StepSpec = { line: `${hold.wait}; exit 3` };
      const one = await farm.submit(jobOf('one', spec), {}, queue);
      await farm.waitForTaskCount(one, 'running', 1);
      await farm.setQueue(queue, 'patient', { max_attempts: 1 });
      hold.open();
      await farm.waitForJobStatus(one, 'failed');
      const next = createGate();
      const two = await farm.submit(jobOf('two', { line: `${next.wait}; exit 3` }), {}, queue);
      await farm.waitForTaskCount(two, 'running', 1);
      await farm.patch(two, { max_attempts: 5, retry_delay_seconds: 0 });
      next.open();
      t.match(await farm.waitForJobStatus(two, 'failed'), { failed_attempts: 5 });
    },
  ],
];
