import type { Case } from '../../kit/cases.ts';
import { jobOf } from '../../kit/contract-bench.ts';
import { type FlowContext, OK, RETRIES } from './kit.ts';

/** Automatic retries and the policy for them (docs/contract/retry.md). */
export const retryCases: readonly Case<FlowContext>[] = [
  [
    'a failed attempt below max_attempts is retried and closed as failed; the retry counter is labeled by queue',
    async (t, { farm, failingLine }) => {
      const before = await farm.counter(RETRIES);
      const id = await farm.submit(jobOf('third time', { line: failingLine(2) }), { max_attempts: 3 });
      t.match(await farm.waitForJobStatus(id), { failed_attempts: 2 });
      const task = await farm.task(id);
      t.match(task, { status: 'succeeded', failed_attempts: 2 });
      t.notOk('failure_reason' in task || 'retry_after' in task);
      t.match(await farm.attempts(task.id), [
        { attempt_number: 1, status: 'failed', exit_code: 3 },
        { attempt_number: 2, status: 'failed', exit_code: 3 },
        { attempt_number: 3, status: 'succeeded', exit_code: 0 },
      ]);
      await farm.waitForCounter(RETRIES, before + 2);
    },
  ],
  [
    'a task whose attempts reach max_attempts becomes failed',
    async (t, { farm }) => {
      const before = await farm.counter(RETRIES);
      const id = await farm.submit(jobOf('twice', { line: 'exit 3' }), { max_attempts: 2 });
      t.match(await farm.waitForJobStatus(id, 'failed'), { failed_attempts: 2 });
      t.match(await farm.task(id), { status: 'failed', failed_attempts: 2 });
      await farm.waitForCounter(RETRIES, before + 1);
    },
  ],
  [
    'retry_after is now + retry_delay, and holds a ready task',
    async (t, { farm }) => {
      const id = await farm.submit(jobOf('held', { line: 'exit 3' }), { retry_delay_seconds: 600 });
      const task = await farm.waitForTask(
        id,
        0,
        'the task waits for its retry',
        ({ retry_after: until }) => until !== undefined,
      );
      t.match(task, { status: 'ready', failed_attempts: 1 });
      const wait = Date.parse(task.retry_after ?? '') - Date.now();
      t.ok(wait > 540_000 && wait <= 600_000, `${wait} ms`);
      t.notOk('failure_reason' in task, 'only a terminal task has a failure reason');
      await farm.waitForExplanation(
        task.id,
        /^Held back until .*: 1 of 3 attempts has failed, the last on flow-solo/,
      );
      t.equal((await farm.post(`tasks/${task.id}/retry`)).status, 409, 'a ready task cannot be retried');
      await farm.waitForJobStatus(await farm.submit(jobOf('others', { line: OK })));
      t.same(await farm.statuses(id), ['ready'], 'other jobs run first');
      await farm.cancel(id);
      t.notOk('retry_after' in (await farm.task(id)));
    },
  ],
  [
    'effective_retry is resolved in the order server, farm, queue, job; the job wins',
    async (t, { quiet, createFarm }) => {
      const levels = await createFarm('levels', { max_attempts: 7, retry_delay_seconds: 70 });
      const queue = await levels.queue('strict', { retry_delay_seconds: 60, failure_limit: 6 });
      const policy = async (id: string): Promise<readonly number[]> => {
        const { effective_retry: retry } = await levels.job(id);
        return [retry.max_attempts, retry.retry_delay_seconds, retry.failure_limit];
      };
      const template = jobOf('levels', { line: OK });
      const plain = await levels.submit(template);
      const queued = await levels.submit(template, {}, queue);
      const own = await levels.submit(
        template,
        { max_attempts: 1, retry_delay_seconds: 0, failure_limit: 0 },
        queue,
      );
      const server = await quiet.submit(template);
      t.same((await quiet.job(server)).effective_retry, {
        max_attempts: 3,
        retry_delay_seconds: 0,
        failure_limit: 0,
      });
      t.same(await policy(plain), [7, 70, 0]);
      t.same(await policy(queued), [7, 60, 6]);
      t.same(await policy(own), [1, 0, 0]);
      t.match(await levels.patch(queued, { max_attempts: 2 }), {
        status: 200,
        body: { effective_retry: { max_attempts: 2, retry_delay_seconds: 60, failure_limit: 6 } },
      });
      t.match(await levels.patch(queued, { max_attempts: null, failure_limit: null }), {
        status: 200,
        body: { effective_retry: { max_attempts: 2 } },
      });
      t.match(await levels.patch(plain, { queue_id: queue }), { status: 200, body: { queue_id: queue } });
      t.same(await policy(plain), [7, 60, 6], 'a job inherits from its current queue');
      await levels.setQueue(queue, 'strict', {});
      t.same(await policy(plain), [7, 70, 0], 'PUT replaces all fields: omitted ones inherit again');
    },
  ],
];
