import type { Case } from '../../kit/cases.ts';
import { jobOf } from '../../kit/contract-bench.ts';
import { until } from '../../kit/until.ts';
import { type LivenessContext, OK, RETRIES } from './kit.ts';

/** Silent workers, retention and starvation (docs/contract/workers.md, docs/contract/lease.md). */
export const livenessCases: readonly Case<LivenessContext>[] = [
  [
    'a silent worker is offline; its tasks are ready again, only their attempts have the message, no failure is counted',
    async (t, { farm, pool }) => {
      const lost = await farm.worker('lost', '--worker-cpus=1');
      const spec = { line: 'exec sleep 600', pools: ['nuke'] };
      const id = await farm.submit(jobOf('lost', spec), { failure_limit: 1, max_attempts: 1 });
      await farm.waitForTaskCount(id, 'running', 1);
      farm.workers.get('lost')?.child.kill('SIGSTOP');
      const task = await farm.waitForTask(
        id,
        0,
        'the task is ready again',
        ({ status }) => status === 'ready',
      );
      t.match(task, { failed_attempts: 0 });
      for (const field of ['failure_reason', 'retry_after', 'assigned_worker_id', 'assigned_at']) {
        t.notOk(field in task, field);
      }
      await farm.waitForWorkerStatus('lost', 'offline');
      const [attempt] = await farm.attempts(task.id);
      t.match(attempt, {
        attempt_number: 1,
        status: 'failed',
        message: 'worker went offline',
        ended_at: String,
      });
      const job = await farm.job(id);
      t.equal(job.failed_attempts, 0);
      t.match(['running', 'pending'].includes(job.status), true, job.status);
      t.equal(await farm.counter(RETRIES), 0, 'reclaims are not counted');
      t.match(await farm.api.must('GET', `/api/v1/usage-pools/${pool.id}`), { in_use: 0 });
      t.equal((await farm.api.call('DELETE', `/api/v1/workers/${lost.id}`)).status, 204);
      t.equal((await farm.api.call('GET', `/api/v1/workers/${lost.id}`)).status, 404);
      await farm.worker('next', '--worker-cpus=2');
      await farm.waitForTask(id, 0, 'another worker runs the task', ({ status }) => status === 'running');
      t.match(await farm.attempts(task.id), [
        { attempt_number: 1 },
        { attempt_number: 2, status: 'running' },
      ]);
      await farm.cancel(id);
    },
  ],
  [
    'retention removes completed jobs, but no failed or canceled ones',
    async (t, { farm }) => {
      const failed = await farm.submit(jobOf('failed', { line: 'exit 3' }), { max_attempts: 1 });
      await farm.waitForJobStatus(failed, 'failed');
      const id = await farm.submit(jobOf('completed', { line: OK }));
      await until(
        'the job was deleted',
        async () => (await farm.api.call('GET', `/api/v1/jobs/${id}`)).status === 404,
      );
      t.equal((await farm.job(failed)).status, 'failed');
    },
  ],
  [
    'a whole-machine task does not starve',
    async (t, { farm, createGate }) => {
      const hold = createGate();
      const spec = { line: 'sleep 0.$((3 + {{Task.Param.N}} % 5))', tasks: 400 };
      const stream = await farm.submit(jobOf('stream', spec), { priority: 10 });
      await farm.waitForTaskCount(stream, 'running', 2);
      const whole = await farm.submit(jobOf('whole', { line: hold.wait, cores: null }), { priority: 90 });
      await farm.waitForExplanation(
        (await farm.task(whole)).id,
        /; sweeps-next is kept free for its step\.$/,
      );
      await farm.waitForExplanation(
        (await farm.task(stream, 399)).id,
        /the only eligible worker is (busy|kept free for)/,
      );
      await farm.waitForTaskCount(whole, 'running', 1);
      const { task_counts: counts } = await farm.job(stream);
      t.match(counts, { assigned: 0, running: 0 });
      t.ok((counts['ready'] ?? 0) > 0, 'other tasks are still ready');
      hold.open();
      await farm.cancel(stream);
    },
  ],
  [
    'a worker that shuts down, or is killed and restarted, costs its task no attempt',
    async (t, { farm, createGate }) => {
      await farm.workers.get('next')?.kill('SIGTERM');
      await farm.worker('one', '--worker-cpus=1');
      const hold = createGate();
      const id = await farm.submit(jobOf('hops', { line: hold.wait }), {
        max_attempts: 1,
        failure_limit: 1,
      });
      for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
        await farm.waitForTaskCount(id, 'running', 1);
        await farm.workers.get('one')?.kill(signal);
        if (signal === 'SIGTERM') await farm.waitForTaskCount(id, 'ready', 1);
        await farm.worker('one', '--worker-cpus=1');
      }
      await until('a third attempt runs', async () => {
        const attempts = await farm.attempts((await farm.task(id)).id);
        return attempts.length >= 3;
      });
      hold.open();
      t.match(await farm.waitForJobStatus(id), { failed_attempts: 0 });
    },
  ],
];
