import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tap, { test } from 'tap';
import { openStateReader } from '../../src/adapters/lmdb/state-reader.ts';
import { freePort, startService, startWorker } from '../kit/daemons.ts';
import { until } from '../kit/until.ts';

tap.setTimeout(240_000);

const FILE_BYTES = 150_000;
/** Prints the lengths of the two files, so that a step with the files of another step would fail. */
const step = (name: string, bytes: number) => ({
  name,
  ...(name === 'Second' && { dependencies: [{ dependsOn: 'First' }] }),
  script: {
    actions: {
      onRun: { command: 'bash', args: ['-c', `test "$(cat '{{Task.File.Data}}' | wc -c)" = ${bytes}`] },
    },
    embeddedFiles: [{ name: 'Data', type: 'TEXT', data: 'x'.repeat(bytes) }],
  },
});
const TEMPLATE = JSON.stringify({
  specificationVersion: 'jobtemplate-2023-09',
  name: 'large',
  steps: [step('First', FILE_BYTES), step('Second', FILE_BYTES + 1)],
});

await test('a job with a large template completes across a crash of the service', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'callsheet-large-'));
  const options = {
    folder,
    httpPort: await freePort(),
    busPort: await freePort(),
    flags: ['--scheduler-shards=2'],
  };
  let service = await startService(options);
  const { api } = service;
  const farm = await api.makeFarm('show');
  const submitted = await farm.submit(TEMPLATE);
  t.equal(submitted.status, 201);
  const { id } = submitted.body;
  t.equal(await (await fetch(`${api.url}/api/v1/jobs/${id}/template`)).text(), TEMPLATE);
  const worker = startWorker(service, 'one', ['--worker-cpus=1']);
  t.teardown(async () => {
    await worker.kill('SIGTERM');
    await service.daemon.kill('SIGTERM');
    if (t.passing()) await rm(folder, { recursive: true, force: true });
    else t.comment(`${worker.log().slice(-4000)}\n${service.daemon.log().slice(-4000)}`);
  });
  const over = (job: string) =>
    until('the job is terminal', async () => {
      const { status } = await api.job(job);
      return ['completed', 'failed', 'canceled'].includes(status) ? status : null;
    });
  t.equal(await over(id), 'completed');

  const [last, ...others] = await Promise.all([1, 2, 3].map(() => farm.submit(TEMPLATE)));
  t.same(
    others.map(({ status }) => status),
    [201, 201],
  );
  await service.daemon.kill('SIGKILL');
  service = await startService(options);
  t.equal(await over(last?.body.id ?? ''), 'completed', 'read from the store');
  for (const other of others) t.equal(await over(other.body.id), 'completed');
  await api.must('DELETE', `/api/v1/jobs/${id}`);
  await service.daemon.kill('SIGTERM');
  const state = await openStateReader(join(folder, 'data', 'state'));
  const left = [last, ...others].map((each) => each?.body.id).sort();
  for (const table of ['plan', 'template'] as const) {
    t.strictSame(
      [...state.scan(table)].map(({ key }) => key),
      left,
      `rows of ${table} belong only to the remaining jobs`,
    );
  }
  t.strictSame([...state.scan('comingJob')], []);
  await state.close();
});
