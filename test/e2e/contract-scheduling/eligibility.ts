import type { Page } from '../../kit/api-client.ts';
import type { Case } from '../../kit/cases.ts';
import { attribute, jobOf, type WorkerDoc } from '../../kit/contract-bench.ts';
import { becomesSchedulable, becomesUnschedulable, type LeaseContext, needing, OK } from './kit.ts';

/** Requirements of steps and queues of workers (docs/contract/lease.md). */
export const eligibilityCases: readonly Case<LeaseContext>[] = [
  [
    'compute location: required per step, case-sensitive; reason: compute location mismatch',
    async (t, { farm }) => {
      for (const kind of ['anyOf', 'allOf'] as const) {
        const here = await farm.submit(needing(attribute('computelocation', kind, 'berlin')));
        await farm.waitForJobStatus(here);
        t.match(
          (await farm.job(here)).steps,
          [{ compute_location: 'berlin' }],
          'the step shows its compute location',
        );
      }
      const two = await farm.submit(needing(attribute('computelocation', 'anyOf', 'potsdam', 'berlin')));
      await farm.waitForJobStatus(two);
      const id = await farm.submit(needing(attribute('computelocation', 'anyOf', 'Berlin')));
      const task = await becomesUnschedulable(
        t,
        farm,
        id,
        'no eligible online worker: compute location mismatch',
      );
      await farm.waitForExplanation(
        task.id,
        /^No worker can run it: 1 worker is not at Berlin; the nearest, pack-quad, is at berlin\.$/,
      );
      await farm.cancel(id);
      const steps = await farm.submit(
        jobOf(
          'per step',
          { line: OK, attributes: [attribute('computelocation', 'anyOf', 'berlin')] },
          { line: OK, name: 'Anywhere' },
        ),
      );
      await farm.waitForJobStatus(steps);
    },
  ],
  [
    'attributes: anyOf, allOf, detected ones; reason: attribute requirement not met',
    async (t, { farm }) => {
      for (const met of [
        [attribute('tag.gpu', 'anyOf', 'a5000', 'a4000')],
        [attribute('tag.gpu', 'allOf', 'a4000')],
        [attribute('tag.gpu', 'anyOf', 'a4000'), attribute('tag.app', 'anyOf', 'Maya')],
        [attribute('os.family', 'anyOf', 'linux', 'windows')],
      ]) {
        await farm.waitForJobStatus(await farm.submit(needing(...met)));
      }
      for (const unmet of [
        [attribute('tag.gpu', 'anyOf', 'a5000')],
        [attribute('tag.gpu', 'allOf', 'a4000', 'a5000')],
        [attribute('tag.gpu', 'anyOf', 'a4000'), attribute('tag.none', 'anyOf', 'true')],
        [attribute('os.family', 'anyOf', 'windows')],
      ]) {
        const id = await farm.submit(needing(...unmet));
        const task = await becomesUnschedulable(
          t,
          farm,
          id,
          'no eligible online worker: attribute requirement not met',
        );
        await farm.waitForExplanation(task.id, /^No worker can run it: .*attr\.worker\./);
        await farm.cancel(id);
      }
    },
  ],
  [
    'queues: a worker with queues takes tasks of these only, one without takes tasks of every queue of its farm',
    async (t, { farm, createFarm }) => {
      const day = await farm.queue('day');
      const night = await farm.queue('night');
      const tied = await createFarm('tied');
      const main = tied.queueId;
      const other = await tied.queue('other');
      const third = await tied.queue('third');
      await tied.worker('one', '--worker-cpus=1', `--worker-queues=main,${other}`);
      await tied.waitForJobStatus(await tied.submit(jobOf('main', { line: OK }), {}, main));
      await tied.waitForJobStatus(await tied.submit(jobOf('other', { line: OK }), {}, other));
      const id = await tied.submit(jobOf('third', { line: OK }), {}, third);
      const task = await becomesUnschedulable(t, tied, id, 'no eligible online worker: queue affinity');
      await tied.waitForExplanation(task.id, /^No worker can run it: .*queue/);
      t.match(await tied.patch(id, { queue_id: other }), { status: 200 });
      await becomesSchedulable(t, tied, id);
      for (const queue of [day, night])
        await farm.waitForJobStatus(await farm.submit(jobOf('any', { line: OK }), {}, queue));
      const { items } = await tied.api.must<Page<WorkerDoc>>('GET', `/api/v1/workers?queue_id=${third}`);
      t.same(items, [], 'no worker serves the queue');
    },
  ],
];
