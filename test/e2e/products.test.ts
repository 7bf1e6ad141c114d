import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tap, { test } from 'tap';
import type { JobView, Page, TaskView } from '../kit/api-client.ts';
import { freePort, startService, startWorker } from '../kit/daemons.ts';
import { until } from '../kit/until.ts';
import { runProductPaths } from '../attack/paths/product-paths.ts';

tap.setTimeout(240_000);

interface Product {
  readonly name: string;
  readonly source: string;
  readonly title: string;
  readonly template: string;
  readonly readme: string;
  readonly revision?: number;
}
interface Parameter {
  readonly name: string;
  readonly default: unknown;
}
interface Preset {
  readonly name: string;
  readonly version: string;
  readonly installed: boolean;
  readonly installed_version: string | null;
  readonly update_available: boolean;
  readonly usage_pools: readonly string[];
  readonly tags: readonly string[];
}

const template = (command: string, more = ''): string =>
  `specificationVersion: jobtemplate-2023-09
name: made of {{Param.Word}}
parameterDefinitions:
  - { name: Word, type: STRING, default: words }
${more}steps:
  - name: S
    script: { actions: { onRun: { command: '${command}', args: ['{{Param.Word}}'] } } }
`;

const definition = (name: string, some: Record<string, string> = {}): string =>
  [
    `name: ${name}`,
    `title: ${some['title'] ?? 'From a file'}`,
    `version: ${some['version'] ?? '1.0.0'}`,
    'template:',
    ...template(some['command'] ?? 'echo', some['more'])
      .trimEnd()
      .split('\n')
      .map((line) => `  ${line}`),
    '',
  ].join('\n');

const folder = await mkdtemp(join(tmpdir(), 'callsheet-products-'));
const [products, presets] = [join(folder, 'products'), join(folder, 'presets')];
await mkdir(join(products, 'deep'), { recursive: true });
await mkdir(presets);
await writeFile(join(products, 'deep', 'a.yaml'), definition('studio/copy'));
await writeFile(join(products, 'b.yaml'), definition('studio/copy', { title: 'Second' }));
await writeFile(join(products, 'c.yml'), definition('script'));
await writeFile(join(products, 'd.json'), '{"name": "Not valid"}');
await writeFile(join(products, 'e.yaml'), definition('studio/broken', { more: 'step: []\n' }));
await writeFile(join(products, '.hidden.yaml'), definition('studio/hidden'));
await writeFile(join(presets, 'own.yaml'), definition('studio/preset'));
const service = await startService({
  folder,
  httpPort: await freePort(),
  busPort: await freePort(),
  flags: [`--products-dir=${products}`, `--presets-dir=${presets}`],
});
const { api } = service;
const farm = await api.makeFarm('products');
const worker = startWorker(service, 'one', [`--worker-farm=${farm.farmId}`]);
tap.teardown(async () => {
  await worker.kill('SIGTERM');
  await service.daemon.kill('SIGTERM');
  if (tap.passing()) await rm(folder, { recursive: true, force: true });
  else tap.comment(service.daemon.log().slice(-4000));
});

const where = { farm_id: farm.farmId, queue_id: farm.queueId };
const submit = (name: string, body: object = {}) =>
  api.call<JobView & { readonly detail?: string; readonly product?: object; readonly owner: string }>(
    'POST',
    `/api/v1/products/${name}/jobs`,
    { ...where, ...body },
  );
const ended = (id: string) =>
  until(`job ${id} has ended`, async () => {
    const job = await api.job(id);
    return ['completed', 'failed'].includes(job.status) ? job : null;
  });
const reload = (): void => {
  process.kill(service.daemon.child.pid ?? 0, 'SIGHUP');
};

await test('the built-in products have the parameters of the contract', async (t) => {
  const all = await api.must<readonly Product[]>('GET', '/api/v1/products');
  t.same(
    all.map(({ name }) => name),
    ['array', 'container', 'file-list', 'files', 'frames', 'python', 'script', 'studio/copy'],
  );
  t.ok(all.every(({ source }) => source === 'builtin'));
  const parameters = async (name: string) =>
    (await api.must<readonly Parameter[]>('GET', `/api/v1/products/${name}/parameters`)).map((each) => [
      each.name,
      each.default,
    ]);
  t.same(await parameters('script'), [['Command', null]]);
  t.same(await parameters('python'), [
    ['Interpreter', 'python3'],
    ['Script', null],
  ]);
  t.match(
    (await api.must<Product>('GET', '/api/v1/products/container')).template,
    /attr\.worker\.tag\.docker/,
  );
  for (const [method, body] of [['PUT', { title: 'x', template: 'y' }] as const, ['DELETE'] as const])
    t.equal((await api.call(method, '/api/v1/products/script', body)).status, 403, method);
  t.equal(
    (await api.call('POST', '/api/v1/products', { name: 'script', title: 'x', template: template('true') }))
      .status,
    409,
  );
});

await test('files with errors are skipped, and their errors name file and place', async (t) => {
  const skipped = [
    ...service.daemon
      .log()
      .matchAll(/a product definition was skipped file="([^"]*)" detail="((?:[^"\\]|\\.)*)"/g),
  ].map(([, file = '', detail = '']) => ({ file, detail }));
  const detailOf = (file: string): string => skipped.find((each) => each.file.endsWith(file))?.detail ?? '';
  t.equal(skipped.length, 4);
  t.match(detailOf('deep/a.yaml'), /studio\/copy is already defined in .*b\.yaml/);
  t.match(detailOf('c.yml'), /script is a built-in product of Callsheet/);
  t.match(detailOf('d.json'), /misses the member title/);
  t.match(detailOf('e.yaml'), /^\/template\/step: /);
});

await test('each built-in runs on a worker', async (t) => {
  const logOf = async (id: string): Promise<string> => {
    const { items } = await api.must<Page<TaskView>>('GET', `/api/v1/jobs/${id}/tasks`);
    const logs = await Promise.all(
      items.map((task) => api.must<{ items: { data: string }[] }>('GET', `/api/v1/tasks/${task.id}/logs`)),
    );
    return logs.flatMap((log) => log.items.map(({ data }) => data)).join('');
  };
  const list = join(folder, 'list.txt');
  await writeFile(list, '/mnt/one two.exr\n/mnt/b.exr\n');
  const rows: readonly (readonly [string, Record<string, string>, string])[] = [
    ['script', { Command: 'a="x y"\necho "[$a]" | cat' }, '[x y]'],
    ['python', { Script: 'print("sum", 6 * 7)' }, 'sum 42'],
    ['frames', { Command: 'echo "$FRAME4 $FIRST-$LAST"', Frames: '1-5,9', FramesPerTask: '3' }, '0004 4-5'],
    ['array', { Command: 'echo "$INDEX of $COUNT"', Indices: '2-4' }, '4 of 3'],
    [
      'files',
      { Command: 'echo "$STEM in $DIR"', Files: JSON.stringify(["/mnt/it's a.b.exr"]) },
      "it's a.b in /mnt",
    ],
    ['file-list', { Command: 'echo "<$NAME>"', ListFile: list, Count: '2' }, '<one two.exr>'],
  ];
  for (const [name, parameters, wanted] of rows) {
    const { status, body } = await submit(name, { parameters });
    t.equal(status, 201, name);
    t.equal((await ended(body.id)).status, 'completed', name);
    await until(`the log of ${name}`, async () => (await logOf(body.id)).includes(wanted));
  }
  const failing = await submit('script', {
    parameters: { Command: 'false | cat\necho not reached' },
    max_attempts: 1,
  });
  t.equal((await ended(failing.body.id)).status, 'failed');
});

await test('a product is created, changed, submitted and deleted; its jobs keep their template', async (t) => {
  const path = '/api/v1/products/vendor/tool';
  const body = {
    name: 'vendor/tool',
    title: 'Tool',
    description: 'd',
    readme: '# R',
    category: 'c',
    version: '1.0.0',
  };
  const made = await api.call<Product>('POST', '/api/v1/products', { ...body, template: template('echo') });
  t.equal(made.status, 201);
  t.equal(made.headers.get('location'), path);
  t.match(made.body, { ...body, source: 'custom', format: 'yaml', revision: 1, template: template('echo') });
  t.equal((await api.call('POST', '/api/v1/products', { ...body, template: template('echo') })).status, 409);
  t.same((await api.call('GET', '/api/v1/products/vendor%2Ftool')).body, (await api.call('GET', path)).body);

  const wrong = await api.call('POST', '/api/v1/products', { ...body, name: 'x', template: 'name: 5' });
  t.equal(wrong.status, 422);
  t.equal((await api.call('GET', '/api/v1/products/x')).status, 404, 'nothing was written');
  const changes: readonly Record<string, unknown>[] = [
    { name: 'A/b' },
    { name: '../etc' },
    { name: 'a/b/c' },
    { title: '' },
    { title: undefined },
    { description: 'x'.repeat(501) },
    { readme: 'x'.repeat(8001) },
    { version: '1' },
    { format: 'toml' },
    { template: undefined },
  ];
  for (const change of changes) {
    const input = { ...body, name: 'y', template: template('echo'), ...change };
    t.equal(
      (await api.call('POST', '/api/v1/products', input)).status,
      400,
      JSON.stringify(change).slice(0, 60),
    );
  }

  const job = await submit('vendor/tool', {
    name: 'own name',
    parameters: { Word: 'hello' },
    priority: 7,
    project: 'p',
  });
  t.equal(job.status, 201);
  t.match(job.body, {
    name: 'own name',
    priority: 7,
    project: 'p',
    product: { name: 'vendor/tool', version: '1.0.0' },
  });
  t.equal((await submit('vendor/tool')).body.name, 'made of words', 'defaults apply');
  t.equal((await submit('vendor/tool', { parameters: { Other: 'x' } })).status, 422);
  t.equal((await submit('vendor/tool', { parameters: { Word: 5 } })).status, 400);
  t.equal((await submit('vendor/none')).status, 404);
  t.equal((await submit('vendor/tool', { queue_id: job.body.id })).status, 400);
  t.equal((await submit('vendor/tool', { farm_id: undefined })).status, 400);
  t.equal((await submit('vendor/tool', { max_attempts: 0 })).status, 400);

  const put = await api.call<Product>('PUT', path, {
    name: 'ignored',
    title: 'Tool 2',
    template: template('false'),
  });
  t.match(put, {
    status: 200,
    body: { name: 'vendor/tool', title: 'Tool 2', readme: '', version: '', revision: 2 },
  });
  t.equal((await api.call('PUT', path, { title: 'T', template: 'name: 5' })).status, 422);
  t.equal(
    (await api.call('PUT', '/api/v1/products/none', { title: 'T', template: template('x') })).status,
    404,
  );
  const kept = await fetch(`${service.api.url}/api/v1/jobs/${job.body.id}/template`);
  t.equal(await kept.text(), template('echo'), 'the job keeps its copy');
  const revisions = await api.must<readonly { revision: number; product: Product; saved_by: string }[]>(
    'GET',
    `${path}/revisions`,
  );
  t.match(revisions, [
    { revision: 2, saved_by: 'anonymous', product: { title: 'Tool 2' } },
    { revision: 1, product: { title: 'Tool', template: template('echo') } },
  ]);
  t.equal((await ended(job.body.id)).status, 'completed');
  const used = await api.must<Page<JobView>>('GET', '/api/v1/jobs?product=vendor/tool&limit=1');
  t.equal(used.total, 2);
  t.equal((await api.call('DELETE', path)).status, 204);
  for (const method of ['GET', 'DELETE']) t.equal((await api.call(method, path)).status, 404);
  t.equal((await api.must<Page<JobView>>('GET', '/api/v1/jobs?product=vendor/tool')).total, 2);
});

await test('a submission can be tried, repeated, paused and made to wait', async (t) => {
  const upstream = await submit('script', { parameters: { Command: 'true' }, paused: true });
  t.equal(upstream.body.status, 'paused');
  const dry = await api.call<{ steps: object[] }>('POST', '/api/v1/products/frames/jobs?dry_run=true', {
    ...where,
    parameters: { Command: 'true', Frames: '1-7', FramesPerTask: '2' },
  });
  t.match(dry, { status: 200, body: { steps: [{ name: 'Run', task_count: 4 }] } });
  const waiting = await submit('script', {
    parameters: { Command: 'true' },
    depends_on: [upstream.body.id],
    paused: true,
  });
  t.equal(waiting.body.status, 'paused');
  const send = (command: string) =>
    fetch(`${api.url}/api/v1/products/script/jobs`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': 'same' },
      body: JSON.stringify({ ...where, paused: true, parameters: { Command: command } }),
    });
  const [first, second, other] = [await send('true'), await send('true'), await send('false')];
  t.same([first.status, second.status, other.status], [201, 201, 422]);
  t.same(((await first.json()) as JobView).id, ((await second.json()) as JobView).id);
  t.equal(second.headers.get('idempotency-replayed'), 'true');
  await api.must('PATCH', `/api/v1/jobs/${waiting.body.id}`, { action: 'resume' });
  t.equal((await api.job(waiting.body.id)).status, 'blocked');
  await api.must('PATCH', `/api/v1/jobs/${upstream.body.id}`, { action: 'resume' });
  t.equal((await ended(waiting.body.id)).status, 'completed');
  const template = await farm.submit(
    {
      specificationVersion: 'jobtemplate-2023-09',
      name: 'paused template',
      steps: [{ name: 'S', script: { actions: { onRun: { command: 'true' } } } }],
    },
    { paused: 'true' },
  );
  t.equal(template.body.status, 'paused');
});

await test('a preset is installed, cannot be edited, is updated after a reload, and is deleted', async (t) => {
  const one = (): Promise<Preset> => api.must<Preset>('GET', '/api/v1/presets/studio/preset');
  t.match(await one(), {
    version: '1.0.0',
    installed: false,
    installed_version: null,
    update_available: false,
  });
  const all = await api.must<readonly Preset[]>('GET', '/api/v1/presets');
  t.ok(
    all.some(({ name }) => name === 'povray/render'),
    'the presets of the package are there too',
  );
  t.match(await api.must('GET', '/api/v1/presets/povray/render'), {
    tags: ['povray'],
    parameters: [{ name: 'Scene' }],
  });
  t.equal((await api.call('GET', '/api/v1/presets/none')).status, 404);
  t.equal((await api.call('POST', '/api/v1/presets/none/install')).status, 404);
  t.equal((await api.call('POST', '/api/v1/presets/studio/preset/update')).status, 404, 'not installed');
  const installed = await api.call<Product>('POST', '/api/v1/presets/studio/preset/install');
  t.match(installed, { status: 201, body: { name: 'studio/preset', source: 'installed' } });
  t.equal((await api.call('POST', '/api/v1/presets/studio/preset/install')).status, 409);
  const body = { title: 'x', template: template('true') };
  t.equal((await api.call('PUT', '/api/v1/products/studio/preset', body)).status, 403);

  await writeFile(
    join(presets, 'own.yaml'),
    definition('studio/preset', { version: '1.1.0', title: 'Newer' }),
  );
  await writeFile(join(products, 'new.yaml'), definition('studio/new'));
  await rm(join(products, 'b.yaml'));
  reload();
  await until('the new version is offered', async () => (await one()).update_available);
  t.match(await one(), { installed_version: '1.0.0', version: '1.1.0', installed: true });
  t.equal((await api.must<Product>('GET', '/api/v1/products/studio/new')).source, 'builtin');
  t.equal(
    (await api.must<Product>('GET', '/api/v1/products/studio/copy')).title,
    'From a file',
    'the other file',
  );
  const updated = await api.call<Product>('POST', '/api/v1/presets/studio/preset/update');
  t.match(updated, { status: 200, body: { title: 'Newer', revision: 2, source: 'installed' } });
  t.equal((await one()).update_available, false);
  t.equal((await api.call('DELETE', '/api/v1/products/studio/preset')).status, 204);
  t.equal((await one()).installed, false);

  await api.must('POST', '/api/v1/products', { name: 'studio/preset', ...body });
  t.equal(
    (await api.call('POST', '/api/v1/presets/studio/preset/update')).status,
    409,
    'not from the library',
  );
  t.equal((await one()).installed, false);
});

await test('a built-in product that is added later hides the stored one of its name', async (t) => {
  await api.must('POST', '/api/v1/products', {
    name: 'studio/later',
    title: 'Stored',
    template: template('true'),
  });
  await writeFile(join(products, 'later.yaml'), definition('studio/later', { title: 'Built in' }));
  reload();
  await until('the file is read', async () => {
    const { source } = await api.must<Product>('GET', '/api/v1/products/studio/later');
    return source === 'builtin';
  });
  const all = await api.must<readonly Product[]>('GET', '/api/v1/products');
  t.same(
    all.filter(({ name }) => name === 'studio/later').map(({ title }) => title),
    ['Built in'],
  );
  t.equal((await api.call('DELETE', '/api/v1/products/studio/later')).status, 403);
  const summary = await api.must<readonly Product[]>('GET', '/api/v1/products?summary=true');
  t.ok(
    summary.length === all.length && summary.every((each) => !('template' in each) && !('readme' in each)),
  );
});

await test('names that lead out of their folder are refused (T19)', async (t) => {
  const { tried, violations } = await runProductPaths(service.httpPort, 200);
  t.equal(tried, 200);
  t.same(violations, []);
});
