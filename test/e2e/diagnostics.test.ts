import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tap, { test } from 'tap';
import { freePort, startService, startWorker, type Daemon } from '../kit/daemons.ts';
import { until } from '../kit/until.ts';
import { accessOfWorker } from '../kit/worker-access.ts';

tap.setTimeout(120_000);

interface DiagnosticView {
  readonly ts: string;
  readonly component: string;
  readonly level: string;
  readonly msg: string;
  readonly attrs?: Readonly<Record<string, string>>;
}

await test('the service returns the log records of all daemons', { timeout: 120_000 }, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'callsheet-diagnostics-'));
  const ports = { httpPort: await freePort(), busPort: await freePort() };
  const service = await startService({ folder, ...ports });
  const { api } = service;
  const show = await api.makeFarm('show');
  const daemons: Daemon[] = [startWorker(service, 'one')];
  t.teardown(async () => {
    for (const daemon of daemons) await daemon.kill('SIGTERM');
    await service.daemon.kill('SIGTERM');
    if (t.passing()) await rm(folder, { recursive: true, force: true });
    else t.comment(service.daemon.log().slice(-4000));
  });
  const logs = async (query = ''): Promise<readonly DiagnosticView[]> =>
    (await api.must<{ records: DiagnosticView[] }>('GET', `/api/v1/diagnostics/logs${query}`)).records;
  const onlineWorker = (name: string): Promise<string> =>
    until(`worker ${name} is online`, async () => {
      const { items } = await api.must<{ items: { id: string; name: string; status: string }[] }>(
        'GET',
        '/api/v1/workers',
      );
      return items.find((each) => each.name === name && each.status === 'online')?.id ?? null;
    });

  const worker = await onlineWorker('one');
  const component = `worker:${worker}`;
  const registered = await until('the worker has sent the record of its registration', async () => {
    const records = await logs(`?component=${component}`);
    return records.find(({ msg }) => msg === 'registered with the service') ?? null;
  });
  t.match(registered, { component, level: 'INFO', attrs: { worker_id: worker } });
  t.match(registered.ts, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z$/);
  const own = await logs('?component=server&level=INFO');
  t.ok(own.some(({ msg }) => msg === 'bus: ready'));
  t.ok(own.every((record) => record.component === 'server'));
  const later = await logs(`?component=${component}&since=${registered.ts}`);
  t.ok(later.every(({ ts }) => ts > registered.ts));

  const { body: job } = await show.submit(
    {
      specificationVersion: 'jobtemplate-2023-09',
      name: 'failing',
      steps: [{ name: 'Fail', script: { actions: { onRun: { command: 'false' } } } }],
    },
    { max_attempts: '1' },
  );
  const [task] = await api.tasks(job.id);
  const failure = await until('the failure of a task is found by the id of the task', async () => {
    const records = await logs(`?component=server&task_id=${task?.id}`);
    return records.find(({ msg }) => msg === 'task failed') ?? null;
  });
  t.match(failure.attrs, {
    task_id: task?.id,
    job_id: job.id,
    attempt_id: `${task?.id}-1`,
    worker_id: worker,
  });
  t.match(failure.attrs?.['reason'] ?? '', /exit/);

  const nc = await accessOfWorker(service, 'one').connect(ports.busPort);
  const record = { v: 1, worker_id: worker, at: '2126-01-01T00:00:00Z', level: 'ERROR', attrs: {} };
  nc.publish(`worker.diag.${worker}`, 'nonsense');
  nc.publish('worker.diag.server', JSON.stringify({ ...record, msg: 'a record of an unknown worker' }));
  nc.publish('worker.diag.no.such.subject', 'x');
  for (let each = 0; each < 5000; each++)
    nc.publish(`worker.diag.${worker}`, JSON.stringify({ ...record, msg: `flood ${each}` }));
  await nc.flush();
  await nc.close();
  const flood = await until('the flood has arrived', async () => {
    const records = await logs(`?component=${component}&level=ERROR`);
    return records.length > 0 ? records : null;
  });
  t.ok(flood.length <= 1000);
  t.ok(
    flood.every(({ ts }) => ts < '2126'),
    'no record is in the future',
  );
  daemons.push(startWorker(service, 'two'));
  const second = await onlineWorker('two');
  await until(
    'a record of another worker arrives',
    async () => (await logs(`?component=worker:${second}`)).length > 0,
  );
  await until('the service reports the dropped records', async () => {
    const records = await logs('?component=server&level=WARN');
    return records.some(({ msg }) => msg === 'diagnostic records of workers were dropped');
  });
  t.ok((await logs('?component=server')).length > 0, 'records of the server are never evicted');
  daemons.push(startWorker(service, 'silent', ['--diagnostics-enabled=false']));
  const silent = await onlineWorker('silent');
  t.same(await logs(`?component=worker:${silent}`), []);
});

await test('diagnostics are off without a buffer', { timeout: 60_000 }, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'callsheet-diagnostics-'));
  const service = await startService({
    folder,
    httpPort: await freePort(),
    busPort: await freePort(),
    flags: ['--diagnostics-buffer-size=0'],
  });
  t.teardown(async () => {
    await service.daemon.kill('SIGTERM');
    await rm(folder, { recursive: true, force: true });
  });
  t.equal((await service.api.call('GET', '/api/v1/diagnostics/logs')).status, 503);
});
