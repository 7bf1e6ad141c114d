import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tap, { test } from 'tap';
import { freePort, startService, startWorker } from '../kit/daemons.ts';
import { until } from '../kit/until.ts';

tap.setTimeout(180_000);

const template = {
  specificationVersion: 'jobtemplate-2023-09',
  name: 'Later',
  steps: [{ name: 'Step', script: { actions: { onRun: { command: 'true' } } } }],
};

const inSeconds = (seconds: number): string => new Date(Date.now() + seconds * 1_000).toISOString();

test('start times survive a killed service, and jobs start at them', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'callsheet-start-after-'));
  let service = await startService({ folder, httpPort: await freePort(), busPort: await freePort() });
  const farm = await service.api.makeFarm('show');
  const worker = startWorker(service, 'one');
  t.teardown(async () => {
    await worker.kill('SIGTERM');
    await service.daemon.kill('SIGTERM');
    if (t.passing()) await rm(folder, { recursive: true, force: true });
    else t.comment(`${worker.log().slice(-4000)}\n${service.daemon.log().slice(-4000)}`);
  });
  // One whose time comes while the service is down or starts, one a little later, one on another day.
  const times = [inSeconds(1), inSeconds(12), inSeconds(86_400)];
  const jobs: string[] = [];
  for (const time of times) jobs.push((await farm.submit(template, { start_after: time })).body.id);
  const [soon = '', later = '', tomorrow = ''] = jobs;
  await service.daemon.kill();
  await until('the first time has come', async () => Date.now() >= Date.parse(times[0] ?? ''));
  service = await startService(service);
  const { api } = service;

  const statusOf = async (id: string): Promise<string> => (await api.job(id)).status;
  const startOf = async (id: string): Promise<number> => {
    const [task] = await api.tasks(id);
    const [attempt] = await api.attempts(task?.id ?? '');
    return Date.parse(attempt?.started_at ?? '');
  };
  for (const [at, id] of [soon, later].entries()) {
    await until('the job has completed', async () => (await statusOf(id)) === 'completed');
    t.ok((await startOf(id)) >= Date.parse(times[at] ?? ''), 'no task has started before the time');
  }
  const job = `/api/v1/jobs/${tomorrow}`;
  t.match(await api.must('GET', job), { status: 'pending', start_after: times[2] });
  t.match(await api.tasks(tomorrow), [{ status: 'ready' }]);
  await api.must('PATCH', job, { start_after: null });
  await until('a job without a start time has completed', async () =>
    (await statusOf(tomorrow)) === 'completed' ? true : null,
  );
});
