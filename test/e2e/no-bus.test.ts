import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import tap, { test } from 'tap';
import { runCallsheet } from '../cli/run-callsheet.ts';
import { canMakeAccounts, makeAccount } from '../kit/accounts.ts';
import { freePort, startService, startWorker, type Daemon } from '../kit/daemons.ts';
import { skipWithoutNft, tableText } from '../kit/nft.ts';
import { until } from '../kit/until.ts';
import { busPid } from './survival/bus-process.ts';

tap.setTimeout(300_000);

const skip = canMakeAccounts ? skipWithoutNft : 'only root can make accounts';

/** Other addresses of this machine than 127.0.0.1, at which a bus on all addresses listens, too. */
const OTHER_HOSTS = [
  '127.9.9.9',
  ...Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(({ address }) => address !== '127.0.0.1' && !address.startsWith('fe80'))
    .map(({ address }) => address),
];

/** Returns the name of the table that the worker has logged, or null. */
const tableOf = (worker: Daemon): string | null =>
  /rules of the firewall keep tasks from the bus.*table="?(callsheet_\w+)/.exec(worker.log())?.[1] ?? null;

await test('tasks of a worker with isolation.network=no_bus cannot reach the bus', { skip }, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'callsheet-no-bus-'));
  await chmod(folder, 0o711);
  const [user, standard] = [makeAccount(t), makeAccount(t)];
  const [httpPort, busPort] = [await freePort(), await freePort()];
  // A worker that was killed holds a request for work until it is offline.
  const flags = ['--scheduler-heartbeat-timeout=6s'];
  const service = await startService({ folder, httpPort, busPort, busHost: '[::]', flags });
  const { api } = service;
  const farm = await api.makeFarm('show');
  const workers: Daemon[] = [];
  const startNamed = (name: string, ...flags: readonly string[]): Daemon => {
    const worker = startWorker(service, name, ['--worker-cpus=1', '--worker-session-linger=0s', ...flags]);
    workers.push(worker);
    return worker;
  };
  const start = (...flags: readonly string[]): Daemon => startNamed('one', ...flags);
  const closed = ['--isolation-network=no_bus', `--isolation-default-user=${standard}`];
  const startClosed = (): Daemon => start(...closed);
  t.teardown(async () => {
    for (const worker of workers) await worker.kill('SIGTERM');
    await service.daemon.kill('SIGTERM');
    if (t.passing()) await rm(folder, { recursive: true, force: true });
    else t.comment(`${workers.at(-1)?.log().slice(-6000) ?? ''}\n${service.daemon.log().slice(-4000)}`);
  });
  const all = ['127.0.0.1', ...OTHER_HOSTS].map((host) => `${host}/${busPort}`);
  const open = `127.0.0.1/${httpPort}`;
  /** Runs a task as the account and returns those of the addresses that it has reached. */
  const reached = async (account: string | null): Promise<string[]> => {
    const { queueId } = farm;
    await api.must('PUT', `/api/v1/queues/${queueId}`, {
      name: 'main',
      run_as_user: account,
      run_as_group: null,
    });
    const dial = `id -un; for to in ${all.join(' ')} ${open}; do (exec 3<>/dev/tcp/$to) 2>/dev/null && echo $to; done; echo end`;
    const template = {
      specificationVersion: 'jobtemplate-2023-09',
      name: 'dial',
      steps: [{ name: 'S', script: { actions: { onRun: { command: 'bash', args: ['-c', dial] } } } }],
    };
    const { id } = (await farm.submit(template, { max_attempts: '1' })).body;
    await until('the job has ended', async () => (await api.job(id)).status === 'completed');
    const [task] = await api.tasks(id);
    const log = await until('the log is complete', async () => {
      const text = await api.log(task?.id ?? '');
      return text.endsWith('end\n') ? text : null;
    });
    const [name, ...lines] = log.split('\n').slice(0, -2);
    t.equal(name, account ?? standard);
    return lines;
  };

  start();
  t.same(await reached(user), [...all, open], 'the default is open');
  await workers[0]?.kill('SIGTERM');
  const ofRoot = start('--isolation-network=no_bus');
  t.equal((await ofRoot.ended).code, 1);
  t.match(ofRoot.log(), /isolation\.network: this machine does not support it: .*task of root.*default_user/);

  const first = startClosed();
  t.same(await reached(user), [open], 'an account of a queue');
  t.same(await reached(null), [open], 'the default account');
  const table = tableOf(first) ?? '';
  t.match(tableText(table), new RegExp(`127\\.0\\.0\\.1 \\. ${busPort}`));
  const { items } = await api.must<{ items: readonly { name: string; isolation: readonly string[] }[] }>(
    'GET',
    '/api/v1/workers',
  );
  t.ok(items.find(({ name }) => name === 'one')?.isolation.includes('no_bus'), 'a capability of the worker');

  const neighbor = startNamed('two', ...closed);
  const itsTable = await until('another worker has rules', () => tableOf(neighbor));
  t.not(tableText(itsTable), null);
  await neighbor.kill('SIGTERM');
  t.equal(tableText(itsTable), null);
  t.not(tableText(table), null, 'a worker removes only its own rules');
  t.same(await reached(user), [open]);

  const bus = busPid({ folder });
  if (bus === null) throw new Error('the service has no bus');
  process.kill(bus, 'SIGKILL');
  await until('the bus runs again', () => ![null, bus].includes(busPid({ folder })));
  t.same(await reached(user), [open], 'the worker has reconnected, its tasks still cannot connect');

  await first.kill('SIGKILL');
  t.not(tableText(table), null, 'the rules remain after a crash');
  const second = startClosed();
  t.same(await reached(null), [open]);
  t.equal(
    /set accounts \{[^}]*elements = \{ (.*) \}/.exec(tableText(table) ?? '')?.[1]?.split(',').length,
    1,
    'replaced',
  );
  const doctor = await runCallsheet([
    'doctor',
    '--url',
    `http://127.0.0.1:${httpPort}`,
    `--bus-url=nats://127.0.0.1:${busPort}`,
    '--worker-allow-root=true',
    `--worker-dir=${folder}/another`,
    `--isolation-default-user=${standard}`,
    '--json',
  ]);
  t.match(doctor.out, /"name": ?"isolation: network without bus",\s*"status": ?"ok"/);
  await second.kill('SIGTERM');
  t.equal(tableText(table), null, 'a regular stop removes the rules');

  const third = startClosed();
  await until('the rules are there', () => tableText(table) !== null);
  await third.kill('SIGKILL');
  start();
  t.same(await reached(user), [...all, open], 'another mode removes rules that a crash has left');
  t.equal(tableText(table), null);
});
