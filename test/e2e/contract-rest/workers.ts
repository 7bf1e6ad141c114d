import type { Case } from '../../kit/cases.ts';
import { column, type RestContext, RFC_3339, type Row, UNKNOWN } from './kit.ts';

/** Online workers (docs/contract/resources.md). */
export const workerCases: readonly Case<RestContext>[] = [
  [
    'workers: fields, filters, orders, current_tasks; disable, enable, 409 for delete',
    async (t, { api, farm, page, refused }) => {
      const one = await farm.worker('one', '--worker-cpus=2', '--worker-compute-location=potsdam');
      await farm.worker('two', `--worker-queues=${farm.queueId}`, '--worker-cpus=2', '--worker-tags=gpu=yes');
      const list = `/api/v1/workers?farm_id=${farm.id}`;
      const [first, second] = (await page(list)).items;
      t.match(first, {
        id: String,
        name: 'show-one',
        hostname: String,
        farm_id: farm.id,
        status: 'online',
        compute_location: 'potsdam',
        cpu_count: 2,
        committed_cores: 0,
        memory_mib: Number,
        os: String,
        arch: String,
        version: String,
        last_heartbeat_at: RFC_3339,
        registered_at: RFC_3339,
      });
      t.strictSame(first?.['queue_ids'], []);
      t.match(second, { name: 'show-two', compute_location: '', tags: { gpu: 'yes' } });
      t.strictSame(second?.['queue_ids'], [farm.queueId]);
      const other = await api.must<Row>('POST', '/api/v1/queues', { farm_id: farm.id, name: 'of workers' });
      const names = async (query: string): Promise<unknown[]> =>
        column((await page(`${list}${query}`)).items, 'name');
      const queries: readonly (readonly [query: string, expected: readonly string[]])[] = [
        ['', ['show-one', 'show-two']],
        ['&sort_dir=desc', ['show-two', 'show-one']],
        ['&compute_location=potsdam', ['show-one']],
        ['&compute_location=Potsdam', []],
        ['&status=online', ['show-one', 'show-two']],
        ['&status=disabled', []],
        [`&queue_id=${farm.queueId}`, ['show-one', 'show-two']],
        [`&queue_id=${String(other['id'])}`, ['show-one']],
        ['&limit=1&offset=1', ['show-two']],
      ];
      for (const [query, expected] of queries) t.strictSame(await names(query), expected, query);
      t.match(await page(`${list}&limit=1`), { total: 2, limit: 1, offset: 0, items: [{}] });
      for (const order of [
        'name',
        'hostname',
        'status',
        'compute_location',
        'registered_at',
        'last_heartbeat_at',
      ]) {
        t.strictSame((await names(`&sort_by=${order}`)).sort(), ['show-one', 'show-two'], order);
      }
      t.strictSame(await names('&sort_by=compute_location'), ['show-two', 'show-one']);
      const locations = await api.read<readonly Row[]>('/api/v1/compute-locations');
      t.match(
        locations.find((row) => row['name'] === 'potsdam'),
        { worker_count: 1 },
        'a location that a worker reports is created',
      );
      const path = `/api/v1/workers/${one.id}`;
      t.match(await api.read(path), { id: one.id, current_tasks: [] });
      await refused(t, [
        ['DELETE', path, 409],
        ['GET', `/api/v1/workers/${UNKNOWN}`, 404],
        ['DELETE', `/api/v1/workers/${UNKNOWN}`, 404],
        ['POST', `/api/v1/workers/${UNKNOWN}/disable`, 404],
        ['POST', `/api/v1/workers/${UNKNOWN}/enable`, 404],
        ...['status=removed', 'sort_by=id', 'limit=0', 'limit=1001', 'offset=-1'].map(
          (query) => ['GET', `/api/v1/workers?${query}`, 400] as const,
        ),
      ]);
      t.strictSame((await api.ask('POST', `${path}/disable`)).body, { id: one.id, status: 'disabled' });
      await refused(t, [['DELETE', path, 409]]);
      t.strictSame(await names('&status=disabled'), ['show-one']);
      t.strictSame(
        (await api.read<readonly Row[]>('/api/v1/compute-locations')).find(
          (row) => row['name'] === 'potsdam',
        )?.['worker_count'],
        0,
        'only online workers are counted',
      );
      t.strictSame((await api.ask('POST', `${path}/enable`)).body, { id: one.id, status: 'online' });
    },
  ],
];
