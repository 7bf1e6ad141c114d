import type { Case } from '../../kit/cases.ts';
import { jobOf, type WorkerDoc } from '../../kit/contract-bench.ts';
import { becomesSchedulable, becomesUnschedulable, type LeaseContext, OK } from './kit.ts';

/** Reservation of CPU cores (docs/contract/lease.md). */
export const coreCases: readonly Case<LeaseContext>[] = [
  [
    'reason: farm mismatch',
    async (t, { empty }) => {
      const id = await empty.submit(jobOf('elsewhere', { line: OK }));
      const task = await becomesUnschedulable(t, empty, id, 'no eligible online worker: farm mismatch');
      await empty.waitForExplanation(task.id, /./);
      await empty.cancel(id);
      t.notOk(
        'unschedulable_reason' in (await empty.task(id)),
        'the reason clears when the task leaves ready',
      );
      t.equal((await empty.job(id)).task_counts['unschedulable'], 0);
    },
  ],
  [
    'tasks share a worker while their cores fit: two 2-core tasks on a 4-core worker',
    async (t, { farm, createGate }) => {
      const hold = createGate();
      const id = await farm.submit(jobOf('pairs', { line: hold.wait, cores: 2, tasks: 3 }));
      await farm.waitForTaskCount(id, 'running', 2);
      const quad = await farm.waitForWorkerStatus('quad', 'online');
      const { body } = await farm.api.call<WorkerDoc>('GET', `/api/v1/workers/${quad.id}`);
      t.match(body, { committed_cores: 4 });
      t.equal(body.current_tasks.length, 2);
      t.match((await farm.job(id)).task_counts, { running: 2, ready: 1 });
      await farm.waitForExplanation(
        (await farm.task(id, 2)).id,
        /^Ready, and next in line: the only eligible worker is busy/,
      );
      hold.open();
      await farm.waitForJobStatus(id);
    },
  ],
  [
    'a step without amount.worker.vcpu reserves the whole machine; later tasks that fit are assigned',
    async (t, { farm, createGate }) => {
      const [hold, small] = [createGate(), createGate()];
      const three = await farm.submit(jobOf('three', { line: hold.wait, cores: 3 }), { priority: 90 });
      await farm.waitForTaskCount(three, 'running', 1);
      const whole = await farm.submit(jobOf('whole', { line: small.wait, cores: null, tasks: 2 }), {
        priority: 80,
      });
      const one = await farm.submit(jobOf('one', { line: OK }), { priority: 10 });
      await farm.waitForJobStatus(one);
      t.same(await farm.statuses(whole), ['ready', 'ready'], 'the machine is not free');
      hold.open();
      await farm.waitForTaskCount(whole, 'running', 1);
      const other = await farm.submit(jobOf('other', { line: OK }));
      t.match((await farm.job(whole)).task_counts, { running: 1, ready: 1 });
      t.same(await farm.statuses(other), ['ready']);
      small.open();
      await farm.waitForJobStatus(whole);
      await farm.waitForJobStatus(other);
    },
  ],
  [
    'an omitted min means 1 core',
    async (_t, { farm, createGate }) => {
      const hold = createGate();
      const template = JSON.stringify(jobOf('min', { line: hold.wait, cores: 99, tasks: 5 }));
      const id = await farm.submit(JSON.parse(template.replace('"min":99', '"max":4')) as object);
      await farm.waitForTaskCount(id, 'running', 4);
      hold.open();
      await farm.waitForJobStatus(id);
    },
  ],
  [
    'reason: amount requirement not met',
    async (t, { farm }) => {
      const id = await farm.submit(jobOf('big', { line: OK, cores: 5 }));
      const task = await becomesUnschedulable(
        t,
        farm,
        id,
        'no eligible online worker: amount requirement not met',
      );
      await farm.waitForExplanation(task.id, /^No worker can run it: .*amount\.worker\.vcpu/);
      const big = await farm.worker('big', '--worker-cpus=5');
      await becomesSchedulable(t, farm, id);
      t.equal((await farm.attempts(task.id))[0]?.worker_id, big.id);
      await farm.workers.get('big')?.kill('SIGTERM');
    },
  ],
];
