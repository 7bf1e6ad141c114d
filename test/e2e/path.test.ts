import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tap, { test } from 'tap';
import type { Page, TaskView } from '../kit/api-client.ts';
import { freePort, startService, startWorker } from '../kit/daemons.ts';
import { until } from '../kit/until.ts';

tap.setTimeout(240_000);

/** The life of a job with real processes: service, nats-server, worker daemon and task processes. */
const TEMPLATE = `
specificationVersion: jobtemplate-2023-09
extensions: [TASK_CHUNKING]
name: "Shot {{Param.Shot}}"
parameterDefinitions:
  - { name: Shot, type: STRING, default: "010" }
  - { name: Frames, type: INT, minValue: 1, default: 3 }
  - { name: Out, type: PATH, default: /tmp/out }
jobEnvironments:
  - name: Farm
    variables: { STUDIO: "callsheet {{Param.Shot}}", SHADOWED: outer }
    script:
      actions:
        onEnter: { command: bash, args: ["-c", "echo 'openjd_env: ENTERED=yes'; echo entering farm"] }
        onExit: { command: bash, args: ["-c", "echo leaving farm"] }
steps:
  - name: Render
    parameterSpace:
      taskParameterDefinitions:
        - { name: Frame, type: INT, range: "1-{{Param.Frames}}" }
        - { name: Layer, type: STRING, range: [beauty, depth] }
    hostRequirements:
      amounts: [{ name: amount.worker.vcpu, min: 1 }]
    stepEnvironments:
      - name: Layers
        variables: { SHADOWED: inner }
    script:
      embeddedFiles:
        - name: Run
          type: TEXT
          filename: run.sh
          runnable: true
          data: |
            #!/bin/bash
            echo "frame {{Task.Param.Frame}} layer {{Task.Param.Layer}} studio $STUDIO entered $ENTERED $SHADOWED"
            echo "to {{Param.Out}}" >&2
            pwd
      actions:
        onRun: { command: "{{Task.File.Run}}" }
  - name: Assemble
    dependencies: [{ dependsOn: Render }]
    script:
      actions:
        onRun: { command: bash, args: ["-c", "echo assembled {{RawParam.Shot}}"] }
  - name: Check
    parameterSpace:
      taskParameterDefinitions:
        - name: Frames
          type: CHUNK[INT]
          range: 1-10
          chunks: { defaultTaskCount: 5, rangeConstraint: CONTIGUOUS }
    script:
      actions:
        onRun: { command: bash, args: ["-c", "echo checked {{Task.Param.Frames}}"] }
`;

const FAILING = `
specificationVersion: jobtemplate-2023-09
name: failing
steps:
  - name: Fail
    hostRequirements: { amounts: [{ name: amount.worker.vcpu, min: 1 }] }
    script: { actions: { onRun: { command: bash, args: ["-c", "echo trying; exit 3"] } } }
  - name: After
    dependencies: [{ dependsOn: Fail }]
    script: { actions: { onRun: { command: "true" } } }
`;

const SLEEPING = `
specificationVersion: jobtemplate-2023-09
name: sleeping
steps:
  - name: Sleep
    parameterSpace: { taskParameterDefinitions: [{ name: N, type: INT, range: "1-3" }] }
    hostRequirements: { amounts: [{ name: amount.worker.vcpu, min: 1 }] }
    script: { actions: { onRun: { command: sleep, args: ["600"] } } }
`;

/** The first step grows its chunks four times with each task; no worker may run the second. */
const CHUNKED = `
specificationVersion: jobtemplate-2023-09
extensions: [TASK_CHUNKING]
name: chunked
steps:
  - name: Grow
    parameterSpace:
      taskParameterDefinitions:
        - name: Frame
          type: CHUNK[INT]
          range: 1-12
          chunks: { defaultTaskCount: 1, targetRuntimeSeconds: 36000, rangeConstraint: CONTIGUOUS }
    script: { actions: { onRun: { command: bash, args: ["-c", "echo chunk {{Task.Param.Frame}}"] } } }
  - name: Wait
    dependencies: [{ dependsOn: Grow }]
    hostRequirements: { attributes: [{ name: attr.worker.tag.gpu, anyOf: [none] }] }
    parameterSpace:
      taskParameterDefinitions:
        - name: Frame
          type: CHUNK[INT]
          range: 1-12
          chunks: { defaultTaskCount: 2, targetRuntimeSeconds: 60, rangeConstraint: CONTIGUOUS }
    script: { actions: { onRun: { command: "true" } } }
`;

const isOver = (status: string): boolean => ['completed', 'failed', 'canceled'].includes(status);

await test('a submitted job runs to completion', { timeout: 240_000 }, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'callsheet-path-'));
  const service = await startService({ folder, httpPort: await freePort(), busPort: await freePort() });
  const { api } = service;
  const farm = await api.makeFarm('show');
  const worker = startWorker(service, 'one', ['--worker-cpus=2', '--worker-tags=gpu=true']);
  t.teardown(async () => {
    await worker.kill('SIGTERM');
    await service.daemon.kill('SIGTERM');
    if (t.passing()) await rm(folder, { recursive: true, force: true });
    else t.comment(`${worker.log().slice(-4000)}\n${service.daemon.log().slice(-4000)}`);
  });

  const online = await until('the worker is online', async () => {
    const { items } = await api.must<Page<Record<string, unknown>>>('GET', '/api/v1/workers');
    return items[0] ?? null;
  });
  t.match(online, {
    name: 'one',
    status: 'online',
    cpu_count: 2,
    farm_id: farm.farmId,
    tags: { gpu: 'true' },
  });

  await t.test('steps, parameters, environments, embedded files, logs', async (t) => {
    const submitted = await farm.submit(TEMPLATE, { 'param.Frames': '2', project: 'demo', priority: '60' });
    t.equal(submitted.status, 201);
    t.match(submitted.body, { name: 'Shot 010', status: 'pending', priority: 60, project: 'demo' });
    const job = await until('the job is terminal', async () => {
      const view = await api.job(submitted.body.id);
      return isOver(view.status) ? view : null;
    });
    t.equal(job.status, 'completed');
    t.match(job.task_counts, { total: 7, succeeded: 7, failed: 0 });
    const tasks = await api.tasks(job.id);
    t.same(
      tasks.map((task) => [task.status, task.parameters ?? {}]),
      [
        ['succeeded', { Frame: '1', Layer: 'beauty' }],
        ['succeeded', { Frame: '1', Layer: 'depth' }],
        ['succeeded', { Frame: '2', Layer: 'beauty' }],
        ['succeeded', { Frame: '2', Layer: 'depth' }],
        ['succeeded', {}],
        ['succeeded', { Frames: '1-5' }],
        ['succeeded', { Frames: '6-10' }],
      ],
    );
    const [first] = tasks;
    if (first === undefined) throw new Error('the job has no task');
    // Tasks of a step share sessions. Each session enters and exits its environments once, in the logs of its first and
    // last task.
    const logs = await until('every session that entered the environment has exited it', async () => {
      const texts = await Promise.all(tasks.map((task) => api.log(task.id)));
      const count = (words: string): number => texts.join('').split(words).length - 1;
      const entered = count('entering farm');
      return entered > 0 && entered < tasks.length && count('leaving farm') === entered ? texts : null;
    });
    const log = logs[0] ?? '';
    t.match(log, /^entering farm\n|\nentering farm\n/);
    t.match(log, /frame 1 layer beauty studio callsheet 010 entered yes inner/);
    t.match(log, /to \/tmp\/out/);
    const attempts = await api.attempts(first.id);
    const chunk = tasks.at(-1)?.id ?? '';
    await until('the chunk has printed its frames', async () =>
      (await api.log(chunk)).includes('checked 6-10') ? true : null,
    );
    t.match(attempts, [{ attempt_number: 1, status: 'succeeded', exit_code: 0, worker_id: online['id'] }]);
    t.equal(attempts.length, 1);
  });

  await t.test('a failed task is retried, then the task, its step and the job fail', async (t) => {
    const { body } = await farm.submit(FAILING, { max_attempts: '2', retry_delay_seconds: '0' });
    const job = await until('the job is terminal', async () => {
      const view = await api.job(body.id);
      return isOver(view.status) ? view : null;
    });
    t.equal(job.status, 'failed');
    t.equal(job.failed_attempts, 2);
    const [failed, after] = await api.tasks(job.id);
    t.match(failed, { status: 'failed', failed_attempts: 2, failure_reason: 'failed (exit 3)' });
    t.match(after, { status: 'canceled', failure_reason: 'canceled: upstream step failed' });
    const attempts = await api.attempts(failed?.id ?? '');
    t.same(
      attempts.map((attempt) => [attempt.attempt_number, attempt.status, attempt.exit_code]),
      [
        [1, 'failed', 3],
        [2, 'failed', 3],
      ],
    );
  });

  await t.test('a log tail ends with the task, and a cancel ends the process', async (t) => {
    const { body } = await farm.submit(SLEEPING);
    const running = await until('two tasks run', async () => {
      const tasks = await api.tasks(body.id);
      return tasks.filter((task) => task.status === 'running').length === 2 ? tasks : null;
    });
    t.equal(running.filter((task) => task.status === 'ready').length, 1);
    const [first] = running;
    const tail = fetch(`${api.url}/api/v1/tasks/${first?.id ?? ''}/logs?tail=true`);
    const canceled = await api.call('POST', `/api/v1/tasks/${first?.id ?? ''}/cancel`);
    t.equal(canceled.status, 202);
    t.same(canceled.body, { task_id: first?.id, status: 'canceled' });
    const response = await tail;
    t.match(response.headers.get('content-type'), 'application/x-ndjson');
    await response.text();
    t.equal((await api.call('POST', `/api/v1/tasks/${first?.id ?? ''}/cancel`)).status, 409);
    await until('the third task uses the free core', async () => {
      const tasks = await api.tasks(body.id);
      return tasks[2]?.status === 'running' ? tasks : null;
    });
    t.equal((await api.call('POST', `/api/v1/jobs/${body.id}/cancel`)).status, 204);
    t.equal((await api.call('POST', `/api/v1/jobs/${body.id}/cancel`)).status, 204);
    const tasks = await api.tasks(body.id);
    t.same(
      tasks.map((task: TaskView) => [task.status, task.failure_reason]),
      tasks.map(() => ['canceled', 'canceled by user']),
    );
    await until('the worker is idle', async () => {
      const { body: view } = await api.call<{ current_tasks: unknown[] }>(
        'GET',
        `/api/v1/workers/${String(online['id'])}`,
      );
      return view.current_tasks.length === 0;
    });
  });

  await t.test('chunks with a target run time change their size, and say why', async (t) => {
    const submitted = await farm.submit(CHUNKED);
    const job = await until('the first step is completed', async () => {
      const view = await api.job(submitted.body.id);
      return view.steps?.[0]?.status === 'completed' ? view : null;
    });
    const tasks = await api.tasks(job.id);
    const ofGrow = tasks.filter(({ name }) => name.startsWith('Grow'));
    t.same(
      ofGrow.map((task) => [task.status, task.parameters]),
      [
        ['succeeded', { Frame: '1-1' }],
        ['succeeded', { Frame: '2-5' }],
        ['succeeded', { Frame: '6-12' }],
      ],
    );
    t.match(job.steps?.[0], {
      task_counts: { total: 3, succeeded: 3 },
      chunks: { parameter: 'Frame', size: 16, default_size: 1, target_seconds: 36_000, changes: 2 },
    });
    t.match(job.steps?.[0], {
      chunks: {
        sentence:
          /^chunks of 16 values of Frame: a value takes .+ s on average \(from .+ the target is 36000 s$/,
      },
    });
    const log = await api.must<{ items: { data: string }[] }>(
      'GET',
      `/api/v1/tasks/${ofGrow[1]?.id ?? ''}/logs`,
    );
    t.match(log.items.map(({ data }) => data).join(''), /chunk 2-5/);
    const waiting = tasks.find(({ name }) => name.startsWith('Wait'));
    t.match(await api.must('GET', `/api/v1/tasks/${waiting?.id ?? ''}/explain`), {
      chunks: 'chunks of 2 values of Frame until the first task has succeeded; the target is 60 s',
    });
    await api.must('POST', `/api/v1/jobs/${job.id}/cancel`);

    // A clone has the chunks of the template, not those that the job had at its end, and adapts by itself.
    const clone = await api.must<{ id: string }>('POST', `/api/v1/jobs/${job.id}/clone`, {});
    const again = await until('the first step of the clone is completed', async () => {
      const view = await api.job(clone.id);
      return view.steps?.[0]?.status === 'completed' ? view : null;
    });
    t.match(again.steps?.[0], { task_counts: { total: 3, succeeded: 3 }, chunks: { size: 16, changes: 2 } });
    t.match(again.steps?.[1], { task_counts: { total: 6 }, chunks: { size: 2, changes: 0 } });
    const cloned = await api.tasks(clone.id);
    t.same(
      cloned.filter(({ name }) => name.startsWith('Grow')).map(({ parameters }) => parameters),
      [{ Frame: '1-1' }, { Frame: '2-5' }, { Frame: '6-12' }],
    );
    t.same((await api.job(job.id)).steps?.[0], { ...job.steps?.[0] }, 'the job itself is as it was');
    await api.must('POST', `/api/v1/jobs/${clone.id}/cancel`);
  });

  await t.test('a job waits for its upstream job and is canceled with it', async (t) => {
    const { body: upstream } = await farm.submit(SLEEPING);
    const { body: blocked } = await farm.submit(SLEEPING, { depends_on: upstream.id });
    const { body: last } = await farm.submit(SLEEPING, { depends_on: blocked.id });
    t.equal(blocked.status, 'blocked');
    t.equal((await api.call('POST', `/api/v1/jobs/${upstream.id}/cancel`)).status, 204);
    for (const id of [blocked.id, last.id]) {
      const job = await api.job(id);
      t.equal(job.status, 'canceled');
      t.equal(job.task_counts.canceled, 3);
    }
  });
});
