import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tap, { test, type Test } from 'tap';
import type { JobView } from '../kit/api-client.ts';
import { freePort, startService, startWorker } from '../kit/daemons.ts';
import { until } from '../kit/until.ts';

tap.setTimeout(240_000);

const template = (line: string): object => ({
  specificationVersion: 'jobtemplate-2023-09',
  name: 'Outage',
  steps: [{ name: 'Step', script: { actions: { onRun: { command: 'bash', args: ['-c', line] } } } }],
});

/** Bytes in the spool of a worker. */
async function spooledBy(folder: string, worker: string): Promise<number> {
  const directory = join(folder, `worker-${worker}`, 'log-spool');
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

const SMALL_SPOOL = 400_000;
const FLOOD = 400_000;

/** One outage of the bus and three workers, each with a task of its own queue. */
test('output of tasks during a bus outage is published afterwards, or counted', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'callsheet-spool-'));
  const options = { folder, httpPort: await freePort(), busPort: await freePort() };
  const spooled = (worker: string): Promise<number> => spooledBy(folder, worker);
  const steady = startWorker(options, 'steady', ['--worker-queues=steady']);
  await until('the worker found no service', () => steady.log().includes('bus: unreachable'));
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
  /** The job, and its only task. */
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
  // A flood during the bus outage; then a last line after the flood.
  const flood = `echo 1; until [ -e ${away} ]; do sleep 0.05; done; seq 2 ${FLOOD}; echo over`;
  const flooding = await submit('small', flood);
  const log = ({ task }: { task: string }): Promise<string> => service.api.log(task);
  await until('all write', async () => {
    const texts = await Promise.all([steadily, endlessly, flooding].map(log));
    return texts.every((text) => text.startsWith('1\n'));
  });

  await service.daemon.kill('SIGTERM');
  await until('the worker is alone', () => small.log().includes('bus: disconnected'));
  await writeFile(away, '');
  await until('one has spooled something', async () => (await spooled('steady')) > 0);
  await until('one has spooled much', async () => (await spooled('killed')) > 20_000);
  await killed.kill('SIGKILL');
  await until('the small spool is full', () => small.log().includes('worker.log_spool_bytes is reached'));
  await until('output is dropped, and the flood ends', async () => {
    const names = await readdir(join(folder, 'worker-small', 'sessions'));
    return names.length === 0;
  });
  t.ok((await spooled('small')) <= SMALL_SPOOL, 'the bound holds');

  service = await startService(options);
  await service.api.must('POST', `/api/v1/jobs/${endlessly.job}/cancel`);
  killed = startWorker(options, 'killed', ['--worker-queues=killed']);
  for (const worker of ['steady', 'killed', 'small']) {
    await until(`the spool of ${worker} is sent`, async () => (await spooled(worker)) === 0);
  }
  await until('the log is whole', async () => (await log(steadily)).endsWith('\n120\n'));
  checkLines(t, await log(steadily), 120);

  const left = await until('what the killed worker has spooled is there', async () => {
    const text = await log(endlessly);
    return text.split('\n').length > 100 ? text : null;
  });
  checkLines(t, left, left.split('\n').length - 1);

  const text = await until('the mark is there', async () => {
    const all = await log(flooding);
    return all.includes('were dropped here') ? all : null;
  });
  const lines = text.split('\n').slice(0, -1);
  const at = lines.findIndex((each) => each.startsWith('[callsheet]'));
  checkLines(t, `${lines.slice(0, at).join('\n')}\n`, at);
  const dropped = /^\[callsheet\] (\d+) lines/.exec(lines[at] ?? '');
  t.equal(at + Number(dropped?.[1]) + lines.slice(at + 1).length, FLOOD + 1, 'what is missing is counted');
});
