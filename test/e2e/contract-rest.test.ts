import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tap, { test, type Test } from 'tap';
import { CheckedClient } from '../kit/checked-client.ts';
import { attribute, ContractFarm, Gate, jobOf } from '../kit/contract-bench.ts';
import { freePort, startService } from '../kit/daemons.ts';
import { until } from '../kit/until.ts';

/**
 * docs/contract/resources.md, docs/contract/rest.md, docs/contract/errors.md and docs/contract/limits.md, read by
 * somebody who knows nothing else, through the real parts. Each case is named by what the contract says. Every answer
 * is held against the OpenAPI document.
 */
tap.setTimeout(240_000);

type Row = Readonly<Record<string, unknown>>;

interface RowPage {
  readonly items: readonly Row[];
  readonly total: number;
  readonly limit: number;
  readonly offset: number;
}

type Case = readonly [sentence: string, run: (t: Test) => Promise<void>];

const UNKNOWN = '00000000-0000-7000-8000-000000000000';
const RFC_3339 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$/;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const MIB = 2 ** 20;
const STATUSES = ['pending', 'blocked', 'paused', 'running', 'completed', 'failed', 'canceled'];
const HELD = [attribute('tag.nobody', 'anyOf', 'true')];
const NO_COUNTS = {
  total: 0,
  pending: 0,
  ready: 0,
  assigned: 0,
  running: 0,
  succeeded: 0,
  failed: 0,
  canceled: 0,
  unschedulable: 0,
};

/** A job whose tasks no worker may run. */
const held = (name: string, tasks = 1): object => jobOf(name, { line: 'true', tasks, attributes: HELD });

const column = (rows: readonly Row[], name: string): unknown[] => rows.map((row) => row[name]);

await test('the REST interface is what the contract says', { timeout: 200_000 }, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'callsheet-rest-'));
  const ports = { httpPort: await freePort(), busPort: await freePort() };
  const service = await startService({ folder, ...ports });
  const api = new CheckedClient(service.api.url);
  const farm = await ContractFarm.make(service, 'show');
  t.teardown(async () => {
    await farm.stop();
    await service.daemon.kill('SIGTERM');
    if (t.passing()) await rm(folder, { recursive: true, force: true });
    else t.comment(service.daemon.log().slice(-6000));
  });

  const page = (path: string): Promise<RowPage> => api.read<RowPage>(path);
  const where = `farm_id=${farm.id}&queue_id=${farm.queueId}`;
  const submit = (template: unknown, query = ''): ReturnType<CheckedClient['ask']> =>
    api.ask('POST', `/api/v1/jobs?${where}${query}`, { body: template });
  const submitted = async (template: unknown, query = ''): Promise<Row> => {
    const { status, body, text } = await submit(template, query);
    if (status !== 201) throw new Error(`the job was not taken: ${status} ${text}`);
    return body as Row;
  };
  /** Statuses and details of requests that must be refused. */
  const refused = async (
    t: Test,
    cases: readonly (readonly [method: string, path: string, status: number, body?: unknown])[],
  ): Promise<void> => {
    for (const [method, path, status, body] of cases) {
      const answer = await api.ask(method, path, body === undefined ? {} : { body });
      const what = `${method} ${path} ${JSON.stringify(body) ?? ''}`.slice(0, 150);
      t.equal(answer.status, status, what);
      t.match(answer.body, { type: 'about:blank', status, instance: answer.headers['x-request-id'] }, what);
    }
  };
  /** Walks all pages of a list, `limit` at a time. */
  const walked = async (path: string, limit: number): Promise<Row[]> => {
    const rows: Row[] = [];
    for (;;) {
      const joint = path.includes('?') ? '&' : '?';
      const found = await page(`${path}${joint}limit=${limit}&offset=${rows.length}`);
      rows.push(...found.items);
      if (found.items.length === 0 || rows.length >= found.total) return rows;
    }
  };

  const requests: readonly Case[] = [
    [
      'public, ungated: healthz, readyz, metrics, openapi.yaml; version',
      async (t) => {
        t.strictSame(await api.read('/healthz'), { status: 'ok' });
        t.match(await api.read('/readyz'), { status: 'ok', checks: { store: 'ok', bus: 'ok' } });
        const metrics = await api.get('/metrics');
        t.match(metrics.headers['content-type'], /^text\/plain; version=0\.0\.4/);
        for (const name of ['svc_scheduler_task_retries_total', 'svc_scheduler_jobs_autoparked_total']) {
          t.match(metrics.text, new RegExp(`^# TYPE ${name} counter$`, 'm'), 'there from the start');
        }
        const document = await api.get('/api/v1/openapi.yaml');
        t.equal(document.text, await readFile('http/openapi/openapi.yaml', 'utf8'), 'served verbatim');
        t.match(await api.read('/api/v1/version'), {
          version: /^\d+\.\d+\.\d+/,
          commit: String,
          built_at: String,
          node: process.version,
          api: '1',
        });
      },
    ],
    [
      'X-API-Version: 1 on every response under /api/v1, and X-Request-ID on every response',
      async (t) => {
        const paths: readonly (readonly [string, string | undefined])[] = [
          ['/api/v1/farms', '1'],
          [`/api/v1/jobs/${UNKNOWN}`, '1'],
          ['/api/v1/no-such-thing', '1'],
          ['/api/v1/jobs?limit=x', '1'],
          ['/api/v1', '1'],
          ['/healthz', undefined],
          ['/metrics', undefined],
          ['/api/v2/jobs', undefined],
          ['/', undefined],
        ];
        for (const [path, version] of paths) {
          const { headers } = await api.get(path);
          t.equal(headers['x-api-version'], version, path);
          t.match(headers['x-request-id'], /^[A-Za-z0-9._-]{1,128}$/, path);
        }
        const echo = async (id: string): Promise<string | undefined> =>
          (await api.get('/healthz', { 'x-request-id': id })).headers['x-request-id'];
        for (const id of ['a', 'Render.42_x-Y', 'z'.repeat(128)]) t.equal(await echo(id), id);
        for (const id of ['two words', 'z'.repeat(129), 'a/b', '<b>', 'a,b']) t.not(await echo(id), id);
        t.not(await echo('a b'), await echo('a b'), 'each request has an id of its own');
        const { body } = await api.get('/api/v1/nothing', { 'x-request-id': 'mine' });
        t.strictSame(body, {
          type: 'about:blank',
          title: 'Not Found',
          status: 404,
          detail: 'no resource at /api/v1/nothing',
          instance: 'mine',
        });
      },
    ],
    [
      'a wrong method on a known path: 405 with Allow; OPTIONS and HEAD',
      async (t) => {
        const allowed: readonly (readonly [string, string, string])[] = [
          ['DELETE', '/api/v1/jobs', 'GET, HEAD, POST, OPTIONS'],
          ['POST', `/api/v1/jobs/${UNKNOWN}`, 'GET, HEAD, DELETE, PATCH, OPTIONS'],
          ['GET', `/api/v1/jobs/${UNKNOWN}/cancel`, 'POST, OPTIONS'],
          ['PATCH', `/api/v1/farms/${UNKNOWN}`, 'GET, HEAD, PUT, DELETE, OPTIONS'],
          ['POST', '/healthz', 'GET, HEAD, OPTIONS'],
        ];
        for (const [method, path, methods] of allowed) {
          const { status, headers, body } = await api.ask(method, path);
          t.strictSame([status, headers['allow']], [405, methods], `${method} ${path}`);
          t.match(body, { title: 'Method Not Allowed', status: 405 });
          const options = await api.ask('OPTIONS', path);
          t.strictSame([options.status, options.headers['allow'], options.text], [204, methods, '']);
        }
        for (const path of [
          '/healthz',
          '/metrics',
          '/api/v1/farms',
          '/api/v1/jobs',
          '/api/v1/openapi.yaml',
        ]) {
          const plain = { 'accept-encoding': 'identity' };
          const head = await api.ask('HEAD', path, { headers: plain });
          const get = await api.get(path, plain);
          t.strictSame([head.status, head.text], [200, ''], path);
          t.equal(head.headers['content-type'], get.headers['content-type'], path);
          t.equal(head.headers['etag'], get.headers['etag'], path);
        }
        t.equal((await api.ask('HEAD', `/api/v1/jobs/${UNKNOWN}`)).status, 404);
      },
    ],
    [
      'CORS: an empty list defaults to *; credentials are not allowed while authentication is off',
      async (t) => {
        const { headers } = await api.get('/api/v1/farms', { origin: 'https://pipeline.example' });
        t.equal(headers['access-control-allow-origin'], '*');
        t.notOk('access-control-allow-credentials' in headers);
        for (const name of ['X-Request-ID', 'X-API-Version', 'Retry-After']) {
          t.match(headers['access-control-expose-headers'], new RegExp(`\\b${name}\\b`));
        }
        const preflight = await api.ask('OPTIONS', '/api/v1/farms', {
          headers: {
            origin: 'https://pipeline.example',
            'access-control-request-method': 'POST',
            'access-control-request-headers': 'content-type',
          },
        });
        t.equal(preflight.status, 204);
        t.match(preflight.headers['access-control-allow-methods'], /\bPOST\b/);
        t.match(preflight.headers['access-control-allow-headers'], /\bContent-Type\b/);
        t.equal(preflight.headers['access-control-allow-origin'], '*');
        const refusal = await api.get('/api/v1/nothing', { origin: 'https://pipeline.example' });
        t.equal(refusal.headers['access-control-allow-origin'], '*', 'a page may read errors');
      },
    ],
    [
      'bodies: 415 for another content type, 413 over the limit, 400 with the JSON pointer, unknown fields ignored',
      async (t) => {
        const post = (body: string, type: string): ReturnType<CheckedClient['ask']> =>
          api.ask('POST', '/api/v1/farms', { body, headers: { 'content-type': type } });
        for (const type of [
          'text/plain',
          'application/xml',
          'application/x-yaml',
          'application/json; charset=latin1',
        ]) {
          t.equal((await post('{"name": "x"}', type)).status, 415, type);
        }
        t.equal((await post('{"name": "typed"}', 'Application/JSON; Charset="UTF-8"')).status, 201);
        const filled = (bytes: number): string => {
          const [head, tail] = ['{"name": 1, "fill": "', '"}'];
          return `${head}${'x'.repeat(bytes - head.length - tail.length)}${tail}`;
        };
        t.equal((await post(filled(65_536), 'application/json')).status, 400, '64 KiB are read');
        for (const bytes of [65_537, 16 * MIB]) {
          const over = await post(filled(bytes), 'application/json');
          t.match(over, { status: 413, body: { title: 'Content Too Large' } }, `${bytes} bytes`);
        }
        const bulk = (text: string): ReturnType<CheckedClient['ask']> =>
          api.ask('POST', '/api/v1/jobs/bulk', {
            body: text,
            headers: { 'content-type': 'application/json' },
          });
        t.equal((await bulk(filled(MIB))).status, 400, '1 MiB of a bulk request is read');
        t.equal((await bulk(filled(MIB + 1))).status, 413);
        const { body } = await api.ask('POST', '/api/v1/farms', {
          body: { max_concurrent_tasks: -1, max_attempts: 0, id: 7 },
        });
        t.match(body, {
          detail: '/name: is required; /max_concurrent_tasks: must be >= 0; /max_attempts: must be >= 1',
        });
      },
    ],
  ];

  const catalogs: readonly Case[] = [
    [
      'farm: defaults, each field, full replace with omitted fields reset, 409 for a name that is taken',
      async (t) => {
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
      'queue: defaults, full replace, names unique in their farm, filters farm_id and paused, each order, pages',
      async (t) => {
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
        t.strictSame((await page('/api/v1/queues?farm_id=nobody')).items, []);
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
        t.equal((await make({ name: 'main' }))['name'], 'main', 'the name is taken in another farm');
        t.equal((await api.ask('DELETE', path)).status, 204);
        t.equal((await api.get(path)).status, 404);
        t.equal((await api.ask('DELETE', `/api/v1/farms/${farmId}`)).status, 204);
        t.equal((await api.get(`/api/v1/queues/${String(a)}`)).status, 404, 'goes with its farm');
      },
    ],
    [
      'storage location: roots, the derived type, type in a POST or PUT is 400',
      async (t) => {
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
      'compute location: names without whitespace, slashes or quotes, matched case-sensitively; worker_count',
      async (t) => {
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
      'usage pool: max_concurrent at least 1, in_use and available derived',
      async (t) => {
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

  const jobs: readonly Case[] = [
    [
      'POST /jobs: 201 with the Job, its defaults, parameters and identity',
      async (t) => {
        const answer = await submit(held('defaults', 3));
        const { id, created_at: createdAt, updated_at: updatedAt, ...rest } = answer.body as Row;
        t.match([String(id), createdAt, updatedAt], [UUID, RFC_3339, RFC_3339]);
        t.strictSame(rest, {
          farm_id: farm.id,
          queue_id: farm.queueId,
          name: 'defaults',
          owner: 'anonymous',
          submitter: 'anonymous',
          priority: 50,
          project: '',
          status: 'pending',
          template_format: 'json',
          failed_attempts: 0,
          effective_retry: { max_attempts: 3, retry_delay_seconds: 10, failure_limit: 0 },
          task_counts: { ...NO_COUNTS, total: 3, ready: 3 },
        });
        t.equal(answer.headers['location'], `/api/v1/jobs/${String(id)}`);
        const full = await submitted(
          {
            ...held('of {{Param.Word}}'),
            description: 'a description',
            parameterDefinitions: [
              { name: 'Word', type: 'STRING' },
              { name: 'Count', type: 'INT', default: 4 },
            ],
          },
          '&owner=Ada&submitter=mallory&project=moon&priority=-7&max_attempts=1&retry_delay_seconds=0' +
            '&failure_limit=0&param.Word=%C3%BCber%20all',
        );
        t.match(full, {
          name: 'of über all',
          owner: 'Ada',
          submitter: 'anonymous',
          project: 'moon',
          priority: -7,
          effective_retry: { max_attempts: 1, retry_delay_seconds: 0, failure_limit: 0 },
        });
        const detail = await api.read<Row>(`/api/v1/jobs/${String(full['id'])}`);
        t.strictSame(detail, {
          ...full,
          description: 'a description',
          parameters: { Word: 'über all', Count: '4' },
          steps: detail['steps'],
          failure_summary: { failed_count: 0, dominant_reason: '', distinct_reasons: 0 },
          own_retry: { max_attempts: 1, retry_delay_seconds: 0, failure_limit: 0 },
        });
        const [step] = detail['steps'] as readonly Row[];
        t.strictSame(step, {
          id: step?.['id'],
          job_id: full['id'],
          name: 'Step1',
          order: 0,
          status: 'ready',
          task_counts: { ...NO_COUNTS, total: 1, ready: 1 },
          created_at: full['created_at'],
          updated_at: full['updated_at'],
        });
        const self = await submitted(held('self'), '&owner=ANONYMOUS');
        t.equal(self['owner'], 'anonymous', "owner equal to self is stored with the principal's own casing");
        const yaml = await api.ask('POST', `/api/v1/jobs?${where}`, {
          body: JSON.stringify(held('yaml'), null, 2),
          headers: { 'content-type': 'application/x-yaml' },
        });
        t.match(yaml.body, { name: 'yaml', template_format: 'yaml' });
      },
    ],
    [
      'POST /jobs: 400 for parameters, 422 for the template and its parameters',
      async (t) => {
        const withWord = { ...held('p'), parameterDefinitions: [{ name: 'Word', type: 'STRING' }] };
        const path = `/api/v1/jobs?${where}`;
        await refused(t, [
          ['POST', `/api/v1/jobs?queue_id=${farm.queueId}`, 400, held('x')],
          ['POST', `/api/v1/jobs?farm_id=${farm.id}`, 400, held('x')],
          ['POST', `/api/v1/jobs?farm_id=${UNKNOWN}&queue_id=${farm.queueId}`, 400, held('x')],
          ['POST', `/api/v1/jobs?farm_id=${farm.id}&queue_id=${UNKNOWN}`, 400, held('x')],
          ['POST', `/api/v1/jobs?farm_id=show&queue_id=${farm.queueId}`, 400, held('x')],
          ['POST', `${path}&max_attempts=0`, 400, held('x')],
          ['POST', `${path}&retry_delay_seconds=-1`, 400, held('x')],
          ['POST', `${path}&failure_limit=-1`, 400, held('x')],
          ['POST', `${path}&priority=1.5`, 400, held('x')],
          ['POST', `${path}&depends_on=${UNKNOWN}`, 400, held('x')],
          ['POST', `${path}&depends_on=x`, 400, held('x')],
          ['POST', path, 422, withWord],
          ['POST', `${path}&param.Word=a&param.Other=b`, 422, withWord],
          ['POST', `${path}&param.Word=a&param.Word=b`, 400, withWord],
          ['POST', path, 422, {}],
          ['POST', path, 422, { ...held('x'), specificationVersion: 'jobtemplate-2024-01' }],
          ['POST', path, 422, { ...held('x'), steps: [] }],
        ]);
        const { body } = await submit({ ...held('x'), name: 7, description: [] });
        t.match(
          body,
          { detail: /^\/\S+: .+; \/\S+: .+/ },
          '<JSON pointer>: <message>, joined with a semicolon',
        );
        t.match(body, { detail: /\/description: / });
        t.match(body, { detail: /\/name: / });
        const extended = await submit({ ...held('x'), extensions: ['WRAP_ACTIONS'] });
        t.match([extended.status, extended.body], [422, { detail: /^\/extensions\/0: / }]);
        t.equal((await page('/api/v1/jobs?search=x')).total, 0, 'nothing of them was stored');
      },
    ],
    [
      'depends_on: repeatable, the job is blocked, every step and task pending; the edges on the detail',
      async (t) => {
        const [a, b] = [await submitted(held('up a')), await submitted(held('up b'))];
        const ids = [String(a['id']), String(b['id'])];
        const query = ids.map((id) => `&depends_on=${id}`).join('');
        const job = await submitted(held('down', 2), query);
        t.match(job, { status: 'blocked', task_counts: { ...NO_COUNTS, total: 2, pending: 2 } });
        const detail = await api.read<Row>(`/api/v1/jobs/${String(job['id'])}`);
        t.strictSame(detail['depends_on'], ids);
        t.match(detail['steps'], [{ status: 'pending' }]);
        t.strictSame(column((await page(`/api/v1/jobs/${String(job['id'])}/tasks`)).items, 'status'), [
          'pending',
          'pending',
        ]);
        t.equal((await api.ask('DELETE', `/api/v1/jobs/${String(b['id'])}`)).status, 204);
        await until('the dependent is canceled', async () => {
          const { status } = await api.read<Row>(`/api/v1/jobs/${String(job['id'])}`);
          return status === 'canceled';
        });
      },
    ],
    [
      'GET /jobs: every filter, words of a search ANDed and case-insensitive, every order, pages',
      async (t) => {
        const other = await api.must<Row>('POST', '/api/v1/queues', { farm_id: farm.id, name: 'of lists' });
        const at = `/api/v1/jobs?farm_id=${farm.id}&queue_id=${String(other['id'])}`;
        const rows: Row[] = [];
        const make = async (name: string, query: string): Promise<Row> => {
          const { body } = await api.ask('POST', `${at}${query}`, { body: held(name) });
          rows.push(body as Row);
          return body as Row;
        };
        const delta = await make('Delta shot', '&owner=ann&project=Moon&priority=10');
        const alpha = await make('alpha shot', '&owner=Bob&project=moon&priority=90');
        const twin = await make('alpha shot', '&owner=ann&project=Sun&priority=10');
        const umlaut = await make('Überblick 100%', '&owner=ann+lee&priority=50');
        const paused = await make('beta', '&owner=zoe&project=Moon');
        await api.must('PATCH', `/api/v1/jobs/${String(paused['id'])}`, { action: 'pause' });
        await api.must('POST', `/api/v1/jobs/${String(twin['id'])}/cancel`);
        const ids = (rows: readonly (Row | undefined)[]): unknown[] => rows.map((row) => row?.['id']);
        const found = async (query: string): Promise<unknown[]> => ids((await page(`${at}${query}`)).items);
        const filters: readonly (readonly [query: string, expected: readonly Row[]])[] = [
          ['', [delta, alpha, twin, umlaut, paused]],
          ['&status=pending', [delta, alpha, umlaut]],
          ['&status=paused', [paused]],
          ['&status=canceled', [twin]],
          ['&status=running', []],
          ['&owner=ann', [delta, twin]],
          ['&owner=ann%20lee', [umlaut]],
          ['&project=Moon', [delta, paused]],
          ['&owner=ann&project=Moon', [delta]],
          ['&search=shot', [delta, alpha, twin]],
          ['&search=SHOT+moon', [delta, alpha]],
          ['&search=%20%20moon%09BOB%20', [alpha]],
          ['&search=shot+zoe', []],
          ['&search=%C3%BCBERBLICK', [umlaut]],
          ['&search=100%25', [umlaut]],
          ['&search=%25', [umlaut]],
          ['&search=.*', []],
          ['&search=', [delta, alpha, twin, umlaut, paused]],
          [`&search=${String(alpha['id']).toUpperCase()}`, [alpha]],
          [`&search=${String(alpha['id']).slice(-7)}+alpha`, [alpha]],
          ['&search=anonymous', []],
        ];
        for (const [query, expected] of filters) t.strictSame(await found(query), ids(expected), query);
        t.strictSame(await found('&unknown=1'), ids(rows), 'an unknown parameter is ignored');
        const orders: readonly (readonly [query: string, expected: readonly Row[]])[] = [
          ['&sort_by=created_at', [delta, alpha, twin, umlaut, paused]],
          ['&sort_by=created_at&sort_dir=desc', [paused, umlaut, twin, alpha, delta]],
          ['&sort_dir=desc', [paused, umlaut, twin, alpha, delta]],
          ['&sort_by=priority', [delta, twin, umlaut, paused, alpha]],
          ['&sort_by=priority&sort_dir=desc', [alpha, umlaut, paused, delta, twin]],
          ['&sort_by=updated_at', [delta, alpha, umlaut, paused, twin]],
          ['&sort_by=updated_at&sort_dir=desc', [twin, paused, umlaut, alpha, delta]],
        ];
        for (const [query, expected] of orders) t.strictSame(await found(query), ids(expected), query);
        const names = column((await page(`${at}&sort_by=name`)).items, 'name');
        t.strictSame(
          column((await page(`${at}&sort_by=name&sort_dir=desc`)).items, 'name'),
          [...names].reverse(),
        );
        t.strictSame([...names].sort(), [...column(rows, 'name')].sort());
        t.ok(names.indexOf('alpha shot') < names.indexOf('beta'), 'names in their order');
        const statuses = column((await page(`${at}&sort_by=status`)).items, 'status');
        const grouped = statuses.filter((status, index) => status !== statuses[index - 1]);
        t.equal(new Set(statuses).size, grouped.length, 'equal statuses are adjacent');
        t.strictSame(
          column((await page(`${at}&sort_by=status&sort_dir=desc`)).items, 'status'),
          [...statuses].reverse(),
        );
        for (const limit of [1, 2, 3, 1000]) {
          for (const query of ['', '&sort_by=priority&sort_dir=desc', '&search=shot']) {
            t.strictSame(ids(await walked(`${at}${query}`, limit)), await found(query), `${limit} ${query}`);
          }
        }
        t.match(await page(at), { total: 5, limit: 50, offset: 0 });
        t.match(await page(`${at}&limit=1000&offset=4`), { total: 5, limit: 1000, offset: 4, items: [{}] });
        t.strictSame(await page(`${at}&offset=900`), { items: [], total: 5, limit: 50, offset: 900 });
        t.equal((await page(`/api/v1/jobs?farm_id=${UNKNOWN}`)).total, 0);
        t.notOk('steps' in ((await page(at)).items[0] ?? {}), 'steps are on the detail');
        await refused(t, [
          ...['limit=0', 'limit=1001', 'offset=-1', 'limit=5x', 'sort_by=owner', 'sort_dir=down'].map(
            (query) => ['GET', `/api/v1/jobs?${query}`, 400] as const,
          ),
          ...['done', 'PENDING', ''].map((status) => ['GET', `/api/v1/jobs?status=${status}`, 400] as const),
        ]);
        for (const status of STATUSES) t.equal((await api.get(`/api/v1/jobs?status=${status}`)).status, 200);
      },
    ],
    [
      'PATCH /jobs/{id}: omitted or null leaves unchanged; a nonexistent queue is 400; overrides cannot be cleared',
      async (t) => {
        const job = await submitted(held('patched'), '&max_attempts=4');
        const path = `/api/v1/jobs/${String(job['id'])}`;
        t.strictSame(await api.must('PATCH', path, {}), job);
        const nothing = {
          action: null,
          priority: null,
          queue_id: null,
          max_attempts: null,
          failure_limit: null,
        };
        t.strictSame(await api.must('PATCH', path, nothing), job);
        const changed = { priority: 9, retry_delay_seconds: 0, failure_limit: 5, action: 'pause' };
        t.match(await api.must('PATCH', path, changed), {
          priority: 9,
          status: 'paused',
          effective_retry: { max_attempts: 4, retry_delay_seconds: 0, failure_limit: 5 },
        });
        t.match(await api.must('PATCH', path, { action: 'resume', max_attempts: 1 }), {
          status: 'pending',
          effective_retry: { max_attempts: 1, retry_delay_seconds: 0, failure_limit: 5 },
        });
        const other = await api.must<Row>('POST', '/api/v1/queues', { farm_id: farm.id, name: 'patched' });
        t.match(await api.must('PATCH', path, { queue_id: other['id'] }), { queue_id: other['id'] });
        await refused(t, [
          ['PATCH', path, 400, { queue_id: UNKNOWN }],
          ['PATCH', path, 400, { action: 'cancel' }],
          ['PATCH', `/api/v1/jobs/${UNKNOWN}`, 404, { priority: 1 }],
          ['DELETE', `/api/v1/queues/${String(other['id'])}`, 409],
        ]);
        const { body } = await api.ask('PATCH', path, { body: { action: 'stop' } });
        t.match(body, { detail: '/action: must be one of pause, resume, null' });
        t.equal((await api.ask('POST', `${path}/cancel`)).status, 204);
        t.equal((await api.ask('POST', `${path}/cancel`)).status, 204, 'idempotent on canceled');
        t.equal((await api.ask('DELETE', `/api/v1/queues/${String(other['id'])}`)).status, 204);
        t.equal((await api.ask('DELETE', path)).status, 204);
        await refused(t, [
          ['GET', path, 404],
          ['GET', `${path}/tasks`, 404],
          ['DELETE', path, 404],
          ['POST', `${path}/cancel`, 404],
          ['POST', `${path}/retry`, 404],
        ]);
      },
    ],
    [
      'tasks: fields, the page of a job with its filter, orders and bounds; cancel and retry of one',
      async (t) => {
        const job = await submitted(
          jobOf(
            'tasks',
            { name: 'B', line: 'true', tasks: 12, attributes: HELD },
            { name: 'A', line: 'true', after: ['B'] },
          ),
        );
        const path = `/api/v1/jobs/${String(job['id'])}/tasks`;
        const all = (await page(path)).items;
        const detail = await api.read<Row>(`/api/v1/jobs/${String(job['id'])}`);
        const steps = column(detail['steps'] as readonly Row[], 'id');
        const [first] = all;
        t.strictSame(first, {
          id: first?.['id'],
          job_id: job['id'],
          step_id: steps[0],
          name: first?.['name'],
          parameters: { N: '1' },
          status: 'ready',
          created_at: job['created_at'],
          updated_at: first?.['updated_at'],
          failed_attempts: 0,
        });
        t.strictSame(await api.read(`/api/v1/tasks/${String(first?.['id'])}`), first);
        t.equal(all.length, 13);
        t.notOk('parameters' in (all[12] ?? {}), 'omitted when empty');
        t.match(all[12], { step_id: steps[1], status: 'pending' });
        const frames = all.slice(0, 12).map((task) => (task['parameters'] as Row)['N']);
        t.strictSame(
          frames,
          Array.from({ length: 12 }, (_, at) => String(at + 1)),
        );
        const cancelled = `/api/v1/tasks/${String(all[4]?.['id'])}`;
        t.strictSame((await api.ask('POST', `${cancelled}/cancel`)).body, {
          task_id: all[4]?.['id'],
          status: 'canceled',
        });
        t.match(await api.read(cancelled), { status: 'canceled', failure_reason: 'canceled by user' });
        const ids = (await page(path)).items.map((task) => task['id']);
        const queries: readonly (readonly [query: string, expected: readonly unknown[]])[] = [
          ['', ids],
          ['?sort_dir=desc', [...ids].reverse()],
          ['?sort_by=created_at', ids],
          ['?status=canceled', [ids[4]]],
          ['?status=pending', [ids[12]]],
          ['?status=ready&limit=3&offset=3', [ids[3], ids[5], ids[6]]],
          ['?status=running', []],
          ['?sort_by=updated_at&sort_dir=desc&limit=1', [ids[4]]],
          ['?limit=2&offset=12', [ids[12]]],
          ['?offset=99', []],
        ];
        for (const [query, expected] of queries) {
          t.strictSame(column((await page(`${path}${query}`)).items, 'id'), expected, query);
        }
        t.match(await page(`${path}?limit=3`), { total: 13, limit: 3, offset: 0 });
        for (const order of ['created_at', 'status', 'updated_at', 'name']) {
          const rows = await walked(`${path}?sort_by=${order}`, 5);
          t.strictSame(column(rows, 'id').sort(), [...ids].sort(), order);
          t.strictSame(rows, (await page(`${path}?sort_by=${order}`)).items, order);
        }
        t.equal((await page(`${path}?sort_by=name`)).items[0]?.['id'], ids[12], 'step A before step B');
        await refused(t, [
          ...['limit=0', 'limit=1001', 'offset=-1', 'sort_by=priority', 'status=completed'].map(
            (query) => ['GET', `${path}?${query}`, 400] as const,
          ),
          ['GET', `/api/v1/jobs/${UNKNOWN}/tasks`, 404],
          ['POST', `${cancelled}/cancel`, 409],
          ['POST', `/api/v1/tasks/${String(ids[0])}/retry`, 409],
          ...['', '/attempts', '/logs'].map(
            (below) => ['GET', `/api/v1/tasks/${UNKNOWN}${below}`, 404] as const,
          ),
        ]);
        const retried = await api.ask('POST', `${cancelled}/retry`);
        t.strictSame([retried.status, retried.body], [202, { task_id: ids[4], status: 'ready' }]);
        t.notOk('failure_reason' in (await api.read<Row>(cancelled)), 'cleared on retry');
        t.strictSame(await api.must('POST', `/api/v1/jobs/${String(job['id'])}/retry`), {
          job_id: job['id'],
          retried: 0,
        });
        await api.must('POST', `/api/v1/jobs/${String(job['id'])}/cancel`);
        t.strictSame(await api.must('POST', `/api/v1/jobs/${String(job['id'])}/retry`), {
          job_id: job['id'],
          retried: 13,
        });
        t.match(await api.read(`/api/v1/jobs/${String(job['id'])}`), {
          status: 'pending',
          task_counts: { ...NO_COUNTS, total: 13, ready: 12, pending: 1 },
        });
        t.strictSame(
          await api.read(`/api/v1/tasks/${String(ids[0])}/attempts`),
          { items: [] },
          'has not run',
        );
        t.strictSame(await api.read(`/api/v1/tasks/${String(ids[0])}/logs`), { items: [], after_bus_seq: 0 });
      },
    ],
    [
      'conditional GET: the tag of the answer gives 304, a change another tag',
      async (t) => {
        const job = await submitted(held('tagged'));
        const path = `/api/v1/jobs/${String(job['id'])}`;
        const { headers } = await api.get(path);
        const tag = headers['etag'] ?? '';
        t.match(tag, /^W\/".+"$/);
        const again = await api.get(path, { 'if-none-match': tag });
        t.strictSame([again.status, again.text, again.headers['etag']], [304, '', tag]);
        await api.must('PATCH', path, { priority: 1 });
        t.equal((await api.get(path, { 'if-none-match': tag })).status, 200);
      },
    ],
  ];

  const work: readonly Case[] = [
    [
      'workers: fields, filters, orders, current_tasks; disable, enable, 409 on delete',
      async (t) => {
        const one = await farm.worker('one', '--worker-cpus=2', '--worker-compute-location=potsdam');
        await farm.worker(
          'two',
          `--worker-queues=${farm.queueId}`,
          '--worker-cpus=2',
          '--worker-tags=gpu=yes',
        );
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
          'a worker that reports a location enters it',
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
          'online workers are counted',
        );
        t.strictSame((await api.ask('POST', `${path}/enable`)).body, { id: one.id, status: 'online' });
      },
    ],
    [
      'a task that runs: assigned_worker_id and assigned_at, its attempt, the current_tasks and cores of its worker',
      async (t) => {
        const gate = new Gate(folder, 'runs');
        const job = await submitted(
          jobOf('runs', { line: `echo begun; ${gate.wait}; echo ended`, cores: 2 }),
        );
        await farm.counts(String(job['id']), 'running', 1);
        t.match(await api.read(`/api/v1/jobs/${String(job['id'])}`), {
          status: 'running',
          steps: [{ status: 'running' }],
        });
        const [task] = (await page(`/api/v1/jobs/${String(job['id'])}/tasks?status=running`)).items;
        const taskId = String(task?.['id']);
        t.match(task, { assigned_worker_id: String, assigned_at: RFC_3339 });
        t.notOk('worker_id' in (task ?? {}));
        const workerId = String(task?.['assigned_worker_id']);
        t.match(await api.read(`/api/v1/workers/${workerId}`), {
          committed_cores: 2,
          current_tasks: [{ id: taskId, status: 'running' }],
        });
        const running = await api.read<{ items: readonly Row[] }>(`/api/v1/tasks/${taskId}/attempts`);
        t.strictSame(running.items, [
          {
            attempt_number: 1,
            status: 'running',
            worker_id: workerId,
            started_at: running.items[0]?.['started_at'],
          },
        ]);
        await refused(t, [['POST', `/api/v1/tasks/${taskId}/retry`, 409]]);
        gate.open();
        await farm.over(String(job['id']));
        t.match(await api.read(`/api/v1/tasks/${taskId}/attempts`), {
          items: [
            { attempt_number: 1, status: 'succeeded', worker_id: workerId, exit_code: 0, ended_at: RFC_3339 },
          ],
        });
        t.match(await api.read(`/api/v1/workers/${workerId}`), { committed_cores: 0, current_tasks: [] });
        await refused(t, [
          ['POST', `/api/v1/jobs/${String(job['id'])}/cancel`, 409],
          ['POST', `/api/v1/tasks/${taskId}/cancel`, 409],
          ['POST', `/api/v1/tasks/${taskId}/retry`, 409],
          ['PATCH', `/api/v1/jobs/${String(job['id'])}`, 409, { action: 'pause' }],
        ]);
        const path = `/api/v1/tasks/${taskId}/logs`;
        const lines = async (query = ''): Promise<{ items: readonly Row[]; after_bus_seq: number }> =>
          api.read(`${path}${query}`);
        await until('the log is whole', async () => {
          const text = column((await lines()).items, 'data').join('');
          return text.includes('begun') && text.includes('ended');
        });
        const whole = await lines();
        t.match(whole.items[0], {
          id: String,
          task_id: taskId,
          attempt_id: String,
          seq_num: Number,
          bus_seq: Number,
          stream: 'stdout',
          at: RFC_3339,
          received_at: RFC_3339,
        });
        const sequence = column(whole.items, 'bus_seq') as number[];
        t.strictSame(
          sequence,
          [...sequence].sort((a, b) => a - b),
          'in the order of the stream',
        );
        t.equal(whole.after_bus_seq, sequence.at(-1));
        t.strictSame(await lines(`?after_bus_seq=${whole.after_bus_seq}`), {
          items: [],
          after_bus_seq: whole.after_bus_seq,
        });
        const paged: Row[] = [];
        for (let after = 0; ;) {
          const next = await lines(`?limit=1&after_bus_seq=${after}`);
          if (next.items.length === 0) break;
          paged.push(...next.items);
          after = next.after_bus_seq;
        }
        t.strictSame(paged, whole.items, 'one at a time');
        const tail = await api.get(`${path}?tail=true`);
        t.equal(tail.headers['content-type'], 'application/x-ndjson');
        const told = tail.text.split('\n').filter((line) => line !== '');
        t.strictSame(
          told.map((line) => JSON.parse(line) as unknown),
          whole.items,
          'the same as a stream, which ends when the task is terminal and drained',
        );
        await refused(t, [
          ...['limit=0', 'limit=1001', 'after_bus_seq=-1', 'after_bus_seq=x', 'tail=yes'].map(
            (query) => ['GET', `${path}?${query}`, 400] as const,
          ),
        ]);
      },
    ],
    [
      'a task that fails: its reason, exit code and attempts; the failure summary; the counters',
      async (t) => {
        const retries = await farm.counter('svc_scheduler_task_retries_total');
        const parks = await farm.counter('svc_scheduler_jobs_autoparked_total');
        const job = await submitted(
          jobOf('fails', { line: 'exit 7' }, { name: 'Then', line: 'true', after: ['Step1'] }),
          '&max_attempts=2&retry_delay_seconds=0',
        );
        await farm.over(String(job['id']), 'failed');
        const [failed, then] = (await page(`/api/v1/jobs/${String(job['id'])}/tasks`)).items;
        t.match(failed, { status: 'failed', failed_attempts: 2, failure_reason: 'failed (exit 7)' });
        t.match(then, { status: 'canceled', failure_reason: 'canceled: upstream step failed' });
        t.match(await api.read(`/api/v1/tasks/${String(failed?.['id'])}/attempts`), {
          items: [
            { attempt_number: 1, status: 'failed', exit_code: 7 },
            { attempt_number: 2, status: 'failed', exit_code: 7 },
          ],
        });
        t.match(await api.read(`/api/v1/jobs/${String(job['id'])}`), {
          status: 'failed',
          failed_attempts: 2,
          failure_summary: { failed_count: 1, dominant_reason: 'failed (exit 7)', distinct_reasons: 1 },
          steps: [{ status: 'failed' }, { status: 'canceled' }],
        });
        await farm.countsTo('svc_scheduler_task_retries_total', retries + 1);
        const parked = await submitted(
          jobOf('parks', { line: 'false' }, { name: 'Other', line: 'true', attributes: HELD }),
          '&max_attempts=1&failure_limit=1',
        );
        await farm.over(String(parked['id']), 'paused');
        t.match(await api.read(`/api/v1/jobs/${String(parked['id'])}`), {
          park_reason: /failure limit/,
          failed_attempts: 1,
        });
        await farm.countsTo('svc_scheduler_jobs_autoparked_total', parks + 1);
        const resumed = await api.must<Row>('PATCH', `/api/v1/jobs/${String(parked['id'])}`, {
          action: 'resume',
        });
        t.equal(resumed['failed_attempts'], 0);
        t.notOk('park_reason' in resumed);
      },
    ],
    [
      'diagnostics: component exact, level minimum, task_id, since exclusive, limit with the newest kept',
      async (t) => {
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
        t.strictSame(await records('?component=server&limit=2'), all.slice(-2), 'the newest');
        const since = encodeURIComponent(times.at(-2) ?? '');
        t.strictSame(await records(`?component=server&since=${since}`), all.slice(-1), 'exclusive');
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
        const worker = await farm.workerBecomes('one', 'online');
        const ofWorker = await until('a worker has told', async () => {
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
    [
      'a worker that has left is offline, and can be deleted',
      async (t) => {
        const { id } = await farm.workerBecomes('two', 'online');
        await farm.workers.get('two')?.kill('SIGTERM');
        await farm.workerBecomes('two', 'offline');
        t.equal((await api.ask('DELETE', `/api/v1/workers/${id}`)).status, 204);
        await refused(t, [
          ['GET', `/api/v1/workers/${id}`, 404],
          ['DELETE', `/api/v1/workers/${id}`, 404],
        ]);
      },
    ],
  ];

  for (const [sentence, run] of [...requests, ...catalogs, ...jobs, ...work]) await t.test(sentence, run);
});

await test('diagnostics.buffer_size 0: 503 on the diagnostics route', { timeout: 60_000 }, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'callsheet-rest-'));
  const service = await startService({
    folder,
    httpPort: await freePort(),
    busPort: await freePort(),
    flags: ['--diagnostics-buffer-size=0', '--http-cors-origins=https://pipeline.example'],
  });
  t.teardown(async () => {
    await service.daemon.kill('SIGTERM');
    await rm(folder, { recursive: true, force: true });
  });
  const api = new CheckedClient(service.api.url);
  const { status, body } = await api.get('/api/v1/diagnostics/logs');
  t.equal(status, 503);
  t.match(body, { title: 'Service Unavailable', status: 503 });
  const allowed = async (origin: string): Promise<string | undefined> =>
    (await api.get('/api/v1/farms', { origin })).headers['access-control-allow-origin'];
  t.equal(await allowed('https://pipeline.example'), 'https://pipeline.example');
  t.equal(await allowed('https://other.example'), undefined);
  t.equal(await allowed('https://pipeline.example.evil'), undefined);
});
