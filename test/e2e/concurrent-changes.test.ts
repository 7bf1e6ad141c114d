import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tap, { test, type Test } from 'tap';
import { runCallsheet } from '../cli/run-callsheet.ts';
import { ApiClient, type ApiAnswer } from '../kit/api-client.ts';
import { freePort, startService, startWorker, type Daemon } from '../kit/daemons.ts';
import { until } from '../kit/until.ts';

tap.setTimeout(120_000);

interface Case {
  readonly kind: string;
  readonly path: string;
  readonly method: 'PUT' | 'PATCH';
  /** Two bodies that differ in one setting. */
  readonly bodies: readonly [object, object];
  readonly setting: string;
}

const TEMPLATE = {
  specificationVersion: 'jobtemplate-2023-09',
  name: 'still',
  steps: [{ name: 'Render', script: { actions: { onRun: { command: 'true' } } } }],
};

/** docs/rest.md#concurrent-changes with a real service of two shards. */
await test('of two changes from the same version, one is made', { timeout: 120_000 }, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'callsheet-versions-'));
  const service = await startService({
    folder,
    httpPort: await freePort(),
    busPort: await freePort(),
    flags: ['--scheduler-shards=2'],
  });
  let startedWorker: Daemon | null = null;
  t.teardown(async () => {
    await startedWorker?.kill('SIGTERM');
    await service.daemon.kill('SIGTERM');
    await rm(folder, { recursive: true, force: true });
  });
  const { api } = service;
  const made = (path: string, body: object): Promise<{ id: string }> =>
    api.must('POST', `/api/v1${path}`, body);
  const farm = await api.makeFarm('show');
  const other = await made('/queues', { farm_id: farm.farmId, name: 'other' });
  const job = (await farm.submit(TEMPLATE)).body;
  const pool = await made('/usage-pools', { name: 'nuke', max_concurrent: 1 });
  const storage = await made('/storage-locations', { name: 'projects', roots: { default: '/mnt' } });
  const compute = await made('/compute-locations', { name: 'potsdam' });
  const hook = { name: 'chat', url: 'https://example.org/a', events: ['job.completed'] };
  const webhook = await made('/webhooks', hook);
  const template = JSON.stringify(TEMPLATE);
  const product = { title: 'Still', template, format: 'json' };
  await made('/products', { name: 'still', ...product });

  const cases: readonly Case[] = [
    {
      kind: 'farm',
      path: `/farms/${farm.farmId}`,
      method: 'PUT',
      setting: 'name',
      bodies: [{ name: 'a' }, { name: 'b' }],
    },
    {
      kind: 'queue',
      path: `/queues/${other.id}`,
      method: 'PUT',
      setting: 'priority',
      bodies: [
        { name: 'other', priority: 5 },
        { name: 'other', priority: 9 },
      ],
    },
    {
      kind: 'pool',
      path: `/usage-pools/${pool.id}`,
      method: 'PUT',
      setting: 'max_concurrent',
      bodies: [
        { name: 'nuke', max_concurrent: 2 },
        { name: 'nuke', max_concurrent: 3 },
      ],
    },
    {
      kind: 'storage',
      path: `/storage-locations/${storage.id}`,
      method: 'PUT',
      setting: 'roots',
      bodies: [
        { name: 'projects', roots: { default: '/a' } },
        { name: 'projects', roots: { default: '/b' } },
      ],
    },
    {
      kind: 'compute',
      path: `/compute-locations/${compute.id}`,
      method: 'PUT',
      setting: 'description',
      bodies: [
        { name: 'potsdam', description: 'a' },
        { name: 'potsdam', description: 'b' },
      ],
    },
    {
      kind: 'webhook',
      path: `/webhooks/${webhook.id}`,
      method: 'PUT',
      setting: 'url',
      bodies: [
        { ...hook, url: 'https://example.org/b' },
        { ...hook, url: 'https://example.org/c' },
      ],
    },
    {
      kind: 'product',
      path: '/products/still',
      method: 'PUT',
      setting: 'revision',
      bodies: [
        { ...product, title: 'a' },
        { ...product, title: 'b' },
      ],
    },
    {
      kind: 'job',
      path: `/jobs/${job.id}`,
      method: 'PATCH',
      setting: 'priority',
      bodies: [{ priority: 70 }, { priority: 20 }],
    },
    {
      kind: 'moved job',
      path: `/jobs/${job.id}`,
      method: 'PATCH',
      setting: 'priority',
      bodies: [
        { priority: 10, queue_id: other.id },
        { priority: 11, queue_id: farm.queueId },
      ],
    },
  ];
  const tagOf = (answer: ApiAnswer): string => answer.headers.get('etag') ?? 'no tag';
  const problemOf = ({ body }: ApiAnswer<unknown>): { errors: { pointer: string }[]; detail: string } =>
    body as { errors: { pointer: string }[]; detail: string };

  for (const { kind, path, method, bodies, setting } of cases) {
    const url = `/api/v1${path}`;
    const tag = tagOf(await api.call('GET', url));
    t.match(tag, /^W\/"[\w-]{22}\.[0-9a-f]+"$/, kind);
    const holder = new ApiClient(api.url, { 'if-match': tag });
    const answers = await Promise.all(bodies.map((body) => holder.call(method, url, body)));
    t.strictSame(
      answers.map(({ status }) => status).sort(),
      [200, 412],
      `${kind}: one of two concurrent changes`,
    );
    const refused =
      answers.find(({ status }) => status === 412) ?? (await holder.call(method, url, bodies[0]));
    t.ok(
      problemOf(refused).errors.some(({ pointer }) => pointer === `/${setting}`),
      `${kind}: ${problemOf(refused).detail}`,
    );
    t.equal((await holder.call('DELETE', url)).status, 412, `${kind}: not deleted`);
    const made = answers.find(({ status }) => status === 200);
    const next = new ApiClient(api.url, { 'if-match': made === undefined ? '' : tagOf(made) });
    t.equal(
      (await next.call(method, url, bodies[1])).status,
      200,
      `${kind}: the response has the next version`,
    );
    t.equal((await api.call(method, url, bodies[0])).status, 200, `${kind}: without If-Match`);
    const any = new ApiClient(api.url, { 'if-match': '*' });
    t.equal((await any.call(method, url, bodies[1])).status, 200, `${kind}: any version`);
  }
  t.equal(
    (await api.must<{ queue_id: string }>('GET', `/api/v1/jobs/${job.id}`)).queue_id,
    farm.queueId,
    'the queue of the last change',
  );
  t.equal(
    (await api.call('DELETE', `/api/v1/queues/${farm.queueId}`)).status,
    409,
    'the farm knows the queue of the job',
  );
  t.equal(
    (await api.call('DELETE', `/api/v1/queues/${other.id}`)).status,
    204,
    'a refused move leaves no trace',
  );
  const unknown = new ApiClient(api.url, { 'if-match': '"other"' });
  t.equal((await unknown.call('PATCH', `/api/v1/jobs/${job.id}`, { priority: 1 })).status, 412);
  const tag = tagOf(await api.call('GET', `/api/v1/jobs/${job.id}`));
  const whole = new ApiClient(api.url, { 'if-none-match': tag });
  t.equal((await whole.call('GET', `/api/v1/jobs/${job.id}`)).status, 304);

  startedWorker = startWorker(service, 'one', [`--worker-farm=${farm.farmId}`]);
  const worker = await until('the worker is registered', async () => {
    const { items } = await api.must<{ items: { id: string }[] }>('GET', '/api/v1/workers');
    return items[0] ?? null;
  });
  const workerUrl = `/api/v1/workers/${worker.id}`;
  const seen = new ApiClient(api.url, { 'if-match': tagOf(await api.call('GET', workerUrl)) });
  const disabled = await seen.call('POST', `${workerUrl}/disable`, { reason: 'bad GPU' });
  t.equal(disabled.status, 200);
  for (const action of ['disable', 'enable'])
    t.match(problemOf(await seen.call('POST', `${workerUrl}/${action}`)), {
      detail: 'the worker was changed since it was read: disabled, mode, reason, by',
      errors: [
        { pointer: '/disabled', detail: 'is now true' },
        { pointer: '/mode' },
        { pointer: '/reason', detail: 'is now "bad GPU"' },
        { pointer: '/by', detail: 'is now "anonymous"' },
      ],
    });
  const after = new ApiClient(api.url, { 'if-match': tagOf(disabled) });
  t.equal((await after.call('POST', `${workerUrl}/enable`)).status, 200, 'the response has the next version');
  t.equal((await api.call('POST', `${workerUrl}/disable`)).status, 200, 'without If-Match');

  // The command reads, changes and writes; the proxy lets another user change the object in between.
  const definition = join(folder, 'still.yaml');
  await writeFile(definition, JSON.stringify({ name: 'still', title: 'c', template: TEMPLATE }));
  const environment = (word: string): string =>
    JSON.stringify({
      specificationVersion: 'environment-2023-09',
      environment: { name: 'Rez', variables: { PACKAGES: word } },
    });
  const environments = `/api/v1/queues/${farm.queueId}/environments`;
  const rez = await api.must<{ id: string }>('POST', environments, {
    template: environment('maya'),
    format: 'json',
    priority: 1,
  });
  const templateFile = join(folder, 'rez.json');
  await writeFile(templateFile, environment('houdini'));
  let otherPriority = 10;
  const queueUrl = `/api/v1/queues/${farm.queueId}`;
  const changes: readonly {
    args: readonly string[];
    other: () => Promise<unknown>;
    same: boolean;
    now: RegExp;
  }[] = [
    {
      args: ['queues', 'set', 'main', '--priority', '3'],
      other: () => api.must('PUT', queueUrl, { name: 'main', priority: ++otherPriority }),
      same: true,
      now: /^queue main has been changed meanwhile.*\n {2}\/priority: is now \d+\n.*--overwrite/s,
    },
    {
      args: ['queues', 'set', 'main', '--priority', '4'],
      other: () => api.must('PUT', queueUrl, { name: 'main', priority: 3, description: 'night' }),
      same: false,
      now: /^$/,
    },
    {
      args: ['queues', 'environment', 'set', 'main', 'Rez', '--file', templateFile],
      other: () =>
        api.must('PUT', `${environments}/${rez.id}`, {
          template: environment(`katana-${++otherPriority}`),
          format: 'json',
          priority: 1,
        }),
      same: true,
      now: /^environment Rez has been changed meanwhile.*\n {2}\/template: .*--overwrite/s,
    },
    {
      args: ['queues', 'environment', 'set', 'main', 'Rez', '--priority', '7'],
      other: () =>
        api.must('PUT', `${environments}/${rez.id}`, { template: environment('nuke'), format: 'json' }),
      same: false,
      now: /^$/,
    },
    {
      args: ['storage', 'set', 'projects', '--root', 'berlin=/b'],
      other: () =>
        api.must('PUT', `/api/v1/storage-locations/${storage.id}`, {
          name: 'projects',
          roots: { default: '/b', potsdam: '/p' },
        }),
      same: false,
      now: /^$/,
    },
    {
      args: ['products', 'apply', definition],
      other: () => api.must('PUT', '/api/v1/products/still', { ...product, title: `${Date.now()}` }),
      same: true,
      now: /^product still has been changed meanwhile.*\n {2}\/revision: is now \d+\n/s,
    },
  ];
  for (const { args, other, same, now } of changes) {
    const proxy = await startProxy(t, api.url, other);
    const environment = { SVC_URL: proxy };
    const ran = await runCallsheet(args, { environment });
    const name = args.slice(0, 2).join(' ');
    t.equal(ran.code, same ? 5 : 0, `${name}: ${ran.err}`);
    t.match(ran.err, now, name);
    if (!same) continue;
    const overwritten = await startProxy(t, api.url, other);
    const forced = await runCallsheet([...args, '--overwrite'], { environment: { SVC_URL: overwritten } });
    t.equal(forced.code, 0, `${name} --overwrite: ${forced.err}`);
  }
  t.match(await api.must('GET', queueUrl), { priority: 4, description: 'night' }, 'other settings are kept');
  t.match(
    await api.must('GET', environments),
    [{ priority: 7, template: environment('nuke') }],
    'a change of the template is kept',
  );
  t.match(await api.must('GET', `/api/v1/storage-locations/${storage.id}`), {
    roots: { default: '/b', potsdam: '/p', berlin: '/b' },
  });
  t.match(await api.must('GET', '/api/v1/products/still'), { title: 'c' });
});

/** Starts a proxy of the service that calls `other` before it passes on the first PUT. Returns its address. */
async function startProxy(t: Test, target: string, other: () => Promise<unknown>): Promise<string> {
  let isFirst = true;
  const pass = async (request: IncomingMessage): Promise<Response> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(Buffer.from(chunk as Uint8Array));
    const { method = 'GET', url = '/', headers } = request;
    if (method === 'PUT' && isFirst) {
      isFirst = false;
      await other();
    }
    const sent = ['if-match', 'content-type'].flatMap((name) => {
      const value = headers[name];
      return typeof value === 'string' ? [[name, value] as const] : [];
    });
    const body = chunks.length === 0 ? {} : { body: Buffer.concat(chunks) };
    return fetch(`${target}${url}`, { method, headers: Object.fromEntries(sent), ...body });
  };
  const server = createServer((request, response) => {
    void pass(request).then(async (answer) => {
      const headers = ['etag', 'content-type'].flatMap((name) => {
        const value = answer.headers.get(name);
        return value === null ? [] : [[name, value] as const];
      });
      response
        .writeHead(answer.status, Object.fromEntries(headers))
        .end(Buffer.from(await answer.arrayBuffer()));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port');
  return `http://127.0.0.1:${address.port}`;
}
