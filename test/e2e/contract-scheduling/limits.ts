import type { Case } from '../../kit/cases.ts';
import { jobOf } from '../../kit/contract-bench.ts';
import { until } from '../../kit/until.ts';
import { becomesUnschedulable, type LeaseContext, OK } from './kit.ts';

/** Usage pools and concurrency limits (docs/contract/usage-pools.md, docs/contract/lease.md). */
export const limitCases: readonly Case<LeaseContext>[] = [
  [
    'usage pools: one slot per live task, several pools per step, none in an unknown pool; a raised limit starts tasks',
    async (t, { farm, createGate }) => {
      const pool = async (name: string, max_concurrent: number): Promise<string> =>
        (await farm.api.must<{ id: string }>('POST', '/api/v1/usage-pools', { name, max_concurrent })).id;
      const slots = async (id: string): Promise<readonly number[]> => {
        const view = await farm.api.must<{ in_use: number; available: number }>(
          'GET',
          `/api/v1/usage-pools/${id}`,
        );
        return [view.in_use, view.available];
      };
      const hold = createGate();
      const nuke = await pool('nuke', 1);
      const id = await farm.submit(jobOf('pooled', { line: hold.wait, pools: ['nuke', 'maya'], tasks: 4 }));
      const task = await becomesUnschedulable(
        t,
        farm,
        id,
        'no eligible online worker: usage pool at capacity',
      );
      await farm.waitForExplanation(task.id, /maya is not registered and has no slots/);
      t.same(await slots(nuke), [0, 1], 'a task that waits for one pool holds no slot of another');
      const maya = await pool('maya', 3);
      await farm.waitForTaskCount(id, 'running', 1);
      t.same(await slots(nuke), [1, 0]);
      t.same(await slots(maya), [1, 2]);
      await farm.waitForExplanation(
        (await farm.task(id, 1)).id,
        /^Usage pool nuke is at capacity: 1 of 1 slot is taken/,
      );
      await farm.waitForTask(id, 1, 'the reason is the full pool', ({ unschedulable_reason: reason }) => {
        return reason === 'no eligible online worker: usage pool at capacity';
      });
      t.match((await farm.job(id)).task_counts, { unschedulable: 3, ready: 3, total: 4 });
      await farm.api.must('PUT', `/api/v1/usage-pools/${nuke}`, { name: 'nuke', max_concurrent: 9 });
      await farm.waitForTaskCount(id, 'running', 3);
      t.same(await slots(maya), [3, 0]);
      await farm.api.must('PUT', `/api/v1/usage-pools/${maya}`, { name: 'maya', max_concurrent: 1 });
      t.same(await slots(maya), [3, 0], 'available is max(max_concurrent - in_use, 0)');
      const [first] = (await farm.tasks(id)).filter(({ status }) => status === 'running');
      await farm.post(`tasks/${first?.id ?? ''}/cancel`);
      await until('the slot is released', async () => (await slots(maya))[0] === 2);
      hold.open();
      await farm.waitForJob(
        id,
        'the other tasks have succeeded',
        ({ task_counts: counts }) => counts['succeeded'] === 3,
      );
      await until('the slots are released', async () => (await slots(nuke))[0] === 0);
      t.same(await slots(nuke), [0, 9]);
      t.same(await slots(maya), [0, 1]);
      const failing = await farm.submit(jobOf('failing', { line: 'exit 3', pools: ['maya'] }), {
        max_attempts: 3,
      });
      await farm.waitForJobStatus(failing, 'failed');
      await until('failed attempts hold no slot', async () => (await slots(maya))[0] === 0);
      const doomed = await farm.submit(jobOf('doomed', { line: 'exec sleep 600', pools: ['maya'] }));
      await farm.waitForTaskCount(doomed, 'running', 1);
      await farm.api.must('DELETE', `/api/v1/jobs/${doomed}`);
      await until('a deleted job holds no slot', async () => (await slots(maya))[0] === 0);
    },
  ],
  [
    'max_concurrent_tasks of queue and farm; a raised limit starts tasks',
    async (t, { farm, createGate }) => {
      const hold = createGate();
      const capped = await farm.queue('capped', { max_concurrent_tasks: 1 });
      const id = await farm.submit(jobOf('capped', { line: hold.wait, tasks: 4 }), {}, capped);
      await farm.waitForTaskCount(id, 'running', 1);
      await farm.waitForJobStatus(await farm.submit(jobOf('other queue', { line: OK })));
      t.match((await farm.job(id)).task_counts, { running: 1, ready: 3 });
      await farm.waitForExplanation(
        (await farm.task(id, 1)).id,
        /^Queue capped is at its cap of 1 concurrent task/,
      );
      await farm.setQueue(capped, 'capped', { max_concurrent_tasks: 2 });
      await farm.waitForTaskCount(id, 'running', 2);
      await farm.api.must('PUT', `/api/v1/farms/${farm.id}`, { name: 'pack', max_concurrent_tasks: 2 });
      await farm.setQueue(capped, 'capped', {});
      const other = await farm.submit(jobOf('farm cap', { line: OK }));
      await farm.waitForExplanation(
        (await farm.task(other)).id,
        /^Farm pack is at its cap of 2 concurrent tasks/,
      );
      t.match((await farm.job(id)).task_counts, { running: 2, ready: 2 });
      await farm.api.must('PUT', `/api/v1/farms/${farm.id}`, { name: 'pack', max_concurrent_tasks: 3 });
      await farm.waitForTaskCount(id, 'running', 3);
      await farm.api.must('PUT', `/api/v1/farms/${farm.id}`, { name: 'pack' });
      await farm.waitForTaskCount(id, 'running', 4);
      hold.open();
      await farm.waitForJobStatus(id);
      await farm.waitForJobStatus(other);
    },
  ],
];
