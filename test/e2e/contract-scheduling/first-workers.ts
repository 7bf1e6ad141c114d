import type { Case } from '../../kit/cases.ts';
import { attribute, jobOf } from '../../kit/contract-bench.ts';
import { becomesSchedulable, becomesUnschedulable, type LeaseContext, needing, OK } from './kit.ts';

/** Tasks before and after the first worker is online. */
export const firstWorkerCases: readonly Case<LeaseContext>[] = [
  [
    'no online workers is the reason of a ready task, and clears when an eligible worker is online',
    async (t, { farm }) => {
      const id = await farm.submit(jobOf('alone', { line: OK, tasks: 2 }));
      const gpu = await farm.submit(needing(attribute('tag.gpu', 'anyOf', 'a5000')));
      const task = await becomesUnschedulable(t, farm, id, 'no online workers');
      await becomesUnschedulable(t, farm, gpu, 'no online workers');
      await farm.waitForExplanation(task.id, /^No worker is online\.$/);
      await farm.worker(
        'quad',
        '--worker-cpus=4',
        '--worker-tags=gpu=a4000,app=Maya',
        '--worker-compute-location=berlin',
      );
      await becomesSchedulable(t, farm, id);
      await becomesUnschedulable(t, farm, gpu, 'no eligible online worker: attribute requirement not met');
      await farm.cancel(gpu);
    },
  ],
  [
    'a waiting lease request is answered when a job is submitted: the task is assigned, with assigned_at',
    async (t, { frozen, setStaleTask }) => {
      const one = await frozen.worker('one', '--worker-cpus=1');
      await frozen.waitForJobStatus(await frozen.submit(jobOf('warm', { line: OK })));
      frozen.workers.get('one')?.child.kill('SIGSTOP');
      const queue = await frozen.queue('of stale');
      const once = { max_attempts: 1, failure_limit: 1 };
      const id = await frozen.submit(jobOf('stale', { line: OK }), once, queue);
      const task = await frozen.waitForTask(
        id,
        0,
        'the task is assigned',
        ({ status }) => status === 'assigned',
      );
      t.match(task, { assigned_worker_id: one.id, assigned_at: String });
      t.match(await frozen.attempts(task.id), [{ attempt_number: 1, status: 'running', worker_id: one.id }]);
      await frozen.waitForExplanation(task.id, /^Assigned to frozen-one /);
      setStaleTask(task);
    },
  ],
  [
    'a reason clears when an eligible worker appears, before that worker has capacity',
    async (t, { farm, createGate }) => {
      const hold = createGate();
      const busy = await farm.submit(jobOf('busy', { line: hold.wait, cores: null }));
      await farm.waitForTaskCount(busy, 'running', 1);
      const id = await farm.submit(jobOf('later', { line: OK, pools: ['late'] }));
      await becomesUnschedulable(t, farm, id, 'no eligible online worker: usage pool at capacity');
      await farm.api.must('POST', '/api/v1/usage-pools', { name: 'late', max_concurrent: 1 });
      const task = await farm.waitForTask(
        id,
        0,
        'the reason is cleared',
        (each) => !('unschedulable_reason' in each),
      );
      t.equal(task.status, 'ready');
      t.equal((await farm.job(id)).task_counts['unschedulable'], 0);
      await farm.patch(id, { action: 'pause' });
      t.match(await farm.job(id), { status: 'paused' });
      await farm.patch(id, { action: 'resume' });
      hold.open();
      await farm.waitForJobStatus(id);
    },
  ],
];
