import type { Case } from '../../kit/cases.ts';
import { column, type RestContext, RFC_3339, type Row, UNKNOWN, UUID } from './kit.ts';

/** Farms and queues: fields, full replace and lists (docs/contract/resources.md). */
export const farmAndQueueCases: readonly Case<RestContext>[] = [
  [
    'farm: defaults, each field, full replace resets omitted fields, 409 for an existing name',
    async (t, { api, refused }) => {
      const made = await api.ask('POST', '/api/v1/farms', {
        body: { name: 'second', id: 'mine', created_at: 'never', colour: 'red' },
      });
      t.equal(made.status, 201);
      const farm = made.body as Row;
      const { id, created_at: createdAt, updated_at: updatedAt, ...rest } = farm;
      t.match(String(id), UUID);
      t.match([createdAt, updatedAt], [RFC_3339, RFC_3339]);
      t.strictSame(rest, { name: 'second', description: '', max_concurrent_tasks: 0 });
      t.equal(made.headers['location'], `/api/v1/farms/${String(id)}`);
      const path = `/api/v1/farms/${String(id)}`;
      const settings = {
        name: 'renamed',
        description: 'with everything',
        max_concurrent_tasks: 7,
        max_attempts: 1,
        retry_delay_seconds: 0,
        failure_limit: 0,
      };
      const replaced = await api.must<Row>('PUT', path, settings);
      t.strictSame(replaced, {
        id,
        ...settings,
        created_at: createdAt,
        updated_at: replaced['updated_at'],
      });
      t.strictSame(await api.read(path), replaced);
      const reset = await api.must<Row>('PUT', path, { name: 'renamed', max_attempts: null });
      t.strictSame(reset, {
        id,
        name: 'renamed',
        description: '',
        max_concurrent_tasks: 0,
        created_at: createdAt,
        updated_at: reset['updated_at'],
      });
      await refused(t, [
        ['POST', '/api/v1/farms', 409, { name: 'renamed' }],
        ['PUT', path, 409, { name: 'show' }],
        ['PUT', path, 400, {}],
        ['PUT', path, 400, { name: '' }],
        ['PUT', path, 400, { name: 'x', max_attempts: 0 }],
        ['PUT', path, 400, { name: 'x', retry_delay_seconds: -1 }],
        ['PUT', path, 400, { name: 'x', failure_limit: -1 }],
        ['PUT', path, 400, { name: 'x', max_concurrent_tasks: 1.5 }],
        ['PUT', path, 400, { name: 'x', max_concurrent_tasks: '1' }],
        ['PUT', `/api/v1/farms/${UNKNOWN}`, 404, { name: 'x' }],
        ['GET', `/api/v1/farms/${UNKNOWN}`, 404],
        ['DELETE', `/api/v1/farms/${UNKNOWN}`, 404],
      ]);
      const bare = await api.read<readonly Row[]>('/api/v1/farms');
      t.strictSame(await api.read('/api/v1/farms?limit=1&offset=1'), bare, 'limit and offset are ignored');
      t.strictSame(await api.read('/api/v1/farms?limit=0&offset=-1'), bare);
      t.ok(bare.some((row) => row['id'] === id));
      t.equal((await api.ask('DELETE', path)).status, 204);
      t.equal((await api.get(path)).status, 404);
      t.equal((await api.ask('DELETE', path)).status, 404);
    },
  ],
  [
    'queue: defaults, full replace, names unique per farm, filters farm_id and paused, each order, pages',
    async (t, { api, farm, page, refused }) => {
      const other = await api.must<Row>('POST', '/api/v1/farms', { name: 'of queues' });
      const farmId = String(other['id']);
      const make = (fields: Row): Promise<Row> =>
        api.must<Row>('POST', '/api/v1/queues', { farm_id: farmId, ...fields });
      const first = await make({ name: 'b' });
      t.strictSame(first, {
        id: first['id'],
        farm_id: farmId,
        name: 'b',
        description: '',
        priority: 0,
        max_concurrent_tasks: 0,
        paused: false,
        created_at: first['created_at'],
        updated_at: first['updated_at'],
      });
      const second = await make({ name: 'a', priority: -3, paused: true });
      const third = await make({ name: 'c', priority: 9 });
      const path = `/api/v1/queues/${String(first['id'])}`;
      const settings = {
        name: 'b',
        description: 'd',
        priority: 9,
        max_concurrent_tasks: 2,
        paused: true,
        max_attempts: 5,
        retry_delay_seconds: 1,
        failure_limit: 2,
      };
      t.match(await api.must('PUT', path, settings), { id: first['id'], farm_id: farmId, ...settings });
      t.match(await api.read(path), settings);
      const list = `/api/v1/queues?farm_id=${farmId}`;
      const ids = [first, second, third].map((row) => row['id']);
      const [b, a, c] = ids;
      const orders: readonly (readonly [query: string, expected: readonly unknown[]])[] = [
        ['', [b, a, c]],
        ['&sort_dir=desc', [c, a, b]],
        ['&sort_by=created_at', [b, a, c]],
        ['&sort_by=name', [a, b, c]],
        ['&sort_by=name&sort_dir=desc', [c, b, a]],
        ['&sort_by=priority', [a, b, c]],
        ['&sort_by=priority&sort_dir=desc', [b, c, a]],
        ['&sort_by=updated_at', [a, c, b]],
        ['&paused=true', [b, a]],
        ['&paused=false', [c]],
      ];
      for (const [query, expected] of orders) {
        t.strictSame(column((await page(`${list}${query}`)).items, 'id'), expected, query);
      }
      t.match(await page(`${list}&limit=2`), { total: 3, limit: 2, offset: 0, items: [{}, {}] });
      t.strictSame(column((await page(`${list}&limit=2&offset=2`)).items, 'id'), [c]);
      t.strictSame(await page(`${list}&offset=9`), { items: [], total: 3, limit: 50, offset: 9 });
      t.strictSame((await page('/api/v1/queues?farm_id=unknown')).items, []);
      const reset = await api.must<Row>('PUT', path, { name: 'b' });
      t.strictSame(reset, { ...first, updated_at: reset['updated_at'] });
      await refused(t, [
        ['POST', '/api/v1/queues', 409, { farm_id: farmId, name: 'a' }],
        ['PUT', path, 409, { name: 'a' }],
        ['POST', '/api/v1/queues', 400, { name: 'no farm' }],
        ['POST', '/api/v1/queues', 400, { farm_id: UNKNOWN, name: 'unknown farm' }],
        ['PUT', path, 400, { farm_id: farm.id, name: 'b' }],
        ['PUT', path, 400, { name: 'b', paused: 'yes' }],
        ['PUT', `/api/v1/queues/${UNKNOWN}`, 404, { name: 'x' }],
        ['GET', `/api/v1/queues/${UNKNOWN}`, 404],
        ['DELETE', `/api/v1/queues/${UNKNOWN}`, 404],
        ...['limit=0', 'limit=1001', 'limit=-1', 'limit=ten', 'limit=', 'offset=-1', 'offset=1.5'].map(
          (query) => ['GET', `/api/v1/queues?${query}`, 400] as const,
        ),
        ['GET', '/api/v1/queues?paused=1', 400],
        ['GET', '/api/v1/queues?sort_by=colour', 400],
        ['GET', '/api/v1/queues?sort_dir=up', 400],
        ['GET', '/api/v1/queues?limit=1&limit=2', 400],
      ]);
      t.equal((await api.get('/api/v1/queues?limit=1000')).status, 200);
      t.equal((await make({ name: 'main' }))['name'], 'main', 'another farm may use the same name');
      t.equal((await api.ask('DELETE', path)).status, 204);
      t.equal((await api.get(path)).status, 404);
      t.equal((await api.ask('DELETE', `/api/v1/farms/${farmId}`)).status, 204);
      t.equal((await api.get(`/api/v1/queues/${String(a)}`)).status, 404, 'deleted with its farm');
    },
  ],
];
