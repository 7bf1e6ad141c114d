import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tap, { test } from 'tap';
import { Daemon, freePort, startService } from '../kit/daemons.ts';
import { until } from '../kit/until.ts';

tap.setTimeout(120_000);

test('a worker finds the service by mDNS and reconnects when it moves', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'callsheet-discovery-'));
  const discovery = [
    '--discovery-enabled',
    `--discovery-name=show-${process.pid}`,
    '--discovery-interfaces=127.0.0.1',
  ];
  const worker = new Daemon(
    [
      'worker',
      ...discovery,
      '--worker-name=w',
      `--worker-dir=${join(folder, 'worker')}`,
      '--worker-allow-root=true',
      '--log-format=text',
    ],
    join(folder, 'worker.log'),
  );
  await until('the worker searches', () => worker.log().includes('looking for the service by mDNS'));
  const options = {
    folder,
    httpPort: await freePort(),
    busPort: await freePort(),
    flags: [...discovery, '--scheduler-heartbeat-timeout=6s'],
    // A worker with a credential has the addresses of its bus.
    isBusAuthenticated: false,
  };
  let service = await startService(options);
  await service.api.makeFarm('show');
  t.teardown(async () => {
    await worker.kill('SIGTERM');
    await service.daemon.kill('SIGTERM');
    if (t.passing()) await rm(folder, { recursive: true, force: true });
    else t.comment(`${worker.log().slice(-4000)}\n${service.daemon.log().slice(-4000)}`);
  });
  const isOnline = async (): Promise<boolean> => {
    const { total } = await service.api.must<{ total: number }>('GET', '/api/v1/workers?status=online');
    return total === 1;
  };
  await until('the worker is online', isOnline);
  t.match(worker.log(), `found the service service="show-${process.pid}`);
  t.match(service.daemon.log(), 'workers on other machines do not find the service');

  await service.daemon.kill('SIGTERM');
  t.match(service.daemon.log(), /stopping: done[\s\S]{0,80}discovery/, 'the service is withdrawn');
  const busPort = await freePort();
  service = await startService({ ...options, busPort });
  await until(
    'the worker is online again',
    async () => worker.log().includes('following it') && (await isOnline()),
  );
  t.match(worker.log(), `bus="nats://127.0.0.1:${busPort}"`);
});

test('a worker that finds no service stops on SIGTERM', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'callsheet-discovery-'));
  const worker = new Daemon(
    [
      'worker',
      '--discovery-enabled',
      `--discovery-name=nobody-${process.pid}`,
      '--discovery-interfaces=127.0.0.1',
      `--worker-dir=${join(folder, 'worker')}`,
      '--worker-allow-root=true',
    ],
    join(folder, 'worker.log'),
  );
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  await until('the worker searches', () => worker.log().includes('looking for the service by mDNS'));
  await worker.kill('SIGTERM');
  t.same(await worker.ended, { code: 0, signal: null });
});
