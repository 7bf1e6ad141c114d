import type { Case } from '../../kit/cases.ts';
import { jobOf, type StepSpec } from '../../kit/contract-bench.ts';
import { type FlowContext, OK } from './kit.ts';

/** Order of ready tasks (docs/contract/lease.md). */
export const candidateOrderCases: readonly Case<FlowContext>[] = [
  [
    'candidates are ordered by job priority descending, created_at ascending, step order, task order',
    async (t, { farm, createGate }) => {
      const hold = createGate();
      const log = createGate();
      const first = await farm.submit(jobOf('hold', { line: hold.wait }), { priority: 100 });
      await farm.waitForTaskCount(first, 'running', 1);
      const appending = (name: string, ...more: StepSpec[]): object =>
        jobOf(name, { line: `echo ${name}{{Task.Param.N}} >> ${log.path}`, tasks: 2 }, ...more);
      const low = await farm.submit(appending('low'), { priority: 10 });
      const old = await farm.submit(appending('old', { name: 'Last', line: `echo step2 >> ${log.path}` }));
      const newer = await farm.submit(appending('newer'));
      const high = await farm.submit(appending('high'), { priority: 51 });
      const raised = await farm.submit(appending('raised'), { priority: -5 });
      t.match(await farm.patch(raised, { priority: 60 }), { status: 200, body: { priority: 60 } });
      const second = await farm.waitForExplanation(
        (await farm.task(low, 1)).id,
        /^Ready, behind 10 tasks and 4 other jobs/,
      );
      t.match(second.gates, [{ gate: 'cores' }, { gate: 'order' }]);
      hold.open();
      for (const id of [first, low, old, newer, high, raised]) await farm.waitForJobStatus(id);
      t.same(
        log.read().trim().split('\n'),
        'raised1 raised2 high1 high2 old1 old2 step2 newer1 newer2 low1 low2'.split(' '),
      );
    },
  ],
  [
    'a paused queue assigns no task; tasks start when it is resumed',
    async (t, { farm }) => {
      const queue = await farm.queue('night', { paused: true });
      const id = await farm.submit(jobOf('paused queue', { line: OK }), {}, queue);
      await farm.waitForJobStatus(await farm.submit(jobOf('others', { line: OK })));
      t.same(await farm.statuses(id), ['ready']);
      await farm.waitForExplanation((await farm.task(id)).id, /^The queue night is paused/);
      await farm.setQueue(queue, 'night', { paused: false });
      await farm.waitForJobStatus(id);
      await farm.setQueue(queue, 'night', { paused: true });
      const moved = await farm.submit(jobOf('moved', { line: OK }), {}, queue);
      t.match(await farm.patch(moved, { queue_id: farm.queueId }), { body: { queue_id: farm.queueId } });
      await farm.waitForJobStatus(moved);
    },
  ],
];
