import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tap, { test } from 'tap';
import { runCallsheet } from '../cli/run-callsheet.ts';
import { freePort, startService, startWorker } from '../kit/daemons.ts';
import { until } from '../kit/until.ts';

tap.setTimeout(120_000);

/** A job with tasks of one core that run until a file exists. */
const template = (folder: string, name: string): object => ({
  specificationVersion: 'jobtemplate-2023-09',
  name,
  steps: [
    {
      name: 'S',
      parameterSpace: { taskParameterDefinitions: [{ name: 'I', type: 'INT', range: '1-6' }] },
      hostRequirements: { amounts: [{ name: 'amount.worker.vcpu', min: 1 }] },
      script: {
        actions: { onRun: { command: 'bash', args: ['{{Task.File.Run}}'] } },
        embeddedFiles: [
          { name: 'Run', type: 'TEXT', data: `until [ -e '${folder}/done' ]; do sleep 0.05; done\n` },
        ],
      },
    },
  ],
});

await test('a farm is shared by owner: its setting, the order of tasks, and explain', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'callsheet-shares-'));
  const service = await startService({ folder, httpPort: await freePort(), busPort: await freePort() });
  const farm = await service.api.makeFarm('north');
  const cli = (...args: string[]) => runCallsheet([...args, '--url', service.api.url]);
  const worker = startWorker(service, 'one', [
    '--worker-farm=north',
    '--worker-cpus=4',
    '--worker-queues=main',
  ]);
  try {
    const set = await cli('farms', 'set', 'north', '--queue-policy', 'balanced', '--share-by', 'owner');
    t.equal(set.code, 0, set.err);
    t.match(await service.api.must('GET', `/api/v1/farms/${farm.farmId}`), {
      queue_policy: 'balanced',
      shared_by: 'owner',
      priority_first: true,
      queue_policy_version: 1,
    });
    const wrong = await cli('farms', 'set', 'north', '--share-by', 'queue');
    t.match(wrong.err, /balanced shares a farm by owner, project, job, not by queue/);
    // Both jobs are there before their queue gives out tasks.
    await cli('queues', 'pause', 'main');
    const { body: first } = await farm.submit(template(folder, 'A'), { owner: 'ana' });
    const { body: second } = await farm.submit(template(folder, 'B'), { owner: 'tomas' });
    await cli('queues', 'resume', 'main');
    const running = async (id: string): Promise<number> =>
      (await service.api.tasks(id)).filter(({ status }) => status === 'running').length;
    await until('four tasks run', async () => (await running(first.id)) + (await running(second.id)) === 4);
    t.equal(await running(first.id), 2, 'each owner has two of the four cores');
    const waiting = (await service.api.tasks(first.id)).at(-1)?.id ?? '';
    const explained = await service.api.must<{ summary: string }>('GET', `/api/v1/tasks/${waiting}/explain`);
    t.match(explained, {
      share: {
        queue_policy: 'balanced',
        shared_by: 'owner',
        sharer: 'ana',
        cores_in_use: 2,
        share_ratio: 1,
        queue_policy_version: 1,
      },
    });
    t.match((await cli('explain', waiting)).out, /owner ana has 2 cores in use, 1 times an equal share/i);
    const { items } = await service.api.must<{ items: { id: string }[] }>('GET', '/api/v1/workers');
    t.match(await service.api.must('GET', `/api/v1/workers/${items[0]?.id ?? ''}`), {
      bookings: [
        {
          assigned_because: 'owner ana came first with 0 cores in use (queue policy 1)',
          queue_policy_version: 1,
        },
        {},
        { assigned_because: /^owner tomas came first with/, queue_policy_version: 1 },
        {},
      ],
    });
    const weighted = await cli(
      'farms',
      'set',
      'north',
      '--queue-policy',
      'weighted',
      '--share-weights',
      'ana=3',
      '--usage-half-life',
      '2d',
    );
    t.equal(weighted.code, 0, weighted.err);
    t.match(await service.api.must('GET', `/api/v1/farms/${farm.farmId}`), {
      share_weights: { ana: 3 },
      usage_half_life_seconds: 172_800,
      queue_policy_version: 2,
    });
    const capped = await cli(
      'farms',
      'set',
      'north',
      '--owner-caps',
      'ana=20,*=50',
      '--project-caps',
      'film=0',
    );
    t.equal(capped.code, 0, capped.err);
    t.match(await service.api.must('GET', `/api/v1/farms/${farm.farmId}`), {
      owner_caps: { ana: 20, '*': 50 },
      project_caps: { film: 0 },
      queue_policy_version: 2,
    });
    t.equal((await cli('farms', 'set', 'north', '--owner-caps', 'ana=many')).code, 2, 'not a number');
    const uncapped = await cli('farms', 'set', 'north', '--owner-caps', 'none', '--project-caps', 'none');
    t.equal(uncapped.code, 0, uncapped.err);
    t.notMatch(await service.api.must('GET', `/api/v1/farms/${farm.farmId}`), { owner_caps: {} });
    await writeFile(join(folder, 'done'), '');
    for (const { id } of [first, second])
      await until('the job has completed', async () => (await service.api.job(id)).status === 'completed');
  } finally {
    await writeFile(join(folder, 'done'), '');
    await worker.kill('SIGTERM');
    await service.daemon.kill('SIGTERM');
    await rm(folder, { recursive: true, force: true });
  }
});
