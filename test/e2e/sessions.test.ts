import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tap, { test } from 'tap';
import type { Page } from '../kit/api-client.ts';
import { freePort, startService, startWorker } from '../kit/daemons.ts';
import { until } from '../kit/until.ts';
import { environmentsAround } from './sessions/environments-around.ts';

tap.setTimeout(120_000);

interface WorkerView {
  readonly name: string;
  readonly status: string;
  readonly draining?: boolean;
}

const bash = (line: string): object => ({ command: 'bash', args: ['-c', line] });

/** A job of one step with an environment. All actions append to a file. */
const withEnvironment = (name: string, tasks: number, diary: string, line: string): object => ({
  specificationVersion: 'jobtemplate-2023-09',
  name,
  steps: [
    {
      name: 'Step',
      parameterSpace: { taskParameterDefinitions: [{ name: 'N', type: 'INT', range: `1-${tasks}` }] },
      stepEnvironments: [
        {
          name: 'Scene',
          script: {
            actions: {
              // The background process of the environment runs during every task, and has ended after the session.
              onEnter: bash(`echo enter >> ${diary}; sleep 600 >/dev/null 2>&1 & echo openjd_env: SERVER=$!`),
              onExit: bash(`kill -0 $SERVER && echo exit >> ${diary}`),
            },
          },
        },
      ],
      script: { actions: { onRun: bash(line) } },
    },
  ],
});

await test('sessions of a real worker', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'callsheet-sessions-'));
  const service = await startService({ folder, httpPort: await freePort(), busPort: await freePort() });
  const { api } = service;
  const farm = await api.makeFarm('show');
  const start = (name: string, ...flags: string[]) =>
    startWorker(service, name, ['--worker-cpus=1', ...flags]);
  let worker = start('one', '--worker-keep-sessions=true');
  t.teardown(async () => {
    await worker.kill('SIGTERM');
    await service.daemon.kill('SIGTERM');
    if (t.passing()) await rm(folder, { recursive: true, force: true });
    else t.comment(`${worker.log().slice(-4000)}\n${service.daemon.log().slice(-4000)}`);
  });
  const submit = async (template: object): Promise<string> => (await farm.submit(template)).body.id;
  const diaryOf = async (path: string): Promise<string[]> =>
    (await readFile(path, 'utf8').catch(() => '')).split('\n').filter((line) => line !== '');
  const becomes = (id: string, status: string): Promise<unknown> =>
    until(`the job is ${status}`, async () => ((await api.job(id)).status === status ? true : null));
  const says = (path: string, line: string): Promise<unknown> =>
    until(`${line} is written`, async () => ((await diaryOf(path)).includes(line) ? true : null));

  await t.test('the tasks of a step share one session and the setup of its environment', async (t) => {
    const diary = join(folder, 'shared');
    const id = await submit(
      withEnvironment(
        'shared',
        3,
        diary,
        `kill -0 $SERVER && echo task {{Task.Param.N}} >> ${diary}; touch seen-{{Task.Param.N}}; ls`,
      ),
    );
    await becomes(id, 'completed');
    t.same(await diaryOf(diary), ['enter', 'task 1', 'task 2', 'task 3', 'exit']);
    const tasks = await api.tasks(id);
    t.match(await api.log(tasks[2]?.id ?? ''), /seen-1\nseen-2\nseen-3/, 'in one session directory');
    const kept = await readdir(join(folder, 'worker-one', 'sessions'));
    t.equal(kept.length, 1, 'the session directory is kept');
    const attempts = await Promise.all(tasks.map((task) => api.attempts(task.id)));
    t.same(
      attempts.map((each) => each.map(({ status }) => status)),
      [['succeeded'], ['succeeded'], ['succeeded']],
    );
  });

  await t.test('environments of the queue and of the submission surround those of the job', async (t) => {
    await environmentsAround(t, { folder, farm, becomes });
  });

  await t.test('a task that fails ends its session, and the next task gets a new one', async (t) => {
    const diary = join(folder, 'failing');
    const id = await submit(
      withEnvironment(
        'failing',
        2,
        diary,
        `echo task {{Task.Param.N}} >> ${diary}; [ {{Task.Param.N}} = 2 ]`,
      ),
    );
    await api.must('PATCH', `/api/v1/jobs/${id}`, { max_attempts: 1 });
    await becomes(id, 'failed');
    t.same(await diaryOf(diary), ['enter', 'task 1', 'exit', 'enter', 'task 2', 'exit']);
  });

  await t.test('a draining worker finishes its task and takes no other', async (t) => {
    const diary = join(folder, 'drained');
    const gate = join(folder, 'gate');
    await worker.kill('SIGTERM');
    worker = start('one', '--worker-drain-timeout=10m');
    const id = await submit(
      withEnvironment(
        'drained',
        2,
        diary,
        `echo begun >> ${diary}; until [ -e ${gate} ]; do sleep 0.05; done; echo done >> ${diary}`,
      ),
    );
    await says(diary, 'begun');
    worker.child.kill('SIGTERM');
    await until('the service shows the worker as draining', async () => {
      const { items } = await api.must<Page<WorkerView>>('GET', '/api/v1/workers');
      return items.some(({ draining, status }) => draining === true && status === 'online') ? true : null;
    });
    await writeFile(gate, '');
    t.same(await worker.ended, { code: 0, signal: null });
    t.same(await diaryOf(diary), ['enter', 'begun', 'done', 'exit']);
    t.match((await api.job(id)).task_counts, { succeeded: 1, ready: 1, assigned: 0, running: 0 });
    const { items } = await api.must<Page<WorkerView>>('GET', '/api/v1/workers');
    t.match(items, [{ name: 'one', status: 'offline', draining: undefined }]);
    await api.must('POST', `/api/v1/jobs/${id}/cancel`);
  });

  await t.test('a second signal stops the task and returns it to the service', async (t) => {
    const diary = join(folder, 'stopped');
    worker = start('two', '--worker-drain-timeout=10m');
    const id = await submit(withEnvironment('stopped', 1, diary, `echo begun >> ${diary}; sleep 600`));
    await says(diary, 'begun');
    worker.child.kill('SIGTERM');
    await until('the worker drains', () =>
      Promise.resolve(worker.log().includes('shutting down') ? true : null),
    );
    worker.child.kill('SIGTERM');
    t.same(await worker.ended, { code: 0, signal: null });
    t.match((await api.job(id)).task_counts, { ready: 1, running: 0, failed: 0 });
    const [task] = await api.tasks(id);
    t.equal(task?.failed_attempts, 0, 'no attempt is used');
    t.same(await diaryOf(diary), ['enter', 'begun']);
  });
});
