import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tap, { test, type Test } from 'tap';
import { tapBus, type TappedMessage } from '../kit/bus-tap.ts';
import { cuttableLink } from '../kit/cuttable-link.ts';
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

/** Bytes in the spool of a worker. */
async function spooled(folder: string): Promise<number> {
  const directory = join(folder, 'worker-w', 'log-spool');
  let bytes = 0;
  for (const name of await readdir(directory)) {
    const file = name.endsWith('.jsonl') ? await stat(join(directory, name)).catch(() => null) : null;
    bytes += file?.size ?? 0;
  }
  return bytes;
}

/** Every line from 1 to the last, each once, and nothing else. */
function checkLines(t: Test, text: string, last: number): void {
  const lines = text.split('\n').slice(0, -1).map(Number);
  t.strictSame(
    lines,
    Array.from({ length: last }, (_, index) => index + 1),
  );
}

await test('a worker waits for the service, and spools what its tasks write while the bus is away', async (t) => {
  const options = await place(t);
  const worker = startWorker(options, 'w');
  ends(t, () => worker);
  await until('the worker has found nobody', () => worker.log().includes('bus: unreachable'));
  let service = await startService(options);
  ends(t, () => service.daemon);
  const farm = await service.api.makeFarm('show');
  const { body: job } = await farm.submit(template('for n in {1..120}; do echo $n; sleep 0.05; done'));
  const task = `${job.id}-0-0`;
  await until('lines come', async () => (await service.api.log(task)).includes('\n5\n'));
  await service.daemon.kill('SIGTERM');
  await until('lines are spooled', async () => (await spooled(options.folder)) > 0);
  service = await startService(options);
  await until('the job is completed', async () => (await service.api.job(job.id)).status === 'completed');
  await until('the spool is sent', async () => (await spooled(options.folder)) === 0);
  await until('the log is whole', async () => (await service.api.log(task)).endsWith('\n120\n'));
  checkLines(t, await service.api.log(task), 120);
});

await test('what a worker has spooled is sent by its next daemon', async (t) => {
  const options = await place(t);
  let service = await startService(options);
  ends(t, () => service.daemon);
  let worker = startWorker(options, 'w');
  ends(t, () => worker);
  const farm = await service.api.makeFarm('show');
  const { body: job } = await farm.submit(template('n=0; while sleep 0.02; do echo $((++n)); done'));
  const task = `${job.id}-0-0`;
  await until('lines come', async () => (await service.api.log(task)).includes('\n5\n'));
  await service.daemon.kill('SIGTERM');
  const sent = 20_000;
  await until('much is spooled', async () => (await spooled(options.folder)) > sent);
  await worker.kill('SIGKILL');
  service = await startService(options);
  await service.api.must('POST', `/api/v1/jobs/${job.id}/cancel`);
  worker = startWorker(options, 'w');
  await until('the spool is sent', async () => (await spooled(options.folder)) === 0);
  const lines = await until('the log has them', async () => {
    const all = (await service.api.log(task)).split('\n').slice(0, -1);
    return all.length > 100 ? all : null;
  });
  checkLines(t, `${lines.join('\n')}\n`, lines.length);
});

await test('past the bound of the spool output is dropped, with a mark, and the task goes on', async (t) => {
  const options = await place(t);
  let service = await startService(options);
  ends(t, () => service.daemon);
  const worker = startWorker(options, 'w', ['--worker-log-spool-bytes=400000']);
  ends(t, () => worker);
  const farm = await service.api.makeFarm('show');
  // A flood once the bus is away; then a last line when the flood has gone through.
  const away = join(options.folder, 'away');
  const line = `echo 1; until [ -e ${away} ]; do sleep 0.05; done; seq 2 400000; echo over`;
  const { body: job } = await farm.submit(template(line));
  const task = `${job.id}-0-0`;
  await until('it runs', async () => (await service.api.log(task)) === '1\n');
  await service.daemon.kill('SIGTERM');
  await until('the worker is alone', () => worker.log().includes('bus: disconnected'));
  await writeFile(away, '');
  await until('the spool is full', () => worker.log().includes('worker.log_spool_bytes is reached'));
  t.ok((await spooled(options.folder)) <= 400_000);
  await until('output is dropped, and the task ends', async () => {
    const names = await readdir(join(options.folder, 'worker-w', 'sessions')).catch(() => ['x']);
    return names.length === 0;
  });
  t.ok((await spooled(options.folder)) <= 400_000);
  service = await startService(options);
  await until('the spool is sent', async () => (await spooled(options.folder)) === 0);
  const text = await until('the log has its end', async () => {
    const all = await service.api.log(task);
    return all.includes('were dropped here') ? all : null;
  });
  const lines = text.split('\n').slice(0, -1);
  const at = lines.findIndex((each) => each.startsWith('[callsheet]'));
  checkLines(t, `${lines.slice(0, at).join('\n')}\n`, at);
  const dropped = /^\[callsheet\] (\d+) lines/.exec(lines[at] ?? '');
  const rest = lines.slice(at + 1);
  t.equal(at + Number(dropped?.[1]) + rest.length, 400_001, 'nothing is missing that is not counted');
});

const of =
  (type: string) =>
  ({ body }: TappedMessage): boolean =>
    body?.['type'] === type;
const openIn = ({ body }: TappedMessage): readonly unknown[] => (body?.['open_attempts'] ?? []) as unknown[];

await test('on the bus: one request a queue, an attempt is open until its end is confirmed, another start is asked at once', async (t) => {
  const options = await place(t);
  let service = await startService(options);
  ends(t, () => service.daemon);
  const farm = await service.api.makeFarm('show');
  const second = await service.api.must<{ id: string }>('POST', '/api/v1/queues', {
    farm_id: farm.farmId,
    name: 'second',
  });
  const bus = await tapBus(options.busPort);
  t.teardown(() => bus.close());
  const worker = startWorker(options, 'w', ['--worker-queues=main,second', '--worker-cpus=4']);
  ends(t, () => worker);
  const queues = [`work.lease.${farm.queueId}`, `work.lease.${second.id}`].sort();
  /** Requests without an answer, by their subject. */
  const outstanding = (): readonly string[] => {
    const answered = new Set(bus.all.map(({ subject }) => subject));
    const requests = bus.all.filter(({ subject }) => subject.startsWith('work.lease.'));
    return requests.flatMap(({ subject, reply }) => (answered.has(reply) ? [] : [subject])).sort();
  };
  await until('both queues are asked', () => outstanding().length === 2);
  t.same(outstanding(), queues);

  const gate = join(options.folder, 'gate');
  const { body: job } = await farm.submit(template(`until [ -e ${gate} ]; do sleep 0.05; done`));
  const attempt = `${job.id}-0-0-1`;
  const running = await bus.next(
    'a heartbeat carries the attempt',
    (message) => of('heartbeat')(message) && openIn(message).includes(attempt),
  );
  t.equal(running.subject, 'worker.heartbeat');
  t.equal(new Set(outstanding()).size, outstanding().length, 'never two for one queue');
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
    if (of('heartbeat')(message)) t.ok(openIn(message).includes(attempt), 'it is open until it is confirmed');
  }
  // A heartbeat that crossed the confirmation may still carry it; none after the next answer does.
  const next = await bus.next(
    'the next heartbeat',
    (m) => of('heartbeat')(m) && !openIn(m).includes(attempt),
    confirmedAt,
  );
  t.same(openIn(next), []);

  await until('both queues are asked again', () => outstanding().length === 2);
  const before = bus.all.length;
  await service.daemon.kill('SIGKILL');
  service = await startService(options);
  t.notMatch(worker.log(), 'bus: disconnected', 'the bus was there all the time');
  // Within less than the time that the requests of before would have waited for.
  const again = await until(
    'the other start is asked',
    () => {
      const asked = bus.all.slice(before).filter(({ subject }) => subject.startsWith('work.lease.'));
      return asked.length === 2 ? asked : null;
    },
    20_000,
  );
  t.same(again.map(({ subject }) => subject).sort(), queues);
  const { body: late } = await farm.submit(template('true'));
  await until(
    'work is done at once',
    async () => (await service.api.job(late.id)).status === 'completed',
    10_000,
  );
});

await test('a worker that is cut off: a cancel of meanwhile, and work that was given away', async (t) => {
  const options = await place(t, ['--scheduler-heartbeat-timeout=6s']);
  const service = await startService(options);
  ends(t, () => service.daemon);
  const farm = await service.api.makeFarm('show');
  const link = await cuttableLink(options.busPort);
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
  await until('it runs', async () => (await api.job(canceled.id)).task_counts.running === 1);
  const [[, pid] = []] = await until('its process is there', async () => {
    const all = await records();
    return all.length === 1 ? all : null;
  });
  link.cut();
  await until('the worker knows', () => cutOff.log().includes('bus: disconnected'));
  await api.must('POST', `/api/v1/jobs/${canceled.id}/cancel`);
  link.mend();
  await until('the cancel has reached it', () => isGone(pid));
  t.equal((await api.job(canceled.id)).status, 'canceled');
  t.notMatch(cutOff.log(), 'no contact with the service', 'by the cancel, not for want of contact');

  await rm(record);
  const { body: moved } = await farm.submit(template(line));
  await until('it runs', async () => (await records()).length === 1);
  const other = startWorker(options, 'other');
  ends(t, () => other);
  await until('the other is online', async () => {
    const { total } = await api.must<{ total: number }>('GET', '/api/v1/workers?status=online');
    return total === 2;
  });
  link.cut();
  const attempts = await until('it was given away', async () => {
    const all = await api.attempts(`${moved.id}-0-0`);
    return all.length === 2 && (await records()).filter(([what]) => what === 'start').length === 2
      ? all
      : null;
  });
  t.match(attempts[0], { message: 'worker went offline' });
  const [, first] = (await records())[0] ?? [];
  const order = (await records()).map(([what, pid]) => `${what} ${pid === first ? 'first' : 'second'}`);
  t.same(order, ['start first', 'stop first', 'start second'], 'it has stopped before it began elsewhere');
  link.mend();
  await until('it is back', async () => {
    const { total } = await api.must<{ total: number }>('GET', '/api/v1/workers?status=online');
    return total === 2;
  });
  t.equal((await records()).length, 3, 'and has begun nothing');
  await api.must('POST', `/api/v1/jobs/${moved.id}/cancel`);
  const [, , [, second] = []] = await records();
  await until('the second has ended', () => isGone(second));
});
