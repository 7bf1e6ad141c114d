import type { Case } from '../../kit/cases.ts';
import type { RestContext } from './kit.ts';

/** Workers that have shut down. */
export const departedWorkerCases: readonly Case<RestContext>[] = [
  [
    'a worker that has shut down is offline and can be deleted',
    async (t, { api, farm, refused }) => {
      const { id } = await farm.waitForWorkerStatus('two', 'online');
      await farm.workers.get('two')?.kill('SIGTERM');
      await farm.waitForWorkerStatus('two', 'offline');
      t.equal((await api.ask('DELETE', `/api/v1/workers/${id}`)).status, 204);
      await refused(t, [
        ['GET', `/api/v1/workers/${id}`, 404],
        ['DELETE', `/api/v1/workers/${id}`, 404],
      ]);
    },
  ],
];
