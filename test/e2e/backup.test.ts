import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import tap, { test } from 'tap';
import { packageRoot } from '../../src/adapters/system/package-root.ts';
import { runCallsheet } from '../cli/run-callsheet.ts';
import type { ApiClient } from '../kit/api-client.ts';
import { lockDirectory } from '../../src/adapters/system/disk-lock.ts';
import { type Daemon, freePort, startService, startWorker } from '../kit/daemons.ts';
import { until } from '../kit/until.ts';

tap.setTimeout(180_000);

const TASKS = 40;

const template = (name: string, tasks: number, line: string): object => ({
  specificationVersion: 'jobtemplate-2023-09',
  name,
  steps: [
    {
      name: 'Step',
      parameterSpace: { taskParameterDefinitions: [{ name: 'N', type: 'INT', range: `1-${tasks}` }] },
      script: { actions: { onRun: { command: 'bash', args: ['-c', line] } } },
    },
  ],
});

const succeeded = async (api: ApiClient, job: string): Promise<number> =>
  (await api.job(job)).task_counts.succeeded;

/** Returns the highest bus_seq in the logs of a job's tasks. */
async function highestBusSequence(api: ApiClient, job: string): Promise<number> {
  let highest = 0;
  for (const { id } of await api.tasks(job)) {
    const { after_bus_seq: last } = await api.must<{ after_bus_seq: number }>(
      'GET',
      `/api/v1/tasks/${id}/logs`,
    );
    highest = Math.max(highest, last);
  }
  return highest;
}

interface Details {
  readonly details: {
    readonly store: { readonly logs: { readonly free_pages: number; readonly used_pages: number } };
  };
}

/** Starts backups until one is ended by `signal` while it runs. Returns its exit status or the signal. */
async function endOfCutBackup(file: string, data: string, signal: NodeJS.Signals): Promise<unknown> {
  for (;;) {
    const end = await endOfSignalledBackup(file, data, signal);
    if (end !== 0) return end;
    // The backup ended before the signal arrived.
    rmSync(file);
  }
}

async function endOfSignalledBackup(file: string, data: string, signal: NodeJS.Signals): Promise<unknown> {
  const command = fileURLToPath(new URL('bin/callsheet.js', packageRoot));
  const cut = spawn(process.execPath, [command, 'backup', file, `--data-dir=${data}`]);
  const ended = once(cut, 'exit');
  while (!existsSync(`${file}.partial.d`) && cut.exitCode === null)
    await new Promise((resolve) => setImmediate(resolve));
  cut.kill(signal);
  const [code, by] = (await ended) as [number | null, NodeJS.Signals | null];
  return code ?? by;
}

test(
  'a backup of a running farm is restored, the farm continues, and its files shrink',
  { timeout: 180_000 },
  async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'callsheet-backup-'));
    const flags = ['--scheduler-heartbeat-timeout=2s'];
    const ports = { httpPort: await freePort(), busPort: await freePort() };
    // Always with authentication, so that the worker must recognize the bus of the restored service.
    const service = await startService({ folder, ...ports, flags, isBusAuthenticated: true });
    const data = join(folder, 'data');
    const worker = startWorker(service, 'one', ['--worker-cpus=2']);
    const started: Daemon[] = [service.daemon];
    t.teardown(async () => {
      await worker.kill('SIGTERM');
      for (const daemon of started) await daemon.kill('SIGTERM');
      if (t.passing()) await rm(folder, { recursive: true, force: true });
      else t.comment(`${worker.log().slice(-3000)}\n${started.at(-1)?.log().slice(-6000)}`);
    });
    const { api } = service;
    const beganAt = new Date().toISOString();
    const farm = await api.makeFarm('show');
    // Environments of queues and past attempts by worker are in the backup too.
    const environment = JSON.stringify({
      specificationVersion: 'environment-2023-09',
      environment: { name: 'Rez', variables: { REZ: 'maya' } },
    });
    const environments = `/api/v1/queues/${farm.queueId}/environments`;
    await api.must('POST', environments, { template: environment, format: 'json' });
    const { id: job } = (
      await farm.submit(template('frames', TASKS, 'echo frame {{Task.Param.N}}; sleep 0.2'))
    ).body;
    await until('some tasks have succeeded', async () => (await succeeded(api, job)) >= 4);

    // A backup that is killed leaves no archive, and the next backup removes its temporary files.
    const file = join(folder, 'b.tar');
    t.equal(await endOfCutBackup(file, data, 'SIGKILL'), 'SIGKILL');
    t.equal(existsSync(file), false);
    const other = join(folder, 'stopped.tar');
    t.equal(await endOfCutBackup(other, data, 'SIGTERM'), 143);
    // The service deletes the copy that it made for this backup a moment later.
    await until('a stopped backup has removed its temporary files', () =>
      Promise.resolve(!readdirSync(folder).some((name) => name.startsWith('stopped.tar'))),
    );

    const before = await succeeded(api, job);
    const savedAt = new Date().toISOString();
    const made = await runCallsheet(['backup', file, `--data-dir=${data}`]);
    t.match(made, { code: 0, err: '' });
    t.strictSame(
      readdirSync(folder).filter((name) => name.startsWith('b.tar')),
      ['b.tar'],
    );
    t.equal(statSync(file).mode & 0o777, 0o600);
    t.ok(before < TASKS, 'the farm has assigned work');
    t.match(await runCallsheet(['backup', file, `--data-dir=${data}`]), {
      code: 5,
      err: `${file} already exists; --force replaces it\n`,
    });
    await until('the farm continues', async () => (await succeeded(api, job)) > before + 2);
    const highest = await highestBusSequence(api, job);

    t.match(await runCallsheet(['restore', file, `--data-dir=${data}`]), {
      code: 5,
      err: /in use by another service/,
    });
    t.match(await runCallsheet(['compact', `--data-dir=${data}`]), {
      code: 1,
      err: /in use by another service/,
    });
    await service.daemon.kill('SIGTERM');
    t.match(await runCallsheet(['restore', file, `--data-dir=${data}`]), { code: 5, err: /is not empty/ });
    t.match(
      await runCallsheet(['backup', other, `--data-dir=${data}`]),
      { code: 0, err: '' },
      'without a service',
    );
    const held = lockDirectory(join(data, 'logs'));
    t.match(await runCallsheet(['backup', other, '--force', `--data-dir=${data}`]), {
      code: 6,
      err: /is in use and no server answers there/,
    });
    held.release();

    const second = join(folder, 'second');
    const damaged = join(folder, 'damaged.tar');
    const bytes = readFileSync(file);
    const middle = Math.floor(bytes.length / 2);
    bytes[middle] = (bytes[middle] ?? 0) ^ 1;
    writeFileSync(damaged, bytes);
    t.match(await runCallsheet(['restore', damaged, `--data-dir=${join(second, 'data')}`]), {
      code: 1,
      err: /^\S+damaged.tar is not restored: the checksum of \S+ does not match: it was altered\n$/,
    });
    t.strictSame(readdirSync(join(second, 'data')), ['restore.lock'], 'the temporary files are deleted');

    // After an interrupted restore no service starts on the directory, and the next restore starts from scratch.
    mkdirSync(join(second, 'data/restore.partial'));
    writeFileSync(join(second, 'data/restore.partial/found-empty'), '');
    mkdirSync(join(second, 'data/state'));
    writeFileSync(join(second, 'data/state/data.mdb'), 'half');
    const refused = await runCallsheet(['server', `--data-dir=${join(second, 'data')}`]);
    t.match(refused, { code: 1, err: /a restore into \S+ was interrupted; run callsheet restore again/ });
    t.match(await runCallsheet(['restore', file, `--data-dir=${join(second, 'data')}`]), {
      code: 0,
      err: '',
    });
    t.strictSame(readdirSync(join(second, 'data')).sort(), [
      'bus',
      'logs',
      'restore.lock',
      'restored.json',
      'state',
    ]);

    for (const name of ['bus/keys.json', 'bus/tls/ca.key', 'bus/tls/ca.pem']) {
      const key = join(second, 'data', name);
      t.equal(readFileSync(key, 'utf8'), readFileSync(join(data, name), 'utf8'), name);
      t.equal(statSync(key).mode & 0o777, 0o600);
    }
    t.equal(statSync(join(second, 'data/bus')).mode & 0o777, 0o700);

    const restored = await startService({ folder: second, ...ports, flags, isBusAuthenticated: true });
    started.push(restored.daemon);
    t.match(restored.daemon.log(), 'first start after a restore: waiting');
    t.equal(existsSync(join(second, 'data/restored.json')), false);
    await until('the job is completed', async () => (await restored.api.job(job)).status === 'completed');
    t.match((await restored.api.job(job)).task_counts, { total: TASKS, succeeded: TASKS });
    t.match(await restored.api.must('GET', environments), [{ name: 'Rez', template: environment }]);
    const { items: workers } = await restored.api.must<{ items: { id: string }[] }>('GET', '/api/v1/workers');
    const ran = await restored.api.must<{ items: { task_id: string; ended_at?: string }[] }>(
      'GET',
      `/api/v1/workers/${workers[0]?.id ?? ''}/attempts?since=${encodeURIComponent(beganAt)}&limit=1000`,
    );
    t.equal(
      new Set(ran.items.map(({ task_id: task }) => task)).size,
      TASKS,
      'attempts before and after the backup',
    );
    t.ok(
      ran.items.some(({ ended_at: end }) => end !== undefined && end < savedAt),
      'an attempt that ended before the backup',
    );
    t.equal(worker.log().split('joined the service').length, 2, 'the worker continues with its credential');
    const tasks = await restored.api.tasks(job);
    for (const { id, parameters } of tasks) {
      await until(`the log of task ${parameters?.['N']}`, async () => (await restored.api.log(id)) !== '');
      const lines = (await restored.api.log(id)).trim().split('\n');
      t.strictSame(new Set(lines), new Set([`frame ${parameters?.['N']}`]));
      const { items } = await restored.api.must<{ items: { id: string }[] }>(
        'GET',
        `/api/v1/tasks/${id}/logs`,
      );
      t.equal(new Set(items.map((chunk) => chunk.id)).size, items.length, 'no chunk is stored twice');
      const attempts = await restored.api.attempts(id);
      t.ok(
        items.some((chunk) => chunk.id.startsWith(`${id}-${attempts.at(-1)?.attempt_number ?? 0}-`)),
        'the successful attempt has its log',
      );
      t.equal(attempts.at(-1)?.status, 'succeeded');
    }
    t.ok(
      (await highestBusSequence(restored.api, job)) > highest,
      'bus_seq continues above the assigned numbers',
    );

    // When a large job is deleted, its log pages become free, and the next start shrinks the file.
    const large = await restored.api.must<{ items: { id: string }[] }>('GET', '/api/v1/queues');
    t.equal(large.items.length, 1);
    const query = `farm_id=${farm.farmId}&queue_id=${farm.queueId}`;
    const flood = 'head -c 24000000 /dev/zero | tr "\\0" x | fold -w 999';
    const { id: big } = await restored.api.must<{ id: string }>(
      'POST',
      `/api/v1/jobs?${query}`,
      template('flood', 1, flood),
    );
    await until('the large job has ended', async () => (await restored.api.job(big)).status === 'completed');
    const logFile = join(second, 'data/logs/data.mdb');
    await until('its logs are stored', () => statSync(logFile).size > 20_000_000);
    await restored.api.must('DELETE', `/api/v1/jobs/${big}`);
    await until('its log pages are free', async () => {
      const { details } = await restored.api.must<Details>('GET', '/readyz');
      return details.store.logs.free_pages > 4 * details.store.logs.used_pages;
    });
    const metrics = (await restored.api.must<{ text: string }>('GET', '/metrics')).text;
    t.match(metrics, /^svc_store_pages\{store="logs",state="free"\} [1-9]\d{3,}$/m);
    await restored.daemon.kill('SIGTERM');
    const grown = statSync(logFile).size;
    t.ok(grown > 20_000_000);

    const compacted = await startService({ folder: second, ...ports, flags, isBusAuthenticated: true });
    started.push(compacted.daemon);
    t.match(compacted.daemon.log(), /the store was compacted store="logs"/);
    t.ok(statSync(logFile).size * 4 < grown, `${statSync(logFile).size} of ${grown}`);
    t.match(await compacted.api.job(job), { status: 'completed', task_counts: { succeeded: TASKS } });
    for (const { id, parameters } of tasks)
      t.match(await compacted.api.log(id), `frame ${parameters?.['N']}\n`);
  },
);
