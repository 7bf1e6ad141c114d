import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { Agent, get, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tap, { test } from 'tap';
import { freePort, startService, startWorker, type RunningService } from '../kit/daemons.ts';
import { until } from '../kit/until.ts';

tap.setTimeout(240_000);

const MIB = 2 ** 20;
const LIMIT = 8 * MIB;
const CUT = `[callsheet] the log of this task is cut here: it exceeds ${LIMIT} bytes (logs.max_bytes_per_task)\n`;

/** A job of one task. The task continues when the file `GO` exists. */
const template = (name: string, script: string): object => ({
  specificationVersion: 'jobtemplate-2023-09',
  name,
  steps: [
    {
      name: 'Say',
      hostRequirements: { amounts: [{ name: 'amount.worker.vcpu', min: 1 }] },
      script: {
        actions: {
          onRun: {
            command: 'bash',
            args: ['-c', `GO() { while [ ! -e "$1" ]; do sleep 0.02; done; }; ${script}`],
          },
        },
      },
    },
  ],
});

interface Chunk {
  readonly bus_seq: number;
  readonly seq_num: number;
  readonly data: string;
}

const chunksOf = (text: string): Chunk[] =>
  text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Chunk]));

/** Returns the numbers from..to, one per line. */
function numbers(from: number, to: number): string {
  let text = '';
  for (let number = from; number <= to; number++) text += `${number}\n`;
  return text;
}

/** Resident memory of a process. */
const threadsOf = (pid: number): number => readdirSync(`/proc/${pid}/task`).length;
const filesOf = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length;
const residentMib = (pid: number): number =>
  Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? NaN) / 1024;

/** Opens a response and resolves with its head, which arrives with the first chunk. */
const open = (service: RunningService, path: string, agent: Agent): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    get(`${service.api.url}${path}`, { agent }, resolve).on('error', reject);
  });

/** Reads a response to its end. Rejects if it is incomplete. */
async function textOf(message: IncomingMessage): Promise<string> {
  message.setEncoding('utf8');
  let text = '';
  for await (const piece of message) text += String(piece);
  if (!message.complete) throw new Error('the response ended early');
  return text;
}

await test('task logs of a running service', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'callsheet-logs-'));
  const options = {
    folder,
    httpPort: await freePort(),
    busPort: await freePort(),
    flags: [`--logs-max-bytes-per-task=${LIMIT}`],
  };
  let service = await startService(options);
  const { api } = service;
  const farm = await api.makeFarm('show');
  const worker = startWorker(service, 'one', ['--worker-cpus=8']);
  const agent = new Agent({ keepAlive: false, maxSockets: Infinity });
  t.teardown(async () => {
    agent.destroy();
    await worker.kill('SIGTERM');
    await service.daemon.kill('SIGTERM');
    if (t.passing()) await rm(folder, { recursive: true, force: true });
    else t.comment(`${worker.log().slice(-4000)}\n${service.daemon.log().slice(-4000)}`);
  });
  const goFile = (name: string): string => join(folder, name);
  const go = (name: string): Promise<void> => writeFile(goFile(name), '');
  const submit = async (name: string, script: string): Promise<{ job: string; task: string }> => {
    const { status, body } = await farm.submit(template(name, script), { max_attempts: '1' });
    t.equal(status, 201, name);
    const [task] = await api.tasks(body.id);
    return { job: body.id, task: task?.id ?? '' };
  };
  const ended = (job: string): Promise<string> =>
    until(`the job ${job} has ended`, async () => {
      const { status } = await api.job(job);
      return ['completed', 'failed', 'canceled'].includes(status) && status;
    });
  const has = (task: string, text: string): Promise<unknown> =>
    until(`the log contains ${text}`, async () => (await api.log(task)).includes(text));
  const tail = (task: string, query = ''): Promise<IncomingMessage> =>
    open(service, `/api/v1/tasks/${task}/logs?tail=true${query}`, agent);
  const download = async (task: string, query = ''): Promise<string> => {
    const message = await open(service, `/api/v1/tasks/${task}/log${query}`, agent);
    t.equal(message.statusCode, 200);
    return textOf(message);
  };

  await t.test('pages: limits, cursor, invalid input', async (t) => {
    const { job, task } = await submit(
      'pages',
      'for i in 1 2 3; do echo out $i; echo err $i >&2; sleep 0.12; done',
    );
    t.equal(await ended(job), 'completed');
    await has(task, 'err 3');
    const logs = `/api/v1/tasks/${task}/logs`;
    interface LogPage {
      readonly items: readonly Chunk[];
      readonly after_bus_seq: number;
    }
    const whole = await api.must<LogPage>('GET', logs);
    t.ok(whole.items.length >= 2);
    const one: Chunk[] = [];
    let cursor = 0;
    for (;;) {
      const page = await api.must<LogPage>('GET', `${logs}?limit=1&after_bus_seq=${cursor}`);
      if (page.items.length === 0) {
        t.equal(page.after_bus_seq, cursor, 'an empty page returns the same cursor');
        break;
      }
      t.equal(page.after_bus_seq, page.items[0]?.bus_seq);
      one.push(...page.items);
      cursor = page.after_bus_seq;
    }
    t.same(one, whole.items, 'pages of one chunk contain the log, each chunk once');
    const last = Number.MAX_SAFE_INTEGER;
    t.same(await api.must('GET', `${logs}?limit=1000&after_bus_seq=${last}`), {
      items: [],
      after_bus_seq: last,
    });
    const bad = ['limit=0', 'limit=1001', 'limit=1.5', 'limit=', 'after_bus_seq=-1', 'after_bus_seq=0.5'];
    bad.push('after_bus_seq=9007199254740992', 'after_bus_seq=1e3', 'tail=1', 'tail=true&limit=0');
    for (const query of bad) t.equal((await api.call('GET', `${logs}?${query}`)).status, 400, query);
    for (const id of ['x', task.replace(/.$/, '9'), `${task}-1`]) {
      for (const path of [`${id}/logs`, `${id}/logs?tail=true`, `${id}/log`]) {
        t.equal((await api.call('GET', `/api/v1/tasks/${path}`)).status, 404, path);
      }
    }
    const out = await download(task, '?stream=stdout');
    t.equal(out, 'out 1\nout 2\nout 3\n');
    t.equal(await download(task, '?stream=stderr&attempt=1'), 'err 1\nerr 2\nerr 3\n');
    t.equal((await api.call('GET', `/api/v1/tasks/${task}/log?attempt=2`)).status, 404);
    t.equal((await api.call('GET', `/api/v1/tasks/${task}/log?stream=all`)).status, 400);
  });

  await t.test(
    'two thousand tails of a running task end with it and receive every chunk once, in order',
    async (t) => {
      const { task } = await submit(
        'crowd',
        `echo begin; GO ${goFile('crowd')}; for i in {1..15}; do echo line $i; sleep 0.12; done; echo last`,
      );
      await has(task, 'begin');
      const threads = threadsOf(service.daemon.pid);
      const tails: IncomingMessage[] = [];
      while (tails.length < 2000) {
        tails.push(...(await Promise.all(Array.from({ length: 250 }, () => tail(task)))));
      }
      t.equal(threadsOf(service.daemon.pid), threads, 'tails use no threads');
      const texts = Promise.all(tails.map(textOf));
      await go('crowd');
      const [first = '', ...others] = await texts;
      t.equal(others.filter((text) => text !== first).length, 0, 'all tails have the same text');
      const chunks = chunksOf(first);
      t.equal(
        chunks.map(({ data }) => data).join(''),
        `begin\n${numbers(1, 15).replaceAll(/^(?=.)/gm, 'line ')}last\n`,
      );
      t.same(
        chunks.map(({ seq_num }) => seq_num),
        chunks.map((_chunk, nth) => nth + 1),
      );
      t.same(chunks, (await api.must<{ items: Chunk[] }>('GET', `/api/v1/tasks/${task}/logs`)).items);
      t.equal((await api.call<{ status: string }>('GET', `/api/v1/tasks/${task}`)).body.status, 'succeeded');
    },
  );

  await t.test('disconnected clients are removed', async () => {
    const { job, task } = await submit('leave', `echo begin; GO ${goFile('leave')}`);
    await has(task, 'begin');
    const files = filesOf(service.daemon.pid);
    const tails = await Promise.all(Array.from({ length: 300 }, () => tail(task)));
    await until('the tails are open', () => filesOf(service.daemon.pid) >= files + 300);
    for (const message of tails) message.destroy();
    await until('the tails are closed', () => filesOf(service.daemon.pid) <= files + 5);
    await go('leave');
    await ended(job);
  });

  await t.test(
    'clients that do not read use little memory, and receive everything when they do',
    async (t) => {
      const { job, task } = await submit('large', 'seq 1 1000000');
      const expected = numbers(1, 1_000_000);
      t.ok(expected.length > 6 * MIB);
      await ended(job);
      const messages: IncomingMessage[] = [];
      // Memory of one read without other clients.
      for (let nth = 0; nth < 20; nth++) messages.push(await tail(task));
      const before = residentMib(service.daemon.pid);
      for (let nth = 0; nth < 60; nth++) messages.push(await tail(task));
      for (let nth = 0; nth < 20; nth++) t.equal((await api.call('GET', '/healthz')).status, 200);
      const grown = residentMib(service.daemon.pid) - before;
      // The heap of the service varies by some tens of MiB. If it kept the logs for the clients, it would grow by all of
      // them.
      const kept = (60 * expected.length) / MIB;
      t.ok(grown < kept / 2, `60 logs of 7 MiB without a reader took ${Math.round(grown)} MiB`);
      const slow = messages.pop();
      for (const message of messages) message.destroy();
      if (slow === undefined) throw new Error('no tail');
      const data = chunksOf(await textOf(slow)).map((chunk) => chunk.data);
      t.ok(data.join('') === expected, 'the tail receives the whole log in order');
      t.ok((await download(task)) === expected, 'the download has the whole log in order');
      const message = await open(service, `/api/v1/tasks/${task}/log`, agent);
      t.equal(message.headers['content-type'], 'text/plain; charset=utf-8');
      t.equal(message.headers['content-disposition'], `attachment; filename="${task}.log"`);
      message.destroy();
    },
  );

  await t.test('a log is truncated at its limit with one line, across a restart and attempts', async (t) => {
    const { job, task } = await submit(
      'cut',
      `seq 1 1000000; GO ${goFile('cut')}; seq 1000001 1400000; echo end >&2; exit 1`,
    );
    await has(task, '\n1000000\n');
    const other = await submit('shutdown', `echo begin; GO ${goFile('shutdown')}; echo end`);
    await has(other.task, 'begin');
    const interrupted = await tail(other.task);
    const read = textOf(interrupted);
    await service.daemon.kill('SIGTERM');
    const [chunk] = chunksOf(await read);
    t.equal(chunk?.data, 'begin\n', 'a tail that is interrupted by a shutdown ends cleanly');
    service = await startService(options);
    const following = await tail(other.task, '&after_bus_seq=0');
    await Promise.all([go('cut'), go('shutdown')]);
    t.equal(
      chunksOf(await textOf(following))
        .map(({ data }) => data)
        .join(''),
      'begin\nend\n',
    );
    t.equal(await ended(job), 'failed');
    await has(task, CUT);
    const text = await download(task);
    const kept = numbers(1, 1_400_000).slice(0, LIMIT);
    t.ok(text.startsWith(kept), 'everything below the limit is stored');
    t.equal(text.slice(LIMIT).trimStart(), CUT);
    t.equal((await api.call('POST', `/api/v1/tasks/${task}/retry`)).status, 202);
    const [again] = await Promise.all([
      until('the second attempt has ended', async () => {
        const attempts = await api.attempts(task);
        return attempts.length === 2 && attempts[1]?.status === 'failed';
      }),
      ended(job),
    ]);
    t.equal(again, true);
    t.equal(await textOf(await tail(task)).then((lines) => chunksOf(lines).at(-1)?.data.endsWith(CUT)), true);
    t.ok((await download(task)) === text, 'nothing was stored after it');
    t.equal(await download(task, '?attempt=2'), '');
  });

  await t.test('the tails of a canceled task and of a deleted job end', async (t) => {
    const { task } = await submit(
      'cancel',
      'trap "echo interrupted; exit 1" TERM; echo begin; while :; do sleep 0.05; done',
    );
    await has(task, 'begin');
    const canceled = tail(task).then(textOf);
    t.equal((await api.call('POST', `/api/v1/tasks/${task}/cancel`)).status, 202);
    t.match(chunksOf(await canceled)[0], { data: 'begin\n' });
    const removed = await submit('remove', 'echo begin; sleep 600');
    await has(removed.task, 'begin');
    const message = await tail(removed.task);
    const text = textOf(message);
    t.equal((await api.call('DELETE', `/api/v1/jobs/${removed.job}`)).status, 204);
    t.match(chunksOf(await text)[0], { data: 'begin\n' });
  });
});
