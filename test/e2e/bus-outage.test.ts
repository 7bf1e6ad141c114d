import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tap, { test, type Test } from 'tap';
import { tapBus, type TappedMessage } from '../kit/bus-tap.ts';
import { openPartitionableLink } from '../kit/partitionable-link.ts';
import { freePort, startService, startWorker, type Daemon, type ServiceOptions } from '../kit/daemons.ts';
import { until } from '../kit/until.ts';

tap.setTimeout(240_000);

const template = (line: string): object => ({
  specificationVersion: 'jobtemplate-2023-09',
  name: 'Outage',
  steps: [{ name: 'Step', script: { actions: { onRun: { command: 'bash', args: ['-c', line] } } } }],
});

async function place(t: Test, flags: readonly string[] = []): Promise<ServiceOptions> {
  const folder = await mkdtemp(join(tmpdir(), 'callsheet-outage-'));
  t.teardown(async () => {
    if (t.passing()) await rm(folder, { recursive: true, force: true });
  });
  return { folder, httpPort: await freePort(), busPort: await freePort(), flags };
}

const ends = (t: Test, daemon: () => Daemon): void => {
  t.teardown(async () => {
    await daemon().kill('SIGTERM');
    if (!t.passing()) t.comment(daemon().log().slice(-4000));
  });
};

const of =
  (type: string) =>
  ({ body }: TappedMessage): boolean =>
    body?.['type'] === type;
const openIn = ({ body }: TappedMessage): readonly unknown[] => (body?.['open_attempts'] ?? []) as unknown[];

await test('a worker sends one request per queue, keeps attempts open until confirmed, and asks a restarted service immediately', async (t) => {
  const options = await place(t);
  let service = await startService(options);
  ends(t, () => service.daemon);
  const farm = await service.api.makeFarm('show');
  const second = await service.api.must<{ id: string }>('POST', '/api/v1/queues', {
    farm_id: farm.farmId,
    name: 'second',
  });
  const bus = await tapBus(options);
  t.teardown(() => bus.close());
  const worker = startWorker(options, 'w', ['--worker-queues=main,second', '--worker-cpus=4']);
  ends(t, () => worker);
  const queues = [`work.lease.${farm.queueId}`, `work.lease.${second.id}`].sort();
  /** Open requests by subject. */
  const outstanding = (): readonly string[] => {
    const answered = new Set(bus.all.map(({ subject }) => subject));
    const requests = bus.all.filter(({ subject }) => subject.startsWith('work.lease.'));
    return requests.flatMap(({ subject, reply }) => (answered.has(reply) ? [] : [subject])).sort();
  };
  await until('both queues have an open request', () => outstanding().length === 2);
  t.same(outstanding(), queues);

  const gate = join(options.folder, 'gate');
  const { body: job } = await farm.submit(template(`until [ -e ${gate} ]; do sleep 0.05; done`));
  const attempt = `${job.id}-0-0-1`;
  const running = await bus.next(
    'a heartbeat lists the attempt',
    (message) => of('heartbeat')(message) && openIn(message).includes(attempt),
  );
  t.equal(running.subject, 'worker.heartbeat');
  t.equal(new Set(outstanding()).size, outstanding().length, 'never two requests for one queue');
  await writeFile(gate, '');
  const isEnd = ({ subject, body }: TappedMessage): boolean =>
    subject === `task.status.${job.id}` && body?.['status'] === 'succeeded';
  const end = await bus.next('the end is reported', isEnd);
  const confirmed = await bus.next('the end is confirmed', ({ subject, body }) => {
    const closed = (body?.['closed'] ?? []) as unknown[];
    return subject.startsWith('_INBOX') && closed.includes(attempt);
  });
  const [saidAt, confirmedAt] = [bus.all.indexOf(end), bus.all.indexOf(confirmed)];
  t.ok(saidAt < confirmedAt);
  for (const message of bus.all.slice(saidAt, confirmedAt)) {
    if (of('heartbeat')(message))
      t.ok(openIn(message).includes(attempt), 'the attempt is open until its end is confirmed');
  }
  // A heartbeat that was sent before the confirmation may still list it. After the next reply none does.
  const next = await bus.next(
    'the next heartbeat',
    (m) => of('heartbeat')(m) && !openIn(m).includes(attempt),
    confirmedAt,
  );
  t.same(openIn(next), []);

  await until('both queues have an open request again', () => outstanding().length === 2);
  const before = bus.all.length;
  await service.daemon.kill('SIGKILL');
  service = await startService(options);
  t.notMatch(worker.log(), 'bus: disconnected', 'the connection to the bus was never lost');
  // The new requests come before the old ones would have expired.
  const again = await until(
    'the restarted service receives requests',
    () => {
      const asked = bus.all.slice(before).filter(({ subject }) => subject.startsWith('work.lease.'));
      return asked.length === 2 ? asked : null;
    },
    20_000,
  );
  t.same(again.map(({ subject }) => subject).sort(), queues);
  const { body: late } = await farm.submit(template('true'));
  await until(
    'a new task starts immediately',
    async () => (await service.api.job(late.id)).status === 'completed',
    10_000,
  );
});

await test('a partitioned worker applies a cancel that it missed, and does not start reassigned work', async (t) => {
  const options = await place(t, ['--scheduler-heartbeat-timeout=6s']);
  const service = await startService(options);
  ends(t, () => service.daemon);
  const farm = await service.api.makeFarm('show');
  const link = await openPartitionableLink(options.busPort);
  t.teardown(() => link.close());
  const cutOff = startWorker({ ...options, busPort: link.port }, 'w');
  ends(t, () => cutOff);
  const { api } = service;
  const record = join(options.folder, 'record');
  const line = `trap 'echo "stop $$ $(date +%s%N)" >> ${record}; exit 1' TERM; echo "start $$ $(date +%s%N)" >> ${record}; while :; do sleep 0.05; done`;
  const records = async (): Promise<string[][]> =>
    (await readFile(record, 'utf8').catch(() => ''))
      .split('\n')
      .slice(0, -1)
      .map((each) => each.split(' '));
  const isGone = (pid = ''): boolean => !existsSync(`/proc/${pid}`);

  const { body: canceled } = await farm.submit(template(line));
  await until('the task runs', async () => (await api.job(canceled.id)).task_counts.running === 1);
  const [[, pid] = []] = await until('its process runs', async () => {
    const all = await records();
    return all.length === 1 ? all : null;
  });
  link.cut();
  await until('the worker has detected the partition', () => cutOff.log().includes('bus: disconnected'));
  await api.must('POST', `/api/v1/jobs/${canceled.id}/cancel`);
  link.heal();
  await until('the cancel has reached the worker', () => isGone(pid));
  t.equal((await api.job(canceled.id)).status, 'canceled');
  t.notMatch(
    cutOff.log(),
    'no contact with the service',
    'it stopped because of the cancel, not because of lost contact',
  );

  await rm(record);
  const { body: moved } = await farm.submit(template(line));
  await until('the task runs', async () => (await records()).length === 1);
  const other = startWorker(options, 'other');
  ends(t, () => other);
  await until('the other worker is online', async () => {
    const { total } = await api.must<{ total: number }>('GET', '/api/v1/workers?status=online');
    return total === 2;
  });
  link.cut();
  const attempts = await until('the task was reassigned', async () => {
    const all = await api.attempts(`${moved.id}-0-0`);
    return all.length === 2 && (await records()).filter(([what]) => what === 'start').length === 2
      ? all
      : null;
  });
  t.match(attempts[0], { message: 'worker went offline' });
  const [, first] = (await records())[0] ?? [];
  const order = (await records()).map(([what, pid]) => `${what} ${pid === first ? 'first' : 'second'}`);
  t.same(
    order,
    ['start first', 'stop first', 'start second'],
    'the first process stopped before the second started',
  );
  link.heal();
  await until('the partitioned worker is online again', async () => {
    const { total } = await api.must<{ total: number }>('GET', '/api/v1/workers?status=online');
    return total === 2;
  });
  t.equal((await records()).length, 3, 'the partitioned worker has started nothing');
  await api.must('POST', `/api/v1/jobs/${moved.id}/cancel`);
  const [, , [, second] = []] = await records();
  await until('the second attempt has ended', () => isGone(second));
});
