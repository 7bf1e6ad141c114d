import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tap, { test } from 'tap';
import type { Page } from '../kit/api-client.ts';
import { freePort, startService } from '../kit/daemons.ts';

tap.setTimeout(240_000);

interface Listed {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly priority: number;
}

const template = (name: string): object => ({
  specificationVersion: 'jobtemplate-2023-09',
  name,
  steps: [
    {
      name: 'Render',
      parameterSpace: { taskParameterDefinitions: [{ name: 'N', type: 'INT', range: '1-70' }] },
      script: { actions: { onRun: { command: 'true' } } },
    },
  ],
});

const CLIENTS = 8;
const JOBS_EACH = 5;

await test('a client finds its change in the next list', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'callsheet-lists-'));
  const options = {
    folder,
    httpPort: await freePort(),
    busPort: await freePort(),
    flags: ['--scheduler-shards=2'],
  };
  let service = await startService(options);
  t.teardown(async () => {
    await service.daemon.kill('SIGTERM');
    if (t.passing()) await rm(folder, { recursive: true, force: true });
    else t.comment(service.daemon.log().slice(-4000));
  });
  const { api } = service;
  const list = (query: string): Promise<Page<Listed>> => api.must('GET', `/api/v1/jobs?${query}`);
  const farms = [await api.makeFarm('one'), await api.makeFarm('two')];

  /** Runs one client: each of its changes is in every list that it requests afterwards. */
  const client = async (nth: number): Promise<readonly string[]> => {
    const farm = farms[nth % farms.length];
    const owner = `artist${nth}`;
    const kept: string[] = [];
    for (let job = 0; job < JOBS_EACH; job += 1) {
      const submitted = await farm?.submit(template(`Shot ${nth} take ${job}`), { owner });
      const id = submitted?.body.id ?? '';
      const path = `/api/v1/jobs/${id}`;
      const mine = async (query: string): Promise<Listed | undefined> =>
        (await list(`owner=${owner}&limit=1000&${query}`)).items.find((each) => each.id === id);
      t.match(await mine(''), { status: 'pending', priority: 50 });
      t.equal(
        (await list(`search=${owner}+TAKE+${id.slice(0, 13)}`)).items.some((each) => each.id === id),
        true,
      );
      await api.must('PATCH', path, { priority: 60 + job });
      t.match(await mine('sort_by=priority&sort_dir=desc'), { priority: 60 + job });
      await api.must('PATCH', path, { action: 'pause' });
      t.match(await mine('status=paused'), { status: 'paused' });
      await api.must('PATCH', path, { action: 'resume' });
      t.equal(await mine('status=paused'), undefined);
      await api.must('POST', `${path}/cancel`);
      t.match(await mine('status=canceled&sort_by=status'), { status: 'canceled' });
      t.equal((await api.must<Page<unknown>>('GET', `${path}/tasks?status=canceled&limit=1`)).total, 70);
      t.match(await api.must('POST', `${path}/retry`), { job_id: id, retried: 70, dependents: [] });
      t.match(await mine('status=pending&sort_by=updated_at'), { status: 'pending' });
      const tasks = await api.must<Page<{ id: string }>>(
        'GET',
        `${path}/tasks?status=ready&sort_by=updated_at&limit=1&offset=40`,
      );
      t.equal(tasks.total, 70);
      await api.must('POST', `/api/v1/tasks/${tasks.items[0]?.id ?? ''}/cancel`);
      const canceled = await api.must<Page<{ id: string }>>('GET', `${path}/tasks?status=canceled`);
      t.same(
        canceled.items.map((task) => task.id),
        tasks.items.map((task) => task.id),
      );
      if (job % 2 === 0) kept.push(id);
      else {
        t.equal((await api.call('DELETE', path)).status, 204);
        t.equal(await mine(''), undefined);
        t.equal((await api.call('GET', `${path}/tasks?status=ready`)).status, 404);
      }
    }
    return kept;
  };
  const kept = (await Promise.all(Array.from({ length: CLIENTS }, (_, nth) => client(nth)))).flat();

  const pages = async (query: string): Promise<readonly Listed[]> => {
    const items: Listed[] = [];
    for (let total = Infinity; items.length < total;) {
      const page = await list(`${query}&limit=7&offset=${items.length}`);
      if (page.items.length === 0)
        throw new Error(`the page after ${items.length} of ${page.total} is empty`);
      items.push(...page.items);
      total = page.total;
    }
    return items;
  };
  const sorts = ['created_at', 'priority', 'status', 'updated_at', 'name'].flatMap((key) => [
    `sort_by=${key}`,
    `sort_by=${key}&sort_dir=desc`,
  ]);
  const before = await Promise.all(sorts.map(pages));
  for (const items of before)
    t.same(items.map((job) => job.id).sort(), kept.toSorted(), 'each job is on one page');

  await service.daemon.kill('SIGKILL');
  service = await startService(options);
  t.same(await Promise.all(sorts.map(pages)), before, 'the lists are unchanged after a restart');
});
