import type { Case } from '../../kit/cases.ts';
import { jobOf } from '../../kit/contract-bench.ts';
import { type LeaseContext, OK } from './kit.ts';

/** Running tasks of a job that is parked or moved. */
export const liveTaskCases: readonly Case<LeaseContext>[] = [
  [
    'running tasks of a parked job end, and then the job ends',
    async (t, { farm, createGate }) => {
      const hold = createGate();
      const line = `[ {{Task.Param.N}} = 1 ] && exit 3; ${hold.wait}`;
      const id = await farm.submit(jobOf('parked with live tasks', { line, tasks: 2 }), {
        failure_limit: 1,
      });
      t.match(await farm.waitForJobStatus(id, 'paused'), { task_counts: { failed: 1, running: 1 } });
      hold.open();
      t.match(await farm.waitForJobStatus(id, 'failed'), { task_counts: { failed: 1, succeeded: 1 } });
    },
  ],
  [
    'running tasks of a job that moves to another queue count in that queue',
    async (t, { farm, createGate }) => {
      const hold = createGate();
      const [from, to] = [
        await farm.queue('from', { max_concurrent_tasks: 1 }),
        await farm.queue('to', { max_concurrent_tasks: 1 }),
      ];
      const id = await farm.submit(jobOf('moves', { line: hold.wait, tasks: 2 }), {}, from);
      await farm.waitForTaskCount(id, 'running', 1);
      await farm.patch(id, { queue_id: to });
      await farm.waitForJobStatus(await farm.submit(jobOf('in its place', { line: OK }), {}, from));
      const behind = await farm.submit(jobOf('behind', { line: OK }), {}, to);
      await farm.waitForExplanation(
        (await farm.task(behind)).id,
        /^Queue to is at its cap of 1 concurrent task/,
      );
      t.match((await farm.job(id)).task_counts, { running: 1, ready: 1 });
      hold.open();
      await farm.waitForJobStatus(behind);
    },
  ],
];
