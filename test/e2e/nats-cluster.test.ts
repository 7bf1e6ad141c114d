import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tap, { test } from 'tap';
import { managerOf } from '../../src/adapters/nats/streams.ts';
import { STREAMS } from '../../src/core/wire/subjects.ts';
import { freePort, startService, startWorker } from '../kit/daemons.ts';
import { NatsCluster, PASSWORD, USER } from '../kit/nats-cluster.ts';
import { until } from '../kit/until.ts';

tap.setTimeout(240_000);

const template = {
  specificationVersion: 'jobtemplate-2023-09',
  name: 'one task',
  steps: [{ name: 'S', script: { actions: { onRun: { command: 'echo', args: ['done'] } } } }],
};

/** A farm on a cluster of three servers with TLS and a user, which loses one server and then two. */
await test('a cluster with TLS and a user keeps three copies of each stream', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'callsheet-cluster-'));
  const cluster = await NatsCluster.start(join(folder, 'bus'));
  t.teardown(async () => {
    await cluster.stop();
    if (t.passing()) rmSync(folder, { recursive: true, force: true });
  });
  const { ca, clientCert, clientKey } = cluster.certificates;
  const { name: statuses, subjects } = STREAMS.status;
  // As an earlier version of the service has left it.
  await until('a stream with one copy', async () => {
    const nc = await cluster.connect().catch(() => null);
    try {
      return (
        nc !== null && (await (await managerOf(nc)).streams.add({ name: statuses, subjects: [...subjects] }))
      );
    } catch {
      // The cluster has not elected its leader yet.
      return null;
    } finally {
      await nc?.close();
    }
  });
  const passwordFile = join(folder, 'password');
  writeFileSync(passwordFile, `${PASSWORD}\n`, { mode: 0o600 });
  const access = (file: string): string[] => [
    `--bus-url=${cluster.url}`,
    `--bus-user=${USER}`,
    `--bus-password-file=${file}`,
    `--bus-tls-ca-file=${ca}`,
    `--bus-tls-cert-file=${clientCert}`,
    `--bus-tls-key-file=${clientKey}`,
  ];
  const service = await startService({
    folder,
    httpPort: await freePort(),
    busPort: await freePort(),
    flags: access(passwordFile),
  });
  const worker = startWorker(service, 'one', ['--worker-cpus=1', ...access(passwordFile)]);
  const wrongFile = join(folder, 'wrong');
  writeFileSync(wrongFile, 'a guess\n');
  const stranger = startWorker(service, 'stranger', ['--worker-cpus=1', ...access(wrongFile)]);
  t.teardown(async () => {
    await stranger.kill();
    await worker.kill();
    await service.daemon.kill();
    if (!t.passing()) t.comment(`${service.daemon.log()}\n${worker.log()}\n${stranger.log()}`);
  });
  const { api } = service;
  const farm = await api.makeFarm('show');

  const runJob = async (): Promise<void> => {
    const { id } = (await farm.submit(template, { max_attempts: '1' })).body;
    await until('the job has completed', async () => (await api.job(id)).status === 'completed');
  };
  const readyz = async (): Promise<{ status: number; bus: string }> => {
    const { status, body } = await api.call<{ checks: { bus: string } }>('GET', '/readyz');
    return { status, bus: body.checks.bus };
  };
  /** Returns the name of the leader of each stream. */
  const leaders = async (): Promise<readonly (string | undefined)[]> => {
    const nc = await cluster.connect();
    try {
      const { streams } = await managerOf(nc);
      const infos = await Promise.all(Object.values(STREAMS).map(({ name }) => streams.info(name)));
      t.same(
        infos.map(({ config }) => config.num_replicas),
        [3, 3, 3, 3],
      );
      return infos.map((info) => info.cluster?.leader);
    } finally {
      await nc.close();
    }
  };

  await runJob();
  await until('three copies of the stream', () =>
    new RegExp(`bus: stream-repaired.*${statuses}.*num_replicas`).test(service.daemon.log()),
  );
  const [leader = ''] = await leaders();
  await until('the refusal of a wrong password', () => /uthorization/.test(stranger.log()));
  t.match(stranger.log(), /bus: unreachable/);
  t.notMatch(stranger.log(), 'a guess', 'the log does not contain the password');

  await cluster.killNode(leader);
  await until('the log names the missing copy', () =>
    service.daemon.log().includes(`the copy on ${leader} is unreachable`),
  );
  await until('the service is ready on two servers', async () => (await readyz()).status === 200);
  await runJob();

  const [second = ''] = await leaders();
  await cluster.killNode(second);
  await until('without a majority, readiness names every stream', async () => {
    const { status, bus } = await readyz();
    return status === 503 && Object.values(STREAMS).every(({ name }) => bus.includes(`stream ${name}: `));
  });

  for (const name of [leader, second]) cluster.startNode(name);
  await until('the service is ready again', async () => (await readyz()).status === 200);
  await until('the log says that the copies are back', () =>
    Object.values(STREAMS).every(({ name }) =>
      new RegExp(`bus: stream-restored.*${name}`).test(service.daemon.log()),
    ),
  );
  await runJob();
});
