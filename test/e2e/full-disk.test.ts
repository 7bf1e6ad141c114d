import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tap, { test } from 'tap';
import { freePort, startService, startWorker } from '../kit/daemons.ts';
import { recordingTemplate } from '../kit/flight-recorder.ts';
import { mountFault, mountSmallDisk } from '../kit/small-disk.ts';
import { until } from '../kit/until.ts';

tap.setTimeout(180_000);

const DISK_BYTES = 1000 * 2 ** 20;

/** docs/faults.md: the disk of the service is full, and the service is killed and started on it. */
await test(
  'a service starts on a full disk, and continues when space is free',
  { skip: mountFault() },
  async (t) => {
    const disk = mountSmallDisk(t, DISK_BYTES);
    const folder = await mkdtemp(join(tmpdir(), 'callsheet-full-'));
    await symlink(disk.path, join(folder, 'data'));
    const options = { folder, httpPort: await freePort(), busPort: await freePort() };
    let service = await startService(options);
    const worker = startWorker(service, 'w', ['--worker-cpus=1']);
    t.teardown(async () => {
      await worker.kill('SIGTERM');
      await service.daemon.kill('SIGTERM');
      if (t.passing()) await rm(folder, { recursive: true, force: true });
      else t.comment(service.daemon.log().slice(-4000));
    });
    const show = await service.api.makeFarm('show');
    const template = recordingTemplate(join(folder, 'record.txt'), 3, 10);
    const { body: job } = await show.submit(template);
    await until('a task has ended', async () => (await service.api.job(job.id)).task_counts.succeeded > 0);
    disk.fill();
    for (let kill = 0; kill < 2; kill++) {
      await service.daemon.kill();
      const logged = service.daemon.log().length;
      service = await startService(options);
      t.notMatch(service.daemon.log().slice(logged), /no room for a journal|disk-full/);
      const { status } = await service.api.call('POST', '/api/v1/queues', {
        farm_id: show.farmId,
        name: `q${kill}`,
      });
      t.equal(status, 201, 'changes fit into the reserve');
      t.equal((await show.submit(template)).status, 503, 'new jobs are refused');
    }
    disk.empty();
    await until('new jobs are accepted', async () => (await show.submit(template)).status === 201);
    await until(
      'the first job completes',
      async () => (await service.api.job(job.id)).status === 'completed',
    );
  },
);
