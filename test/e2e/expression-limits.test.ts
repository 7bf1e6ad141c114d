import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tap, { test } from 'tap';
import type { FarmClient, TaskView } from '../kit/api-client.ts';
import { freePort, startService, startWorker, type Daemon } from '../kit/daemons.ts';
import { slowTemplate } from '../kit/slow-template.ts';
import { until } from '../kit/until.ts';

tap.setTimeout(240_000);

const TIGHTER = "the worker's advertised expression limits are tighter than the server's";

const template = (extensions: readonly string[]): object => ({
  specificationVersion: 'jobtemplate-2023-09',
  name: 'limits',
  ...(extensions.length > 0 && { extensions }),
  steps: [
    {
      name: 'Work',
      hostRequirements: { amounts: [{ name: 'amount.worker.vcpu', min: 1 }] },
      script: { actions: { onRun: { command: 'true' } } },
    },
  ],
});

const folder = await mkdtemp(join(tmpdir(), 'callsheet-expression-limits-'));
const place = { folder, httpPort: await freePort(), busPort: await freePort() };

test('a submission that exceeds its evaluation deadline gets 503, and the service continues', async (t) => {
  const service = await startService({ ...place, flags: ['--openjd-expr-submission-deadline=1ms'] });
  t.teardown(() => service.daemon.kill('SIGTERM'));
  const farm = await service.api.makeFarm('show');
  for (const dryRun of ['false', 'true']) {
    const answer = await farm.submit(slowTemplate(), { dry_run: dryRun });
    t.match(answer, {
      status: 503,
      body: {
        type: 'about:blank',
        title: 'Service Unavailable',
        status: 503,
        detail: 'template evaluation timed out; the template may be valid, so retry the request',
      },
    });
    t.match(answer.headers.get('content-type'), /^application\/problem\+json/);
  }
  t.equal((await service.api.call('GET', '/readyz')).status, 200);
});

test('a worker with tighter expression limits than the server', async (t) => {
  const service = await startService({
    ...place,
    flags: ['--openjd-expr-memory-limit=2000000', '--scheduler-unschedulable-grace=1s'],
  });
  const workers: Daemon[] = [];
  t.teardown(async () => {
    for (const worker of workers) await worker.kill('SIGTERM');
    await service.daemon.kill('SIGTERM');
    if (t.passing()) await rm(folder, { recursive: true, force: true });
    else t.comment(service.daemon.log().slice(-4000));
  });
  const { api } = service;
  const farm = await api.makeFarm('limits');
  workers.push(
    startWorker(service, 'tight', [
      '--worker-farm=limits',
      '--openjd-expr-memory-limit=500000',
      '--worker-cpus=1',
    ]),
  );

  await t.test('runs jobs without expressions', async (t) => {
    const [task] = await tasksOf(farm, template([]));
    t.ok(task);
    await until('the job has completed', async () => (await taskNow(farm, task)).status === 'succeeded');
  });

  await t.test('does not run jobs with EXPR, and explain gives the reason', async (t) => {
    const expressive = template(['EXPR']);
    const [task] = await tasksOf(farm, expressive);
    t.ok(task);
    const waiting = await until('the task is explained', async () => {
      const now = await taskNow(farm, task);
      return now.unschedulable_reason === undefined ? null : now;
    });
    t.match(waiting, { status: 'ready', unschedulable_reason: TIGHTER });
    const sentence =
      'No worker can run it: 1 worker has tighter expression limits than the server; the nearest, tight, grants an expression 500,000 bytes where the server grants 2,000,000 bytes.';
    t.match(await api.must('GET', `/api/v1/tasks/${task?.id ?? ''}/explain`), {
      summary: sentence,
      gates: [
        {
          gate: 'workers',
          reason: TIGHTER,
          sentence,
          rejected: [{ reason: TIGHTER, workers: 1 }],
          nearest_miss: {
            worker: 'tight',
            reason: TIGHTER,
            requirement: 'openjd.expr_memory_limit',
            wanted: '2,000,000 bytes',
            offered: '500,000 bytes',
          },
        },
      ],
    });
    t.match(await farm.submit(expressive, { dry_run: 'true' }), {
      status: 200,
      body: { steps: [{ workers: { online: 1, eligible: 0, reason: TIGHTER, sentence } }] },
    });

    workers.push(
      startWorker(service, 'wide', ['--worker-farm=limits'], { SVC_OPENJD_EXPR_MEMORY_LIMIT: '2000000' }),
    );
    const ran = await until('a worker with the same limits as the server runs it', async () => {
      const now = await taskNow(farm, task);
      return now.status === 'succeeded' ? now : null;
    });
    const shown = await api.must<{ items: { id: string; name: string }[] }>('GET', '/api/v1/workers');
    t.equal(shown.items.find(({ id }) => id === ran.assigned_worker_id)?.name, 'wide');
  });
});

async function tasksOf(farm: FarmClient, job: object): Promise<readonly TaskView[]> {
  const { body } = await farm.submit(job);
  return farm.api.tasks(body.id);
}

const taskNow = (farm: FarmClient, task: TaskView | undefined): Promise<TaskView> =>
  farm.api.must<TaskView>('GET', `/api/v1/tasks/${task?.id ?? ''}`);
