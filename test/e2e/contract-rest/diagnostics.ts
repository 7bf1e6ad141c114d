import type { Case } from '../../kit/cases.ts';
import { until } from '../../kit/until.ts';
import { column, type RestContext, RFC_3339, type Row, UNKNOWN } from './kit.ts';

/** GET /diagnostics/logs. */
export const diagnosticsCases: readonly Case<RestContext>[] = [
  [
    'diagnostics: exact component, minimum level, task_id, exclusive since, limit keeps the newest records',
    async (t, { api, farm, refused }) => {
      const records = async (query = ''): Promise<readonly Row[]> =>
        (await api.read<{ records: readonly Row[] }>(`/api/v1/diagnostics/logs${query}`)).records;
      const all = await records('?component=server');
      t.ok(all.length > 2);
      for (const record of all) {
        t.match(record, {
          ts: RFC_3339,
          component: 'server',
          level: /^(DEBUG|INFO|WARN|ERROR)$/,
          msg: String,
        });
        t.ok(Object.values((record['attrs'] ?? {}) as Row).every((value) => typeof value === 'string'));
      }
      const times = column(all, 'ts') as string[];
      t.strictSame(times, [...times].sort());
      t.strictSame(
        await records('?component=server&limit=2'),
        all.slice(-2),
        'limit keeps the newest records',
      );
      const since = encodeURIComponent(times.at(-2) ?? '');
      t.strictSame(await records(`?component=server&since=${since}`), all.slice(-1), 'since is exclusive');
      t.strictSame(await records('?component=serve'), []);
      const order = ['DEBUG', 'INFO', 'WARN', 'ERROR'];
      for (const [rank, level] of order.entries()) {
        const found = await records(`?component=server&level=${level}`);
        t.strictSame(
          found,
          all.filter((record) => order.indexOf(String(record['level'])) >= rank),
          level,
        );
      }
      const worker = await farm.waitForWorkerStatus('one', 'online');
      const ofWorker = await until('the worker has sent diagnostics', async () => {
        const found = await records(`?component=worker:${worker.id}`);
        return found.length > 0 ? found : null;
      });
      t.ok(ofWorker.every((record) => record['component'] === `worker:${worker.id}`));
      const about = (await records()).find(
        (record) => ((record['attrs'] ?? {}) as Row)['task_id'] !== undefined,
      );
      if (about !== undefined) {
        const taskId = String((about['attrs'] as Row)['task_id']);
        const found = await records(`?task_id=${taskId}`);
        t.ok(found.length > 0);
        t.ok(found.every((record) => (record['attrs'] as Row)['task_id'] === taskId));
      }
      t.strictSame(await records(`?task_id=${UNKNOWN}`), []);
      await refused(t, [
        ...['level=info', 'level=FATAL', 'limit=0', 'limit=1001', 'since=yesterday', 'since='].map(
          (query) => ['GET', `/api/v1/diagnostics/logs?${query}`, 400] as const,
        ),
      ]);
    },
  ],
];
