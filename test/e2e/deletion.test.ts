import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tap, { test } from 'tap';
import { openLogReader } from '../../src/adapters/lmdb/log-reader.ts';
import { openStateReader } from '../../src/adapters/lmdb/state-reader.ts';
import { parseTaskId } from '../../src/core/ids.ts';
import type { Page } from '../kit/api-client.ts';
import { freePort, startService, startWorker } from '../kit/daemons.ts';
import { rowsOfJob } from '../kit/rows-of-job.ts';
import { until } from '../kit/until.ts';

tap.setTimeout(240_000);

const template = (name: string, script: string): object => ({
  specificationVersion: 'jobtemplate-2023-09',
  name,
  steps: [
    {
      name: 'Say',
      parameterSpace: { taskParameterDefinitions: [{ name: 'N', type: 'INT', range: '1-3' }] },
      hostRequirements: { amounts: [{ name: 'amount.worker.vcpu', min: 1 }] },
      script: { actions: { onRun: { command: 'bash', args: ['-c', script] } } },
    },
  ],
});

await test('deleting a job on a running service removes all of its data', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'callsheet-deletion-'));
  // Two shards: messages for a deleted job and its purge must reach the right shard.
  const options = {
    folder,
    httpPort: await freePort(),
    busPort: await freePort(),
    flags: ['--scheduler-shards=2'],
  };
  let service = await startService(options);
  const { api } = service;
  const farm = await api.makeFarm('show');
  const worker = startWorker(service, 'one', ['--worker-cpus=2', `--worker-farm=${farm.farmId}`]);
  t.teardown(async () => {
    await worker.kill('SIGTERM');
    await service.daemon.kill('SIGTERM');
    if (t.passing()) await rm(folder, { recursive: true, force: true });
    else t.comment(`${worker.log().slice(-4000)}\n${service.daemon.log().slice(-4000)}`);
  });
  const submit = async (name: string, script: string, query: Readonly<Record<string, string>> = {}) => {
    const { status, body } = await farm.submit(template(name, script), query);
    t.equal(status, 201, name);
    return body.id;
  };
  const expectGone = async (id: string, task: string): Promise<void> => {
    for (const [method, path] of [
      ['GET', `/api/v1/jobs/${id}`],
      ['GET', `/api/v1/jobs/${id}/tasks`],
      ['GET', `/api/v1/tasks/${task}`],
      ['GET', `/api/v1/tasks/${task}/attempts`],
      ['GET', `/api/v1/tasks/${task}/logs`],
      ['POST', `/api/v1/jobs/${id}/cancel`],
      ['POST', `/api/v1/jobs/${id}/retry`],
      ['POST', `/api/v1/tasks/${task}/retry`],
      ['DELETE', `/api/v1/jobs/${id}`],
    ] as const) {
      t.equal((await api.call(method, path)).status, 404, `${method} ${path}`);
    }
    const { items } = await api.must<Page<{ id: string }>>('GET', '/api/v1/jobs');
    t.notOk(
      items.some((job) => job.id === id),
      'the job is in no list',
    );
  };

  const done = await submit('done', 'echo a line of {{Task.Param.N}}');
  await until('the job is completed', async () => (await api.job(done)).status === 'completed');
  const [first] = await api.tasks(done);
  const task = first?.id ?? '';
  await until('its log is stored', async () => (await api.log(task)).includes('a line of'));
  t.equal((await api.call('DELETE', `/api/v1/jobs/${done}`)).status, 204);
  await expectGone(done, task);

  const running = await submit('running', 'echo begun; exec sleep 600');
  const waiting = await submit('waiting', 'true', { depends_on: running });
  await until('two tasks run', async () => (await api.job(running)).task_counts.running === 2);
  const [live] = await api.tasks(running);
  await until('one has reported running', async () => (await api.log(live?.id ?? '')).includes('begun'));
  t.equal((await api.call('DELETE', `/api/v1/jobs/${running}`)).status, 204);
  await expectGone(running, live?.id ?? '');
  t.match(await api.job(waiting), { status: 'canceled' }, 'its dependent job');
  const next = await submit('next', 'true');
  await until('the worker has stopped them and is idle', async () => {
    return (await api.job(next)).status === 'completed';
  });
  const unknown = await farm.submit(template('late', 'true'), { depends_on: running });
  t.equal(unknown.status, 400, 'no job can depend on it after the deletion');

  const addresses = [task, live?.id ?? ''].map((id) => {
    const address = parseTaskId(id);
    if (address === null) throw new Error(`${id} is not a task`);
    return address;
  });
  const leftOnDisk = async (): Promise<readonly string[]> => {
    const state = await openStateReader(join(folder, 'data', 'state'));
    const logs = await openLogReader(join(folder, 'data', 'logs'));
    const rows = [done, running].flatMap((id) => rowsOfJob(state, id));
    const chunks = addresses.flatMap((address) => logs.page(address, 0, 10).map((chunk) => chunk.id));
    const totals = addresses.flatMap((address) => (logs.extent(address).bytes > 0 ? ['a total'] : []));
    await state.close();
    await logs.close();
    return [...rows, ...chunks, ...totals];
  };
  await until('no data is left on disk', async () => (await leftOnDisk()).length === 0);
  await service.daemon.kill('SIGKILL');
  service = await startService(options);
  await expectGone(done, task);
  t.strictSame(await leftOnDisk(), [], 'no data reappears after a restart');
});
