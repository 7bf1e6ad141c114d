import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tap, { test } from 'tap';
import { freePort, startService, startWorker, type Daemon } from '../kit/daemons.ts';
import { until } from '../kit/until.ts';

tap.setTimeout(120_000);

interface Entry {
  readonly id: string;
  readonly name: string;
}

interface LocationEntry extends Entry {
  readonly worker_count: number;
}

/** The shared catalogs with real processes: two shards, nats-server and a worker daemon. */
await test(
  'pools and locations are created, changed, deleted and re-created while the service runs',
  { timeout: 120_000 },
  async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'callsheet-catalog-'));
    const ports = { httpPort: await freePort(), busPort: await freePort() };
    const start = () => startService({ folder, ...ports, flags: ['--scheduler-shards=2'] });
    let service = await start();
    const workers: Daemon[] = [];
    t.teardown(async () => {
      for (const worker of workers) await worker.kill('SIGTERM');
      await service.daemon.kill('SIGTERM');
      if (t.passing()) await rm(folder, { recursive: true, force: true });
      else t.comment(service.daemon.log().slice(-4000));
    });
    const list = <Item extends Entry>(path: string): Promise<readonly Item[]> =>
      service.api.must<readonly Item[]>('GET', path);

    const pool = await service.api.must<Entry>('POST', '/api/v1/usage-pools', {
      name: 'Nuke',
      max_concurrent: 3,
      server_hint: 'license-1',
    });
    t.match(pool, { name: 'Nuke', max_concurrent: 3, server_hint: 'license-1', in_use: 0, available: 3 });
    const taken = await service.api.call('POST', '/api/v1/usage-pools', { name: 'nuke', max_concurrent: 1 });
    t.equal(taken.status, 409);
    const changed = await service.api.must<Entry>('PUT', `/api/v1/usage-pools/${pool.id}`, {
      name: 'nuke',
      max_concurrent: 2,
    });
    t.match(changed, { id: pool.id, name: 'nuke', max_concurrent: 2, available: 2 });
    t.notOk('server_hint' in changed);
    const gone = await service.api.must<Entry>('POST', '/api/v1/usage-pools', {
      name: 'maya',
      max_concurrent: 1,
    });
    t.equal((await service.api.call('DELETE', `/api/v1/usage-pools/${gone.id}`)).status, 204);
    t.equal((await service.api.call('GET', `/api/v1/usage-pools/${gone.id}`)).status, 404);

    await service.api.makeFarm('show');
    const location = await service.api.must<LocationEntry>('POST', '/api/v1/compute-locations', {
      name: 'potsdam',
    });
    t.match(location, { name: 'potsdam', worker_count: 0 });

    const storage = await service.api.must<Entry>('POST', '/api/v1/storage-locations', {
      name: 'projects',
      roots: { default: '/mnt/projects', berlin: 's3://bucket/projects' },
    });
    t.match(storage, { name: 'projects', description: '', type: 'mixed' });
    const typed = await service.api.call('PUT', `/api/v1/storage-locations/${storage.id}`, {
      name: 'projects',
      type: 'mixed',
    });
    t.equal(typed.status, 400);

    const worker = startWorker(service, 'one', ['--worker-compute-location=berlin']);
    workers.push(worker);
    const entered = await until('the worker has registered its compute location', async () => {
      const locations = await list<LocationEntry>('/api/v1/compute-locations');
      return locations.some(({ worker_count: count }) => count > 0) ? locations : null;
    });
    t.match(entered, [
      { name: 'berlin', description: '', worker_count: 1 },
      { name: 'potsdam', worker_count: 0 },
    ]);
    const berlin = entered[0]?.id ?? '';
    t.equal((await service.api.call('DELETE', `/api/v1/compute-locations/${berlin}`)).status, 204);
    t.same(
      (await list('/api/v1/compute-locations')).map(({ name }) => name),
      ['potsdam'],
    );

    await worker.kill('SIGTERM');
    await service.daemon.kill('SIGTERM');
    service = await start();
    t.match(await list('/api/v1/usage-pools'), [{ id: pool.id, name: 'nuke', max_concurrent: 2, in_use: 0 }]);
    t.match(await list('/api/v1/storage-locations'), [storage]);
    workers.push(startWorker(service, 'one', ['--worker-compute-location=berlin']));
    await until('the compute location is re-created', async () => {
      const locations = await list<LocationEntry>('/api/v1/compute-locations');
      return locations.some(({ name, worker_count: count }) => name === 'berlin' && count === 1);
    });
  },
);
