import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tap, { test } from 'tap';
import type { TaskView } from '../kit/api-client.ts';
import { freePort, startService, startWorker } from '../kit/daemons.ts';
import { until } from '../kit/until.ts';

tap.setTimeout(240_000);

/** Explain with real processes: service, nats-server, worker daemon and task processes. */
interface Explanation {
  readonly status: string;
  readonly summary: string;
  readonly gates: readonly {
    readonly gate: string;
    readonly reason: string;
    readonly sentence: string;
    readonly until?: string;
  }[];
  readonly position?: { readonly tasks: number; readonly jobs: number };
  readonly workers?: { readonly online: number; readonly eligible: number };
  readonly attempt?: { readonly status: string };
  readonly failures: readonly { readonly worker: string; readonly failures: number }[];
}

/** Returns a job of one step, or of two steps where the second depends on the first. */
const template = (name: string, command: string, requirements: string, more = ''): string => `
specificationVersion: jobtemplate-2023-09
name: ${name}
steps:
  - name: Work
    parameterSpace: { taskParameterDefinitions: [{ name: N, type: INT, range: "1-2" }] }
    hostRequirements: ${requirements}
    script: { actions: { onRun: { command: bash, args: ["-c", "${command}"] } } }
${more}`;

const ONE_CORE = '{ amounts: [{ name: amount.worker.vcpu, min: 1 }] }';
const NO_SUCH_GPU =
  '{ amounts: [{ name: amount.worker.vcpu, min: 1 }], attributes: [{ name: attr.worker.tag.gpu, anyOf: [a5000] }] }';
const POOLED =
  '{ amounts: [{ name: amount.worker.vcpu, min: 1 }, { name: amount.worker.usagepool.houdini, min: 1 }] }';
const THEN = `  - name: Then
    dependencies: [{ dependsOn: Work }]
    hostRequirements: ${ONE_CORE}
    script: { actions: { onRun: { command: "true" } } }
`;
const SLEEPING = template('sleeping', 'sleep 600', ONE_CORE);

await test('explain gives the reason why a task waits', { timeout: 240_000 }, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'callsheet-explain-'));
  const service = await startService({ folder, httpPort: await freePort(), busPort: await freePort() });
  const { api } = service;
  const farm = await api.makeFarm('show');
  t.teardown(async () => {
    await service.daemon.kill('SIGTERM');
    if (t.passing()) await rm(folder, { recursive: true, force: true });
    else t.comment(service.daemon.log().slice(-4000));
  });
  const explain = (task: TaskView | undefined): Promise<Explanation> =>
    api.must<Explanation>('GET', `/api/v1/tasks/${task?.id ?? ''}/explain`);
  /** Polls the explanation until its summary matches: changes reach the scheduler with a short delay. */
  const explained = (
    what: string,
    task: TaskView | undefined,
    fits: (explanation: Explanation) => boolean,
  ): Promise<Explanation> =>
    until(what, async () => {
      const explanation = await explain(task);
      return fits(explanation) ? explanation : null;
    }).catch(async (error: unknown) => {
      throw new Error(`${String(error)}: ${JSON.stringify(await explain(task))}`);
    });
  const has = (gate: string) => (explanation: Explanation) =>
    explanation.gates.some((each) => each.gate === gate);
  const submit = async (text: string, query: Readonly<Record<string, string>> = {}) => {
    const { status, body } = await farm.submit(text, query);
    t.equal(status, 201);
    return { id: body.id, tasks: await api.tasks(body.id) };
  };
  const cancel = async (id: string): Promise<void> => {
    t.equal((await api.call('POST', `/api/v1/jobs/${id}/cancel`)).status, 204);
  };

  await t.test('no worker is registered', async (t) => {
    const job = await submit(SLEEPING);
    const explanation = await explained('no worker is online', job.tasks[0], has('workers'));
    t.match(explanation, {
      status: 'ready',
      summary: 'No worker is online.',
      gates: [{ gate: 'workers', reason: 'no online workers' }],
    });
    await cancel(job.id);
    t.match(await explain(job.tasks[0]), { status: 'canceled', summary: 'Canceled by a user.', gates: [] });
  });

  const worker = startWorker(service, 'render-017', ['--worker-cpus=2', '--worker-tags=gpu=a4000']);
  t.teardown(() => worker.kill('SIGTERM'));
  await until('the worker is online', async () => {
    const { total } = await api.must<{ total: number }>('GET', '/api/v1/workers?status=online');
    return total === 1;
  });

  await t.test('a requirement that no worker meets', async (t) => {
    const job = await submit(template('gpu', 'true', NO_SUCH_GPU));
    const explanation = await explained('the worker is registered', job.tasks[1], has('workers'));
    t.equal(
      explanation.summary,
      'No worker can run it: 1 worker fails attr.worker.tag.gpu; the nearest, render-017, has a4000 where a5000 is wanted.',
    );
    t.match(explanation.workers, { online: 1, eligible: 0 });
    await cancel(job.id);
  });

  await t.test('a paused job, and a step and a job that wait for dependencies', async (t) => {
    const job = await submit(template('first', 'true', NO_SUCH_GPU, THEN));
    const blocked = await submit(SLEEPING, { depends_on: job.id });
    t.equal((await api.call('PATCH', `/api/v1/jobs/${job.id}`, { action: 'pause' })).status, 200);
    const [paused] = job.tasks;
    const held = await explained(
      'the job is paused',
      paused,
      (each) => has('paused_job')(each) && has('workers')(each),
    );
    t.match(held.gates, [
      { gate: 'paused_job', reason: 'job paused' },
      { gate: 'workers', reason: 'attribute requirement not met' },
    ]);
    t.equal(
      held.summary,
      'The job is paused: no new tasks start until it is resumed; besides, no worker can run it.',
    );
    const step = await explain(job.tasks[2]);
    t.match(step, {
      status: 'pending',
      gates: [
        {
          gate: 'upstream_step',
          sentence: 'Waits for step Work: 2 of 2 tasks left, none running.',
          progress: { total: 2, left: 2, running: 0, failed: 0 },
        },
        { gate: 'paused_job' },
      ],
    });
    t.match(await explain(blocked.tasks[0]), {
      status: 'pending',
      summary: 'Waits for job first, which is paused: 3 of 3 tasks left, none running.',
      gates: [{ gate: 'upstream_job', status: 'paused' }],
    });
    await cancel(job.id);
    t.match(await explain(blocked.tasks[0]), {
      status: 'canceled',
      summary: 'Canceled because upstream job first was canceled.',
    });
  });

  await t.test('a retry delay, and failures by worker', async (t) => {
    const job = await submit(template('failing', 'exit 3', ONE_CORE), { retry_delay_seconds: '600' });
    const [task] = job.tasks;
    const explanation = await explained('the task waits for its retry', task, has('retry_after'));
    t.match(explanation, {
      status: 'ready',
      summary: /^Held back until .* more: 1 of 3 attempts has failed, the last on render-017 \(exit 3\)\.$/,
      attempt: { status: 'failed' },
    });
    const wait = Date.parse(explanation.gates[0]?.until ?? '') - Date.now();
    t.ok(wait > 0 && wait <= 600_000);
    await until('both have failed', async () => {
      const { failures } = await explain(task);
      return failures.length === 1 && failures[0]?.failures === 2;
    });
    t.match((await explain(task)).failures, [{ worker: 'render-017', failures: 2 }]);
    await cancel(job.id);
  });

  await t.test('running, next in line, and behind others', async (t) => {
    const running = await submit(SLEEPING);
    for (const task of running.tasks) {
      await explained('the task runs', task, ({ status }) => status === 'running');
    }
    t.match(await explain(running.tasks[0]), { summary: /^Running on render-017 for /, gates: [] });
    const waiting = await submit(SLEEPING);
    const next = await explained('all workers are busy', waiting.tasks[0], has('cores'));
    t.match(next, {
      summary: 'Ready, and next in line: the only eligible worker is busy.',
      position: { tasks: 0, jobs: 0 },
    });
    t.match(await explain(waiting.tasks[1]), {
      summary: 'Ready, behind 1 task of its own job: the only eligible worker is busy.',
      gates: [{ gate: 'cores' }, { gate: 'order', tasks: 1, jobs: 0 }],
      position: { tasks: 1, jobs: 0 },
    });
    await cancel(waiting.id);
    await cancel(running.id);
  });

  await t.test('a usage pool that is not registered, and one at capacity', async (t) => {
    const job = await submit(template('pooled', 'sleep 600', POOLED));
    const [first, second] = job.tasks;
    t.match(await explained('the pool is missing', first, has('usage_pool')), {
      gates: [{ gate: 'usage_pool', pool: 'houdini', registered: false, limit: 0 }],
    });
    t.equal(
      (await api.call('POST', '/api/v1/usage-pools', { name: 'houdini', max_concurrent: 1 })).status,
      201,
    );
    await explained('the first task runs', first, ({ status }) => status === 'running');
    t.match(await explained('the pool is full', second, has('usage_pool')), {
      summary: 'Usage pool houdini is at capacity: 1 of 1 slot is taken; this job (Work) holds 1.',
      gates: [
        {
          gate: 'usage_pool',
          reason: 'usage pool at capacity',
          registered: true,
          limit: 1,
          live: 1,
          holders: [{ farm: { name: 'show' }, job: { name: 'pooled' }, step: { name: 'Work' }, live: 1 }],
        },
      ],
    });
    await cancel(job.id);
  });

  await t.test('a queue at its cap, and a paused queue', async (t) => {
    const queue = (changes: object) =>
      api.must('PUT', `/api/v1/queues/${farm.queueId}`, { name: 'main', ...changes });
    await queue({ max_concurrent_tasks: 1 });
    const job = await submit(SLEEPING);
    const [first, second] = job.tasks;
    await explained('the first task runs', first, ({ status }) => status === 'running');
    t.match(await explained('the queue is at its cap', second, has('queue_cap')), {
      summary: 'Queue main is at its cap of 1 concurrent task; this job (Work) holds 1.',
    });
    await queue({ paused: true });
    t.match(await explained('the queue is paused', second, has('paused_queue')), {
      summary: 'The queue main is paused: no new tasks start until it is resumed.',
    });
    await cancel(job.id);
  });
});
