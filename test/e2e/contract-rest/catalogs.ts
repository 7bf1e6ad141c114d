import type { Case } from '../../kit/cases.ts';
import { type RestContext, RFC_3339, type Row, UNKNOWN, UUID } from './kit.ts';

/** Storage locations, compute locations and usage pools (docs/contract/resources.md). */
export const catalogCases: readonly Case<RestContext>[] = [
  [
    'storage location: roots, the derived type, 400 for type in a POST or PUT',
    async (t, { api, refused }) => {
      const base = '/api/v1/storage-locations';
      const types: readonly (readonly [roots: Row | undefined, type: string])[] = [
        [undefined, 'filesystem'],
        [{ default: '/mnt/a', berlin: 'C:\\a' }, 'filesystem'],
        [{ default: 's3://my-bucket' }, 's3'],
        [{ default: 's3://my-bucket/some/prefix', berlin: '/mnt/a' }, 'mixed'],
      ];
      for (const [at, [roots, type]] of types.entries()) {
        const made = await api.must<Row>('POST', base, { name: `s${at}`, ...(roots && { roots }) });
        t.match(made, { name: `s${at}`, description: '', type, id: UUID, created_at: RFC_3339 });
        t.strictSame(made['roots'], roots ?? {});
        const path = `${base}/${String(made['id'])}`;
        t.strictSame(await api.read(path), made);
        const reset = await api.must<Row>('PUT', path, { name: `s${at}` });
        t.match(reset, { id: made['id'], type: 'filesystem' });
        t.strictSame(reset['roots'], {});
      }
      const [first] = await api.read<readonly Row[]>(`${base}?limit=1`);
      t.equal((await api.read<readonly Row[]>(`${base}?limit=1&offset=3`)).length, types.length);
      const path = `${base}/${String(first?.['id'])}`;
      await refused(t, [
        ['POST', base, 400, { name: 'typed', type: 's3' }],
        ['POST', base, 400, { name: 'typed', type: null }],
        ['PUT', path, 400, { name: 's0', type: 'filesystem' }],
        ...['s3://', 's3:///x', 's3://a', 's3://UPPER', 'S3://bucket', 's3://bucket with space', ''].map(
          (root) => ['POST', base, 400, { name: 'root', roots: { default: root } }] as const,
        ),
        ['POST', base, 400, { name: 'root', roots: { default: 7 } }],
        ['POST', base, 400, { roots: {} }],
        ['POST', base, 409, { name: 's1' }],
        ['PUT', path, 409, { name: 's1' }],
        ['PUT', `${base}/${UNKNOWN}`, 404, { name: 'x' }],
        ['DELETE', `${base}/${UNKNOWN}`, 404],
      ]);
      t.equal((await api.ask('DELETE', path)).status, 204);
      t.equal((await api.get(path)).status, 404);
    },
  ],
  [
    'compute location: names without whitespace, slashes or quotes, case-sensitive; worker_count',
    async (t, { api, refused }) => {
      const base = '/api/v1/compute-locations';
      const made = await api.must<Row>('POST', base, { name: 'Berlin', worker_count: 9 });
      t.strictSame(made, {
        id: made['id'],
        name: 'Berlin',
        description: '',
        worker_count: 0,
        created_at: made['created_at'],
        updated_at: made['updated_at'],
      });
      const path = `${base}/${String(made['id'])}`;
      t.match(await api.must('POST', base, { name: 'berlin', description: 'small' }), { name: 'berlin' });
      t.match(await api.must('PUT', path, { name: 'Berlin', description: 'large' }), {
        description: 'large',
      });
      t.match(await api.must('PUT', path, { name: 'Berlin' }), { id: made['id'], description: '' });
      await refused(t, [
        ...['', ' ', 'a b', 'a\tb', 'a/b', "a'b", 'a"b', 'a\u2003b'].map(
          (name) => ['POST', base, 400, { name }] as const,
        ),
        ['POST', base, 409, { name: 'berlin' }],
        ['PUT', path, 409, { name: 'berlin' }],
        ['PUT', path, 400, {}],
        ['PUT', `${base}/${UNKNOWN}`, 404, { name: 'x' }],
      ]);
      t.equal((await api.ask('DELETE', path)).status, 204);
      t.equal((await api.get(path)).status, 404);
    },
  ],
  [
    'usage pool: max_concurrent is at least 1, in_use and available are derived',
    async (t, { api, refused }) => {
      const base = '/api/v1/usage-pools';
      const made = await api.must<Row>('POST', base, { name: 'nuke', max_concurrent: 1, in_use: 5 });
      t.strictSame(made, {
        id: made['id'],
        name: 'nuke',
        max_concurrent: 1,
        in_use: 0,
        available: 1,
        created_at: made['created_at'],
        updated_at: made['updated_at'],
      });
      const path = `${base}/${String(made['id'])}`;
      const hinted = { name: 'nuke', max_concurrent: 3, server_hint: 'licenses.example' };
      t.match(await api.must('PUT', path, hinted), { ...hinted, available: 3 });
      const reset = await api.must<Row>('PUT', path, { name: 'nuke', max_concurrent: 2 });
      t.notOk('server_hint' in reset, 'omitted when empty');
      await refused(t, [
        ...[0, -1, 1.5, '2', null].map(
          (max) => ['PUT', path, 400, { name: 'nuke', max_concurrent: max }] as const,
        ),
        ['PUT', path, 400, { name: 'nuke' }],
        ['POST', base, 409, { name: 'nuke', max_concurrent: 1 }],
        ['PUT', `${base}/${UNKNOWN}`, 404, { name: 'x', max_concurrent: 1 }],
      ]);
      t.equal((await api.read<readonly Row[]>(`${base}?offset=5&limit=0`)).length, 1);
      t.equal((await api.ask('DELETE', path)).status, 204);
    },
  ],
];
