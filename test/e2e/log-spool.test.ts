import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tap, { test, type Test } from 'tap';
import type { JobView } from '../kit/api-client.ts';
import { freePort, IS_BUS_AUTHENTICATED, startService, startWorker } from '../kit/daemons.ts';
import { until } from '../kit/until.ts';

tap.setTimeout(240_000);

const template = (line: string): object => ({
  specificationVersion: 'jobtemplate-2023-09',
  name: 'Outage',
  steps: [{ name: 'Step', script: { actions: { onRun: { command: 'bash', args: ['-c', line] } } } }],
});

/** Returns the bytes in the spool of a worker. */
async function spooledBy(folder: string, worker: string): Promise<number> {
  const directory = join(folder, `worker-${worker}`, 'log-spool');
  let bytes = 0;
  for (const name of await readdir(directory)) {
    const file = name.endsWith('.jsonl') ? await stat(join(directory, name)).catch(() => null) : null;
    bytes += file?.size ?? 0;
  }
  return bytes;
}

/** Asserts that the log has every line from 1 to the last exactly once, and no other lines. */
function checkLines(t: Test, text: string, last: number): void {
  const lines = text.split('\n').slice(0, -1).map(Number);
  t.strictSame(
    lines,
    Array.from({ length: last }, (_, index) => index + 1),
  );
}

const SMALL_SPOOL = 400_000;
const FLOOD = 400_000;

/** One outage of the bus and three workers, each with a task in its own queue. */
test('task output during a bus outage is published afterwards, or counted as dropped', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'callsheet-spool-'));
  const options = { folder, httpPort: await freePort(), busPort: await freePort() };
  const spooled = (worker: string): Promise<number> => spooledBy(folder, worker);
  // Creates the token with which the worker joins later.
  if (IS_BUS_AUTHENTICATED) await (await startService(options)).daemon.kill('SIGTERM');
  const steady = startWorker(options, 'steady', ['--worker-queues=steady']);
  const missed = IS_BUS_AUTHENTICATED ? 'cannot join the service yet' : 'bus: unreachable';
  await until('the worker found no service', () => steady.log().includes(missed));
  let service = await startService(options);
  const { id: farmId } = await service.api.must<{ id: string }>('POST', '/api/v1/farms', { name: 'show' });
  const queues = new Map<string, string>();
  for (const name of ['steady', 'killed', 'small']) {
    const queue = { farm_id: farmId, name };
    queues.set(name, (await service.api.must<{ id: string }>('POST', '/api/v1/queues', queue)).id);
  }
  const small = startWorker(options, 'small', [
    '--worker-queues=small',
    `--worker-log-spool-bytes=${SMALL_SPOOL}`,
  ]);
  let killed = startWorker(options, 'killed', ['--worker-queues=killed']);
  t.teardown(async () => {
    await Promise.all([steady, small, killed].map((worker) => worker.kill('SIGTERM')));
    await service.daemon.kill('SIGTERM');
    if (t.passing()) await rm(folder, { recursive: true, force: true });
    else for (const daemon of [steady, small, killed, service.daemon]) t.comment(daemon.log().slice(-3000));
  });
  /** Submits the job and returns it with its only task. */
  const submit = async (queue: string, line: string): Promise<{ job: string; task: string }> => {
    const { id } = await service.api.must<JobView>(
      'POST',
      `/api/v1/jobs?farm_id=${farmId}&queue_id=${queues.get(queue) ?? ''}`,
      template(line),
    );
    return { job: id, task: `${id}-0-0` };
  };
  const away = join(folder, 'away');
  const steadily = await submit('steady', 'for n in {1..120}; do echo $n; sleep 0.05; done');
  const endlessly = await submit('killed', 'n=0; while sleep 0.02; do echo $((++n)); done');
  // The task writes a flood during the outage, and a last line after it.
  const flood = `echo 1; until [ -e ${away} ]; do sleep 0.05; done; seq 2 ${FLOOD}; echo over`;
  const flooding = await submit('small', flood);
  const log = ({ task }: { task: string }): Promise<string> => service.api.log(task);
  await until('all tasks write', async () => {
    const texts = await Promise.all([steadily, endlessly, flooding].map(log));
    return texts.every((text) => text.startsWith('1\n'));
  });

  await service.daemon.kill('SIGTERM');
  await until('the worker is disconnected', () => small.log().includes('bus: disconnected'));
  await writeFile(away, '');
  await until('one spool has data', async () => (await spooled('steady')) > 0);
  await until('one spool has much data', async () => (await spooled('killed')) > 20_000);
  await killed.kill('SIGKILL');
  await until('the small spool is full', () => small.log().includes('worker.log_spool_bytes is reached'));
  await until('output is dropped, and the flood has ended', async () => {
    const names = await readdir(join(folder, 'worker-small', 'sessions'));
    return names.length === 0;
  });
  t.ok((await spooled('small')) <= SMALL_SPOOL, 'the limit holds');

  service = await startService(options);
  await service.api.must('POST', `/api/v1/jobs/${endlessly.job}/cancel`);
  killed = startWorker(options, 'killed', ['--worker-queues=killed']);
  for (const worker of ['steady', 'killed', 'small']) {
    await until(`the spool of ${worker} is sent`, async () => (await spooled(worker)) === 0);
  }
  await until('the log is complete', async () => (await log(steadily)).endsWith('\n120\n'));
  checkLines(t, await log(steadily), 120);

  const left = await until('the spooled output of the killed worker is stored', async () => {
    const text = await log(endlessly);
    return text.split('\n').length > 100 ? text : null;
  });
  checkLines(t, left, left.split('\n').length - 1);

  const text = await until('the log has the mark', async () => {
    const all = await log(flooding);
    return all.includes('were dropped here') ? all : null;
  });
  const lines = text.split('\n').slice(0, -1);
  const at = lines.findIndex((each) => each.startsWith('[callsheet]'));
  checkLines(t, `${lines.slice(0, at).join('\n')}\n`, at);
  const dropped = /^\[callsheet\] (\d+) lines/.exec(lines[at] ?? '');
  t.equal(
    at + Number(dropped?.[1]) + lines.slice(at + 1).length,
    FLOOD + 1,
    'the mark counts the missing bytes',
  );
});
