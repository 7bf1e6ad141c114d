import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tap, { test } from 'tap';
import type { Page } from '../kit/api-client.ts';
import { freePort, IS_BUS_AUTHENTICATED, startService, startWorker, type Daemon } from '../kit/daemons.ts';
import { until } from '../kit/until.ts';

tap.setTimeout(240_000);

interface WorkerView {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly registered_at: string;
  readonly failed_attempts: number;
  readonly failing_jobs?: number;
  readonly disabled?: object;
  readonly current_tasks: readonly unknown[];
  readonly failures: readonly {
    readonly job_id: string;
    readonly step_id: string;
    readonly failures: number;
  }[];
}

/** A job of one step with `tasks` tasks of one core that run a shell command. */
const template = (name: string, tasks: number, line: string): object => ({
  specificationVersion: 'jobtemplate-2023-09',
  name,
  steps: [
    {
      name: 'Step',
      parameterSpace: { taskParameterDefinitions: [{ name: 'N', type: 'INT', range: `1-${tasks}` }] },
      hostRequirements: { amounts: [{ name: 'amount.worker.vcpu', min: 1 }] },
      script: { actions: { onRun: { command: 'bash', args: ['-c', line] } } },
    },
  ],
});

await test('workers are drained, resumed and deleted', { timeout: 240_000 }, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'callsheet-workers-'));
  const service = await startService({
    folder,
    httpPort: await freePort(),
    busPort: await freePort(),
    flags: ['--scheduler-heartbeat-timeout=6s'],
  });
  const { api } = service;
  const farm = await api.makeFarm('show');
  const start = (name: string): Daemon => startWorker(service, name, ['--worker-cpus=1']);
  const daemons = { one: start('one'), two: start('two') };
  t.teardown(async () => {
    for (const daemon of Object.values(daemons)) {
      if (daemon.isRunning) daemon.child.kill('SIGCONT');
      await daemon.kill('SIGTERM');
    }
    await service.daemon.kill('SIGTERM');
    if (t.passing()) await rm(folder, { recursive: true, force: true });
    else t.comment(`${daemons.one.log().slice(-4000)}\n${service.daemon.log().slice(-4000)}`);
  });

  const named = async (name: string): Promise<WorkerView | null> => {
    const { items } = await api.must<Page<WorkerView>>('GET', '/api/v1/workers');
    return items.find((worker) => worker.name === name) ?? null;
  };
  const becomes = (name: string, status: string): Promise<WorkerView> =>
    until(`worker ${name} is ${status}`, async () => {
      const worker = await named(name);
      return worker?.status === status ? worker : null;
    });
  const detail = ({ id }: { readonly id: string }): Promise<WorkerView> =>
    api.must<WorkerView>('GET', `/api/v1/workers/${id}`);
  const standing = async (action: 'disable' | 'enable', { id }: { readonly id: string }): Promise<unknown> =>
    (await api.call('POST', `/api/v1/workers/${id}/${action}`)).body;
  const deletion = async ({ id }: { readonly id: string }): Promise<number> =>
    (await api.call('DELETE', `/api/v1/workers/${id}`)).status;
  const submit = async (job: object, query: Readonly<Record<string, string>> = {}): Promise<string> => {
    const { status, body } = await farm.submit(job, query);
    if (status !== 201) throw new Error(`the job was rejected: ${JSON.stringify(body)}`);
    return body.id;
  };
  const over = (id: string, status: string): Promise<unknown> =>
    until(`job ${id} is ${status}`, async () => (await api.job(id)).status === status);
  /** Returns the workers of all attempts of a job, in task order. */
  const workersOf = async (id: string): Promise<(string | undefined)[]> => {
    const tasks = await api.tasks(id);
    const attempts = await Promise.all(tasks.map((task) => api.attempts(task.id)));
    return attempts.flat().map((attempt) => attempt.worker_id);
  };

  const one = await becomes('one', 'online');
  const two = await becomes('two', 'online');

  await t.test('disable drains and stops; enable resumes', async (t) => {
    const gate = join(folder, 'gate');
    const job = await submit(template('gated', 5, `until [ -e ${gate} ]; do sleep 0.05; done`));
    await until('both workers run a task', async () => (await api.job(job)).task_counts.running === 2);
    t.same(await standing('disable', one), { id: one.id, status: 'disabled' });
    t.same(await standing('disable', one), { id: one.id, status: 'disabled' }, 'again');
    t.equal((await detail(one)).current_tasks.length, 1, 'the disabled worker keeps its task');
    await writeFile(gate, '');
    await over(job, 'completed');
    const workers = await workersOf(job);
    t.equal(workers.length, 5, 'no attempt was lost');
    t.equal(workers.filter((worker) => worker === one.id).length, 1, 'it finished its task');
    t.equal(workers.filter((worker) => worker === two.id).length, 4, 'the other worker ran the rest');

    t.same(await standing('disable', two), { id: two.id, status: 'disabled' });
    const waiting = await submit(template('waiting', 2, 'true'));
    t.match((await api.job(waiting)).task_counts, { ready: 2 });
    t.same(await standing('enable', one), { id: one.id, status: 'online' });
    await over(waiting, 'completed');
    t.same(await workersOf(waiting), [one.id, one.id]);
  });

  await t.test('failures are counted for the worker that reported them', async (t) => {
    const job = await submit(template('failing', 1, 'exit 3'), {
      max_attempts: '2',
      retry_delay_seconds: '0',
    });
    await over(job, 'failed');
    const worker = await detail(one);
    t.equal(worker.failed_attempts, 2);
    t.match(worker.failures, [{ job_id: job, step_id: `${job}-0`, failures: 2 }]);
    t.equal((await detail(two)).failed_attempts, 0);
    t.equal(worker.failing_jobs, undefined, 'one job only');
    for (const name of ['failing 2', 'failing 3'])
      await over(await submit(template(name, 1, 'exit 3'), { max_attempts: '1' }), 'failed');
    t.equal((await detail(one)).failing_jobs, 3, 'three different jobs');
  });

  await t.test('a disabled worker stays disabled after a restart', async (t) => {
    await daemons.two.kill('SIGTERM');
    daemons.two = start('two');
    await until('both starts have registered', () => {
      return daemons.two.log().split('registered with the service').length === 3;
    });
    t.equal((await detail(two)).status, 'disabled');
    t.same(await standing('enable', two), { id: two.id, status: 'online' });
  });

  await t.test(
    'a worker that is disabled at once gives its task to another, without an attempt',
    async (t) => {
      await standing('disable', two);
      const gate = join(folder, 'moved');
      const job = await submit(template('moved', 1, `until [ -e ${gate} ]; do sleep 0.05; done`), {
        max_attempts: '1',
      });
      await until('it runs on one', async () => (await api.job(job)).task_counts.running === 1);
      await standing('enable', two);
      const body = { mode: 'now', reason: 'broken fan' };
      t.match(await api.must('POST', `/api/v1/workers/${one.id}/disable`, body), { status: 'disabled' });
      t.match(await detail(one), { disabled: { by: 'anonymous', ...body, at: String } });
      await until('it runs on two', async () => (await detail(two)).current_tasks.length === 1);
      await writeFile(gate, '');
      await over(job, 'completed');
      const [task] = await api.tasks(job);
      t.match(await api.attempts(task?.id ?? ''), [
        { worker_id: one.id, status: 'canceled', message: 'the worker was disabled by a user' },
        { worker_id: two.id, status: 'succeeded' },
      ]);
      await standing('enable', one);
      t.equal((await detail(one)).disabled, undefined);
    },
  );

  await t.test('an online worker cannot be deleted, a stopped one can', async (t) => {
    t.equal(await deletion(one), 409);
    await standing('disable', one);
    t.equal(await deletion(one), 409, 'not even when it is disabled');
    await standing('enable', one);
    await daemons.one.kill('SIGTERM');
    t.equal((await detail(one)).status, 'offline');
    t.equal(await deletion(one), 204);
    t.equal((await api.call('GET', `/api/v1/workers/${one.id}`)).status, 404);
    t.equal(await deletion(one), 404);
    t.same(await named('one'), null);
  });

  await t.test('a deleted worker registers as new at its next contact', async (t) => {
    daemons.two.child.kill('SIGSTOP');
    const silent = await becomes('two', 'offline');
    t.equal(await deletion(silent), 204);
    daemons.two.child.kill('SIGCONT');
    if (IS_BUS_AUTHENTICATED) {
      await until('the bus refuses the credential of the deleted worker', () =>
        daemons.two.log().includes('the bus refuses the credential of this worker'),
      );
      t.equal(await named('two'), null);
      return;
    }
    const anew = await becomes('two', 'online');
    t.ok(anew.registered_at > silent.registered_at);
    const job = await submit(template('after all', 1, 'true'));
    await over(job, 'completed');
    t.same(await workersOf(job), [anew.id]);
  });
});
