import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import tap, { test } from 'tap';
import type { Page } from '../kit/api-client.ts';
import { ContractFarm, jobOf, type TaskDoc, type WorkerDoc } from '../kit/contract-bench.ts';
import { freePort, startService } from '../kit/daemons.ts';
import { until } from '../kit/until.ts';

tap.setTimeout(240_000);

const folder = await mkdtemp(join(tmpdir(), 'callsheet-additive-'));
const service = await startService({
  folder,
  httpPort: await freePort(),
  busPort: await freePort(),
  flags: ['--scheduler-shards=2'],
});
const { api } = service;
const farms: ContractFarm[] = [];
tap.teardown(async () => {
  await Promise.all(farms.map((farm) => farm.stop()));
  await service.daemon.kill('SIGTERM');
  if (tap.passing()) await rm(folder, { recursive: true, force: true });
  else tap.comment(service.daemon.log().slice(-4000));
});

async function makeFarm(label: string): Promise<ContractFarm> {
  const farm = await ContractFarm.make(service, label);
  farms.push(farm);
  return farm;
}

interface BulkItem {
  readonly id: string;
  readonly ok: boolean;
  readonly status: number;
  readonly retried?: number;
  readonly problem?: { readonly status: number; readonly title: string; readonly detail: string };
}

const bulk = async (what: string, body: object): Promise<readonly BulkItem[]> =>
  (await api.must<{ results: BulkItem[] }>('POST', `/api/v1/${what}/bulk`, body)).results;

const NONE = '00000000-0000-7000-8000-000000000000';

/** Returns the response of the item's own route in the form of an item of a bulk response. */
async function single(method: string, path: string, id: string): Promise<unknown> {
  const { status, body } = await api.call(method, path);
  const { instance: _request, ...problem } = body;
  return status < 400
    ? { id, ok: true, changed: true, status }
    : { id, ok: false, changed: false, status, problem };
}

await test('bulk actions reach jobs on every shard and return the result of the single route for each', async (t) => {
  const [one, two] = [await makeFarm('bulk-one'), await makeFarm('bulk-two')];
  const template = jobOf('Idle', { line: 'true', tasks: 3, cores: 900 });
  const jobs: string[] = [];
  for (let nth = 0; nth < 6; nth += 1) {
    jobs.push(await (nth % 2 === 0 ? one : two).submit(template, { project: 'bulk', owner: `o${nth % 3}` }));
  }
  const [first = '', second = '', third = ''] = jobs;
  const statuses = (): Promise<readonly string[]> =>
    Promise.all(jobs.map(async (id) => (await one.job(id)).status));
  const summary = (query: string): Promise<Record<string, number>> =>
    api.must('GET', `/api/v1/jobs/summary?${query}`);
  t.match(await summary('project=bulk'), { total: 6, pending: 6 });

  t.same(await bulk('jobs', { action: 'pause', ids: [second, NONE, first, second] }), [
    { id: second, ok: true, changed: true, status: 200 },
    {
      id: NONE,
      ok: false,
      changed: false,
      status: 404,
      problem: { type: 'about:blank', title: 'Not Found', status: 404, detail: `no job ${NONE}` },
    },
    { id: first, ok: true, changed: true, status: 200 },
  ]);
  t.same(await statuses(), ['paused', 'paused', 'pending', 'pending', 'pending', 'pending']);
  t.match(await summary('project=bulk&status=failed'), { total: 6, paused: 2, pending: 4 });
  t.same(
    (await bulk('jobs', { action: 'resume', filter: { project: 'bulk', status: 'paused' } })).map(
      ({ id }) => id,
    ),
    [first, second],
    'a filter, oldest first',
  );

  const moved = await bulk('jobs', { action: 'set', ids: jobs, priority: 71, queue_id: two.queueId });
  t.same(
    moved.map(({ status, problem }) => problem?.detail ?? status),
    jobs.map((_, nth) => (nth % 2 === 0 ? `/queue_id: the farm has no queue ${two.queueId}` : 200)),
  );
  t.same(await Promise.all(jobs.map(async (id) => (await one.job(id)).priority)), [50, 71, 50, 71, 50, 71]);
  t.same(
    (await bulk('jobs', { action: 'cancel', filter: { project: 'bulk', owner: 'o0' } })).map(({ ok }) => ok),
    [true, true],
  );
  t.same(await bulk('jobs', { action: 'retry', ids: [first, third] }), [
    { id: first, ok: true, changed: true, status: 200, retried: 3 },
    { id: third, ok: true, changed: false, status: 200, retried: 0 },
  ]);

  const tasks = await one.tasks(third);
  const ids = [tasks[1]?.id ?? '', tasks[0]?.id ?? '', `${third}-9-9`];
  t.match(await bulk('tasks', { action: 'cancel', ids }), [
    { status: 202 },
    { status: 202 },
    { status: 404 },
  ]);
  const expected = await Promise.all(ids.map((id) => single('POST', `/api/v1/tasks/${id}/cancel`, id)));
  t.same(await bulk('tasks', { action: 'cancel', ids }), expected, 'same result as the single route');
  t.match(await bulk('tasks', { action: 'retry', filter: { job_id: third, status: 'canceled' } }), [
    { id: tasks[0]?.id, ok: true, status: 202 },
    { id: tasks[1]?.id, ok: true, status: 202 },
  ]);
  t.same(await one.statuses(third), ['ready', 'ready', 'ready']);

  t.equal((await bulk('jobs', { action: 'delete', filter: { project: 'bulk' } })).length, 6);
  t.match(await summary('project=bulk'), { total: 0 });
  t.same(await bulk('jobs', { action: 'delete', ids: [first] }), [
    await single('DELETE', `/api/v1/jobs/${first}`, first),
  ]);
});

await test('a bulk action does nothing if its filter matches too many jobs', async (t) => {
  const farm = await makeFarm('many');
  const id = await farm.submit(jobOf('Many', { line: 'true', tasks: 1001, cores: 900 }));
  const answer = await api.call('POST', '/api/v1/tasks/bulk', { action: 'cancel', filter: { job_id: id } });
  t.match(answer, { status: 409, body: { detail: /^the filter matches 1001 tasks; / } });
  t.match((await farm.job(id)).task_counts, { ready: 1001 });
  const ids = Array.from({ length: 1000 }, (_, nth) => `${id}-0-${nth}`);
  const results = await bulk('tasks', { action: 'cancel', ids });
  t.same([results.length, new Set(results.map(({ status }) => status))], [1000, new Set([202])]);
  t.match((await farm.job(id)).task_counts, { ready: 1, canceled: 1000 });
});

await test('a dry run reports the result of a submission and stores nothing', async (t) => {
  const farm = await makeFarm('dry');
  const worker = await farm.worker('w', '--worker-cpus=2', '--worker-tags=gpu=a4000');
  const template = (name: string): string => `
specificationVersion: jobtemplate-2023-09
name: ${name}
parameterDefinitions:
  - { name: Scene, type: PATH, default: /mnt/scene.blend }
  - { name: Frames, type: STRING }
steps:
  - name: Render
    parameterSpace: { taskParameterDefinitions: [{ name: F, type: INT, range: "{{Param.Frames}}" }] }
    hostRequirements: { amounts: [{ name: amount.worker.vcpu, min: 1 }] }
    script:
      embeddedFiles: [{ name: Run, type: TEXT, data: "echo {{Task.Param.F}}" }]
      actions: { onRun: { command: bash, args: ["{{Task.File.Run}}", "{{Param.Scene}}", "-f{{Task.Param.F}}"] } }
  - name: Denoise
    dependencies: [{ dependsOn: Render }]
    hostRequirements:
      amounts: [{ name: amount.worker.vcpu, min: 2 }, { name: amount.worker.usagepool.nuke, min: 1 }]
      attributes: [{ name: attr.worker.tag.gpu, anyOf: [a5000] }]
    script: { actions: { onRun: { command: "true" } } }
`;
  const query = { 'param.Frames': '10-20:5', dry_run: 'true' };
  const key = { 'content-type': 'application/x-yaml', 'idempotency-key': 'dry-1' };
  const send = async (dry: boolean, name = 'Shot') => {
    const parameters = new URLSearchParams({
      farm_id: farm.id,
      queue_id: farm.queueId,
      ...query,
      dry_run: String(dry),
    });
    const init = { method: 'POST', headers: key, body: template(name) };
    const response = await fetch(`${api.url}/api/v1/jobs?${parameters.toString()}`, init);
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  t.strictSame(await send(true), {
    status: 200,
    body: {
      name: 'Shot',
      task_count: 4,
      parameters: { Scene: '/mnt/scene.blend', Frames: '10-20:5' },
      steps: [
        {
          name: 'Render',
          order: 0,
          task_count: 3,
          first: {
            task: 'Render[F=10]',
            parameters: { F: '10' },
            command: 'bash',
            args: ['{{Task.File.Run}}', '/mnt/scene.blend', '-f10'],
          },
          last: {
            task: 'Render[F=20]',
            parameters: { F: '20' },
            command: 'bash',
            args: ['{{Task.File.Run}}', '/mnt/scene.blend', '-f20'],
          },
          workers: { online: 1, elsewhere: 0, eligible: 1, rejected: [] },
        },
        {
          name: 'Denoise',
          order: 1,
          task_count: 1,
          depends_on: ['Render'],
          first: { task: 'Denoise', command: 'true', args: [] },
          last: { task: 'Denoise', command: 'true', args: [] },
          workers: {
            online: 1,
            elsewhere: 0,
            eligible: 0,
            rejected: [
              { reason: 'attribute requirement not met', requirement: 'attr.worker.tag.gpu', workers: 1 },
            ],
            reason: 'attribute requirement not met',
            sentence: `No worker can run it: 1 worker fails attr.worker.tag.gpu; the nearest, ${worker.name}, has a4000 where a5000 is wanted.`,
            nearest_miss: {
              worker_id: worker.id,
              worker: worker.name,
              reason: 'attribute requirement not met',
              requirement: 'attr.worker.tag.gpu',
              wanted: 'a5000',
              offered: 'a4000',
            },
          },
          unregistered_pools: ['nuke'],
        },
      ],
    },
  });
  const listed = (): Promise<Page<unknown>> => api.must('GET', `/api/v1/jobs?farm_id=${farm.id}`);
  t.equal((await listed()).total, 0, 'nothing is stored');
  const [refusedDry, refused] = [await send(true, '""'), await send(false, '""')];
  const { instance: _one, ...dryProblem } = refusedDry.body;
  const { instance: _two, ...problem } = refused.body;
  t.equal(refusedDry.status, 422);
  t.strictSame(dryProblem, problem, 'same refusal as for a submission');
  const made = await send(false);
  t.equal(made.status, 201, 'the idempotency key was still unused');
  t.strictSame(await send(true), await send(true), 'a dry run ignores the idempotency key');
  t.equal((await listed()).total, 1);
  await farm.cancel(String(made.body['id']));
});

await test('failed tasks are retried by index range and by worker', async (t) => {
  const farm = await makeFarm('retry');
  const workers = [await farm.worker('a', '--worker-cpus=2'), await farm.worker('b', '--worker-cpus=2')];
  const [a, b] = workers;
  if (a === undefined || b === undefined) throw new Error('there are two workers');
  const failing = jobOf(
    'Fails',
    { name: 'Render', line: 'sleep 0.2; exit 4', tasks: 8 },
    { name: 'Last', line: 'true', after: ['Render'] },
  );
  const ids = [
    await farm.submit(failing, { max_attempts: 1 }),
    await farm.submit(failing, { max_attempts: 1 }),
  ];
  for (const id of ids) await farm.waitForJobStatus(id, 'failed');
  t.match(await bulk('workers', { action: 'disable', filter: { farm_id: farm.id } }), [
    { id: a.id, ok: true, status: 200 },
    { id: b.id, ok: true, status: 200 },
  ]);
  t.same(await bulk('workers', { action: 'delete', ids: [a.id] }), [
    await single('DELETE', `/api/v1/workers/${a.id}`, a.id),
  ]);
  const [first = '', second = ''] = ids;
  const before = [await farm.tasks(first), await farm.tasks(second)];
  const failedOn = (tasks: readonly TaskDoc[] | undefined, worker: WorkerDoc): readonly string[] =>
    (tasks ?? [])
      .filter(({ status, assigned_worker_id: on }) => status === 'failed' && on === worker.id)
      .map(({ id }) => id);
  t.ok(failedOn(before[0], a).length > 0, 'worker a has failed tasks');
  t.ok(failedOn(before[0], b).length > 0, 'worker b has failed tasks');

  const answer = await api.call('POST', `/api/v1/workers/${a.id}/retry-failed`);
  const counts = before.map((tasks) => failedOn(tasks, a).length);
  const byJob = ids.map((id, nth) => ({ job_id: id, retried: counts[nth] ?? 0 }));
  t.same([answer.status, answer.body['retried']], [200, counts.reduce((sum, count) => sum + count, 0)]);
  t.same(
    (answer.body['jobs'] as { job_id: string }[]).toSorted((x, y) => (x.job_id < y.job_id ? -1 : 1)),
    byJob.filter(({ retried }) => retried > 0).toSorted((x, y) => (x.job_id < y.job_id ? -1 : 1)),
  );
  const readyOf = async (id: string): Promise<readonly string[]> =>
    (await farm.tasks(id)).filter(({ status }) => status === 'ready').map((task) => task.id);
  t.same(await readyOf(first), failedOn(before[0], a));
  t.same(await readyOf(second), failedOn(before[1], a));

  const retry = (id: string, body: object) => api.call('POST', `/api/v1/jobs/${id}/retry`, body);
  const left = failedOn(before[0], b);
  const place = Number(left[0]?.split('-').at(-1));
  t.match(await retry(first, { step: 'Render', index_range: String(place) }), {
    status: 200,
    body: { job_id: first, retried: 1 },
  });
  t.match((await retry(first, { step: `${first}-0`, worker_id: b.id })).body, { retried: left.length - 1 });
  t.match((await retry(first, { step: 'Render' })).body, { retried: 0 });
  t.match((await retry(first, {})).body, { retried: 1 }, 'the step that was canceled because of the first');
  t.match((await retry(second, { index_range: '0' })).body, {
    detail: '/step: is required: the job has several',
  });
  t.match((await retry(second, { step: 'Render', index_range: '0-8' })).status, 400);
  t.match((await api.call('POST', `/api/v1/workers/${NONE}/retry-failed`)).status, 404);
  await farm.cancel(...ids);
  t.match(await bulk('workers', { action: 'enable', ids: [a.id, NONE] }), [{ status: 200 }, { status: 404 }]);
});

await test('skipped tasks let a failed job continue, and a retry undoes the skip', async (t) => {
  const farm = await makeFarm('skip');
  await farm.worker('a', '--worker-cpus=2');
  const template = jobOf(
    'Fails',
    { name: 'Render', line: 'exit 4', tasks: 3 },
    { name: 'Last', line: 'true', after: ['Render'] },
  );
  const id = await farm.submit(template, { max_attempts: 1 });
  const dependent = await farm.submit(jobOf('After', { line: 'true' }), { depends_on: id });
  await farm.waitForJobStatus(dependent, 'canceled');
  const skip = (body: object, query = '') => api.call('POST', `/api/v1/jobs/${id}/skip${query}`, body);
  t.match(await skip({ step: 'Render', index_range: '0', reason: 'no plate' }), {
    status: 200,
    body: { skipped: 1, retried: 0, status: 'failed', dependents: [] },
  });
  const [task] = await farm.tasks(id);
  t.match(task, { status: 'succeeded', skipped: { by: 'anonymous', reason: 'no plate' } });
  t.match((await skip({ failed: true }, '?dry_run=true')).body, {
    skipped: 2,
    retried: 1,
    status: 'failed',
    dependents: [{ job_id: dependent, retried: 1 }],
  });
  t.match((await skip({ failed: true })).body, {
    skipped: 2,
    retried: 1,
    dependents: [{ job_id: dependent }],
  });
  await farm.waitForJobStatus(id, 'completed');
  await farm.waitForJobStatus(dependent, 'completed');
  const retried = await api.call('POST', `/api/v1/jobs/${id}/retry`, { skipped: true });
  t.match(retried, { status: 200, body: { retried: 3 } });
  await farm.waitForJobStatus(id, 'failed');
});

await test('job summaries for pages and scripts', async (t) => {
  const farm = await makeFarm('views');
  const text = `{"specificationVersion": "jobtemplate-2023-09", "name": "Wide",  "steps": [{"name": "A",
    "parameterSpace": {"taskParameterDefinitions": [{"name": "N", "type": "INT", "range": "1-1000000"}]},
    "hostRequirements": {"amounts": [{"name": "amount.worker.vcpu", "min": 900}]},
    "script": {"actions": {"onRun": {"command": "true"}}}}]}`;
  const query = new URLSearchParams({ farm_id: farm.id, queue_id: farm.queueId }).toString();
  const { id } = await api.must<{ id: string }>('POST', `/api/v1/jobs?${query}`, text);
  await api.must('POST', `/api/v1/tasks/${id}-0-7/cancel`);
  await api.must('POST', `/api/v1/tasks/${id}-0-999999/cancel`);

  interface Grid {
    readonly legend: Readonly<Record<string, string>>;
    readonly steps: readonly { readonly name: string; readonly cells: string }[];
  }
  const { status, headers, body: grid } = await api.call<Grid>('GET', `/api/v1/jobs/${id}/task-grid`);
  const cells = grid.steps[0]?.cells ?? '';
  t.equal(cells.length, 1_000_000);
  t.match(cells, /^[QU]{7}C[QU]{999991}C$/);
  t.match(grid.legend, { Q: 'ready', U: 'unschedulable', C: 'canceled' });
  t.same(
    [status, headers.get('content-encoding')],
    [200, 'gzip'],
    'the response for a million tasks is small',
  );

  const template = await fetch(`${api.url}/api/v1/jobs/${id}/template`);
  t.equal(await template.text(), text);
  t.equal(template.headers.get('content-type'), 'application/json');
  const tag = template.headers.get('etag') ?? '';
  const again = await fetch(`${api.url}/api/v1/jobs/${id}/template`, { headers: { 'if-none-match': tag } });
  t.equal(again.status, 304);
  t.same(
    (await api.must<{ items: unknown }>('GET', `/api/v1/jobs/${id}/steps`)).items,
    (await farm.job(id)).steps,
  );

  const idle = jobOf('Next', { line: 'true', cores: 900 });
  const next = [await farm.submit(idle, { depends_on: id }), await farm.submit(idle, { depends_on: id })];
  const last = await farm.submit(idle, { depends_on: next[0] ?? '' });
  const dependents = (of: string): Promise<Page<{ id: string; name: string; status: string }>> =>
    api.must('GET', `/api/v1/jobs/${of}/dependents`);
  const blocked = next.map((each) => ({ id: each, name: 'Next', status: 'blocked' }));
  t.same((await dependents(id)).items, blocked, 'direct dependents only');
  t.same((await dependents(next[0] ?? '')).items, [{ id: last, name: 'Next', status: 'blocked' }]);
  await api.must('POST', `/api/v1/jobs/${next[0] ?? ''}/cancel`);
  t.same((await dependents(next[0] ?? '')).items, [{ id: last, name: 'Next', status: 'canceled' }]);
  t.equal((await api.call('DELETE', `/api/v1/jobs/${last}`)).status, 204);
  t.equal((await dependents(next[0] ?? '')).total, 0);

  interface Stats {
    readonly jobs: Readonly<Record<string, number>>;
    readonly tasks: Readonly<Record<string, number>>;
    readonly workers: Readonly<Record<string, number>>;
    readonly cores: Readonly<Record<string, number>>;
    readonly parked_requests: number;
    readonly leased_tasks_per_second: number;
  }
  const all = await api.must<Record<string, number>>('GET', '/api/v1/jobs/summary');
  const expected = {
    workers: { online: 3, offline: 0, disabled: 1 },
    cores: { total: 6, committed: 0 },
    leased_tasks_per_second: 0,
  };
  const stats = await until('the statistics are up to date', async () => {
    const { workers, cores, leased_tasks_per_second, ...rest } = await api.must<Stats>(
      'GET',
      '/api/v1/stats',
    );
    const found = { workers, cores, leased_tasks_per_second };
    const isThere = (rest.tasks['ready'] ?? 0) >= 999_998;
    return isThere && isDeepStrictEqual(found, expected) ? rest : null;
  });
  t.same(stats.jobs, all);
  t.match(stats.tasks, { assigned: 0, running: 0 });

  const missing = ['steps', 'task-grid', 'template', 'dependents'];
  for (const part of missing)
    t.equal((await api.call('GET', `/api/v1/jobs/${NONE}/${part}`)).status, 404, part);
  await farm.cancel(id);
});
