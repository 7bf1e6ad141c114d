import type { Case } from '../../kit/cases.ts';
import { attribute, jobOf } from '../../kit/contract-bench.ts';
import { until } from '../../kit/until.ts';
import { type LeaseContext, needing } from './kit.ts';

/** Disabled workers, and compute locations that workers report (docs/contract/workers.md). */
export const workerChangeCases: readonly Case<LeaseContext>[] = [
  [
    'disable lets the current task finish and stops new assignments; enable reverses it',
    async (t, { farm, createGate }) => {
      const hold = createGate();
      const quad = await farm.waitForWorkerStatus('quad', 'online');
      const id = await farm.submit(jobOf('drained', { line: hold.wait, cores: 4, tasks: 2 }));
      await farm.waitForTaskCount(id, 'running', 1);
      t.match(await farm.post(`workers/${quad.id}/disable`), {
        status: 200,
        body: { id: quad.id, status: 'disabled' },
      });
      t.equal(
        (await farm.api.call('DELETE', `/api/v1/workers/${quad.id}`)).status,
        409,
        'a disabled worker that sends heartbeats',
      );
      hold.open();
      await farm.waitForTaskCount(id, 'succeeded', 1);
      const [, second] = await farm.tasks(id);
      t.equal(second?.status, 'ready');
      await farm.waitForTask(id, 1, 'no online worker is left', ({ unschedulable_reason: reason }) => {
        return reason !== undefined && reason !== '';
      });
      t.match(await farm.post(`workers/${quad.id}/enable`), {
        status: 200,
        body: { id: quad.id, status: 'online' },
      });
      await farm.waitForJobStatus(id);
      t.equal((await farm.api.call('DELETE', `/api/v1/workers/${quad.id}`)).status, 409, 'an online worker');
    },
  ],
  [
    'a compute location is created by its workers, counts the online ones, and its deletion does not affect assignment',
    async (t, { farm }) => {
      type Location = { readonly id: string; readonly name: string; readonly worker_count: number };
      const find = async (name: string): Promise<Location | undefined> =>
        (await farm.api.must<Location[]>('GET', '/api/v1/compute-locations')).find(
          (each) => each.name === name,
        );
      const berlin = await find('berlin');
      t.match(berlin, { worker_count: 1 });
      t.equal((await farm.api.call('DELETE', `/api/v1/compute-locations/${berlin?.id ?? ''}`)).status, 204);
      await farm.waitForJobStatus(
        await farm.submit(needing(attribute('computelocation', 'anyOf', 'berlin'))),
      );
      await farm.workers.get('quad')?.kill('SIGTERM');
      await farm.worker('quad', '--worker-cpus=4', '--worker-compute-location=berlin');
      await until(
        'the worker is counted at its location',
        async () => (await find('berlin'))?.worker_count === 1,
      );
    },
  ],
];
