import { chmod, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tap, { test } from 'tap';
import { KNOWN_APPLICATIONS } from '../../src/core/applications/known-applications.ts';
import { freePort, startService, startWorker } from '../kit/daemons.ts';
import { until } from '../kit/until.ts';

tap.setTimeout(240_000);

/** Workers with different machine capabilities, and simulated workers, with the real service and bus. */
interface Worker {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly cpu_count: number;
  readonly gpu_count: number;
  readonly gpu_memory_mib: number;
  readonly gpu_models: readonly string[];
  readonly scratch_mib: number;
  readonly os_version: string;
  readonly tags: Readonly<Record<string, string>>;
}

interface Explanation {
  readonly summary: string;
  readonly gates: readonly { readonly gate: string; readonly reason: string; readonly sentence: string }[];
}

const template = (name: string, requirements: string, tasks = 1): string => `
specificationVersion: jobtemplate-2023-09
name: ${name}
steps:
  - name: Work
    parameterSpace: { taskParameterDefinitions: [{ name: N, type: INT, range: "1-${tasks}" }] }
    hostRequirements: ${requirements}
    script: { actions: { onRun: { command: "true" } } }
`;

/** An application that workers detect by its program alone: no directory of this machine can have it. */
const TAG = 'arnold';
const PROGRAM = 'kick';

const amount = (name: string, min: number): string =>
  `{ amounts: [{ name: amount.worker.vcpu, min: 1 }, { name: ${name}, min: ${min} }] }`;
const tag = (name: string): string =>
  `{ amounts: [{ name: amount.worker.vcpu, min: 1 }], attributes: [{ name: attr.worker.tag.${name}, anyOf: ["true"] }] }`;

async function program(path: string, text: string): Promise<void> {
  await writeFile(path, `#!/bin/sh\n${text}\n`);
  await chmod(path, 0o755);
}

/** Links the programs of this machine into a folder, without those by which a worker detects applications and GPUs. */
async function linkSystemPrograms(folder: string): Promise<void> {
  const names = new Set([...KNOWN_APPLICATIONS.flatMap(({ programs }) => programs), 'nvidia-smi']);
  await mkdir(folder);
  for (const directory of ['/usr/bin', '/bin'])
    for (const name of await readdir(directory)) {
      if (names.has(name)) continue;
      names.add(name);
      await symlink(join(directory, name), join(folder, name));
    }
}

await test('steps run on workers with the required capabilities', { timeout: 240_000 }, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'callsheet-capabilities-'));
  const service = await startService({ folder, httpPort: await freePort(), busPort: await freePort() });
  const { api } = service;
  const farm = await api.makeFarm('show');
  t.teardown(async () => {
    await service.daemon.kill('SIGTERM');
    if (t.passing()) await rm(folder, { recursive: true, force: true });
    else t.comment(service.daemon.log().slice(-4000));
  });
  // The applications of this machine must not count: workers find its other programs only, and those of their own folder.
  const system = join(folder, 'system');
  await linkSystemPrograms(system);
  const bin = join(folder, 'bin');
  await mkdir(bin);
  await program(join(bin, 'nvidia-smi'), 'printf "24564, NVIDIA RTX A5000\\n16376, NVIDIA RTX A4000\\n"');

  const workers = async (): Promise<readonly Worker[]> =>
    (await api.must<{ items: readonly Worker[] }>('GET', '/api/v1/workers?limit=200')).items;
  const online = (name: string): Promise<Worker> =>
    until(`${name} is online`, async () => {
      const worker = (await workers()).find((each) => each.name === name);
      return worker?.status === 'online' ? worker : null;
    });
  const submit = async (text: string, query: Readonly<Record<string, string>> = {}): Promise<string> => {
    const { status, body } = await farm.submit(text, query);
    t.equal(status, 201);
    return body.id;
  };
  const succeeded = (job: string): Promise<readonly (string | undefined)[]> =>
    until(`job ${job} has ended`, async () => {
      const tasks = await api.tasks(job);
      if (!tasks.every((task) => task.status === 'succeeded')) return null;
      return tasks.map((task) => (task as { assigned_worker_id?: string }).assigned_worker_id);
    });
  const explained = async (job: string): Promise<Explanation> => {
    const [task] = await api.tasks(job);
    return until('no worker is eligible for the task', async () => {
      const found = await api.must<Explanation>('GET', `/api/v1/tasks/${task?.id ?? ''}/explain`);
      return found.gates.some(({ gate }) => gate === 'workers') ? found : null;
    });
  };

  const plain = startWorker(service, 'plain', ['--worker-cpus=2', '--worker-gpus=0'], { PATH: system });
  t.teardown(() => plain.kill());
  const plainId = (await online('plain')).id;
  const wants = await submit(template('wants a gpu', amount('amount.worker.gpu', 1)));

  await t.test(
    'a step that requires a GPU waits while no worker has one, and explain names the reason',
    async (t) => {
      const { summary } = await explained(wants);
      t.equal(
        summary,
        'No worker can run it: 1 worker fails amount.worker.gpu; the nearest, plain, has 0 where at least 1 is wanted.',
      );
    },
  );

  const station = startWorker(service, 'station', ['--worker-cpus=2', '--worker-tags=docker=false'], {
    PATH: `${bin}:${system}`,
  });
  t.teardown(() => station.kill());
  const { id: stationId, ...shown } = await online('station');

  await t.test('a worker reports its capabilities', async (t) => {
    t.match(shown, {
      cpu_count: 2,
      gpu_count: 2,
      gpu_memory_mib: 16_376,
      gpu_models: ['NVIDIA RTX A5000', 'NVIDIA RTX A4000'],
      tags: { docker: 'false' },
    });
    t.ok(shown.scratch_mib > 0);
    t.match(shown.os_version, /^[A-Za-z_][A-Za-z0-9_-]*$/);
    t.notOk(TAG in shown.tags);
  });

  await t.test('steps run on workers with the required amounts', async (t) => {
    t.strictSame(await succeeded(wants), [stationId]);
    for (const needs of [amount('amount.worker.gpu.memory', 16_376), amount('amount.worker.gpu', 2)]) {
      t.strictSame(await succeeded(await submit(template('what one has', needs))), [stationId]);
    }
    const none =
      '{ amounts: [{ name: amount.worker.vcpu, min: 1 }, { name: amount.worker.gpu, min: 0, max: 1 }] }';
    t.strictSame(await succeeded(await submit(template('no more than one', none))), [plainId]);
    const scratch = amount('amount.worker.disk.scratch', 1);
    t.match(await succeeded(await submit(template('scratch', scratch))), [String]);
    const version = `{ amounts: [{ name: amount.worker.vcpu, min: 1 }], attributes: [{ name: attr.worker.os.version, anyOf: [${shown.os_version}] }] }`;
    t.match(await succeeded(await submit(template('version', version))), [String]);
    const tooMuch = await explained(
      await submit(template('too much', amount('amount.worker.gpu.memory', 16_377))),
    );
    t.match(tooMuch.summary, /2 workers fail amount\.worker\.gpu\.memory; the nearest, station, has 16,376 /);
  });

  await t.test('SIGHUP detects a newly installed application while tasks continue', async (t) => {
    const waiting = await submit(template('renders', tag(TAG)));
    t.match((await explained(waiting)).summary, new RegExp(`2 workers fail attr\\.worker\\.tag\\.${TAG}`));
    await program(join(bin, PROGRAM), 'exit 0');
    station.child.kill('SIGHUP');
    t.strictSame(await succeeded(waiting), [stationId]);
    t.equal((await online('station')).tags[TAG], 'true');
    t.ok(station.isRunning);
  });

  await t.test('simulated workers lease tasks, run them, report their ends and deregister', async (t) => {
    await Promise.all([plain.kill('SIGTERM'), station.kill('SIGTERM')]);
    const sizing = startWorker(service, 'sim', [
      '--worker-cpus=1',
      '--worker-tags=kind=simulated',
      '--simulate=30',
      '--task-seconds=0.2',
      '--fail-percent=30',
      '--task-log-lines=3',
    ]);
    t.teardown(() => sizing.kill());
    const job = await submit(template('many', amount('amount.worker.memory', 1), 300), { max_attempts: '1' });
    await until('the job has ended', async () => {
      const { task_counts: counts } = await api.job(job);
      return counts.total === counts.succeeded + counts.failed;
    });
    const tasks = await api.tasks(job);
    t.equal(tasks.length, 300);
    const failed = tasks.filter((task) => task.status === 'failed').length;
    const byName = new Map((await workers()).map((worker) => [worker.name, worker]));
    for (let each = 1; each <= 30; each++) {
      const worker = byName.get(`sim-${String(each).padStart(4, '0')}`);
      t.match(worker, { status: 'online', cpu_count: 1, tags: { kind: 'simulated' } });
    }
    const [done] = tasks.filter((task) => task.status === 'succeeded');
    const logs = await api.must<{ items: readonly { data: string }[] }>(
      'GET',
      `/api/v1/tasks/${done?.id ?? ''}/logs`,
    );
    t.equal(
      logs.items.map(({ data }) => data).join(''),
      'simulated line 3\nsimulated line 2\nsimulated line 1\n',
    );
    await sizing.kill('SIGTERM');
    t.same(await sizing.ended, { code: 0, signal: null });
    const tally = /left workers=30 registered=30 succeeded=(\d+) failed=(\d+)/.exec(sizing.log());
    t.strictSame(
      [Number(tally?.[1]), Number(tally?.[2])],
      [300 - failed, failed],
      'the counts of the workers equal the counts of the service',
    );
    t.ok(failed > 40 && failed < 140, `${failed} of 300 tasks failed, expected 30 percent`);
    const left = (await workers()).filter(({ name }) => name.startsWith('sim-'));
    t.strictSame([...new Set(left.map(({ status }) => status))], ['offline']);
  });
});
