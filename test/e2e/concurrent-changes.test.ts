import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tap, { test } from 'tap';
import { ApiClient, type ApiAnswer } from '../kit/api-client.ts';
import { freePort, startService } from '../kit/daemons.ts';

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
  t.teardown(async () => {
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
});
