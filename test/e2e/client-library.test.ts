import {
  EventChannel,
  eventsUrl,
  logsOf,
  ProblemError,
  Rest,
  tasksOf,
  waitForJob,
  type ConnectionState,
  type EventOf,
  type Subject,
  type SubjectListener,
} from 'callsheet/api';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { test } from 'tap';
import { packageRoot } from '../../src/adapters/system/package-root.ts';
import { openPartitionableLink } from '../kit/partitionable-link.ts';
import { freePort, startService, startWorker, type RunningService } from '../kit/daemons.ts';
import { until } from '../kit/until.ts';

const TEMPLATE = JSON.stringify({
  specificationVersion: 'jobtemplate-2023-09',
  name: 'two lines',
  steps: [
    {
      name: 'Say',
      parameterSpace: { taskParameterDefinitions: [{ name: 'I', type: 'INT', range: '1-2' }] },
      hostRequirements: { amounts: [{ name: 'amount.worker.vcpu', min: 1 }] },
      script: { actions: { onRun: { command: 'echo', args: ['line {{Task.Param.I}}'] } } },
    },
  ],
});
const SLOW = TEMPLATE.replace('"echo"', '"sleep"').replace('line {{Task.Param.I}}', '1000');
const FAILING = TEMPLATE.replace('"echo"', '"false"');
const NO_JOB = '00000000-0000-7000-8000-000000000000';

type Said<S extends Subject> =
  | { readonly is: 'ready' | 'gap' | 'refused'; readonly reason?: string }
  | { readonly is: 'event'; readonly event: EventOf<S> };

/** Events that a listener received, in order. */
function recorder<S extends Subject>(): { readonly said: Said<S>[]; readonly listener: SubjectListener<S> } {
  const said: Said<S>[] = [];
  return {
    said,
    listener: {
      ready: () => said.push({ is: 'ready' }),
      gap: () => said.push({ is: 'gap' }),
      refused: (reason) => said.push({ is: 'refused', reason }),
      events: (list) => said.push(...list.map((event) => ({ is: 'event', event }) as const)),
    },
  };
}

const kindsOf = (said: readonly Said<Subject>[]): string[] => said.map(({ is }) => is);

const eventsOf = <S extends Subject>(said: readonly Said<S>[]): EventOf<S>[] =>
  said.flatMap((each) => (each.is === 'event' ? [each.event] : []));

const seqsOf = (said: readonly Said<Subject>[]): number[] => eventsOf(said).map(({ seq }) => seq);

const isConnected = (channel: EventChannel): Promise<boolean> =>
  until('the channel is connected', () => channel.state.kind === 'live');

/** Creates a farm with a queue, and returns a function that submits to it. */
async function farmOf(
  rest: Rest,
): Promise<(template: string, settings?: { readonly max_attempts: number }) => Promise<string>> {
  const farm = await rest.call('post', '/farms', { body: { name: 'studio' } });
  const queue = await rest.call('post', '/queues', { body: { name: 'main', farm_id: farm.id } });
  return async (text, settings) => {
    const query = { farm_id: farm.id, queue_id: queue.id, ...settings };
    const document = { type: 'application/json', text } as const;
    const made = await rest.call('post', '/jobs', { query, document });
    if (!('id' in made)) throw new Error('the server performed a dry run');
    return made.id;
  };
}

/** Runs examples/watch-job. */
async function watchJob(
  url: string,
  args: readonly string[],
): Promise<{ readonly code: unknown; readonly out: string; readonly err: string }> {
  const program = fileURLToPath(new URL('examples/watch-job/watch-job.js', packageRoot));
  const { PATH = '' } = process.env;
  const child = spawn(process.execPath, [program, ...args], { env: { PATH, SVC_URL: url } });
  const texts = { out: '', err: '' };
  child.stdout.on('data', (data) => (texts.out += String(data)));
  child.stderr.on('data', (data) => (texts.err += String(data)));
  const [code] = (await once(child, 'close')) as [unknown];
  return { code, ...texts };
}

void test('the client library with a running service', async (t) => {
  const folder = t.testdir();
  const options = { folder, httpPort: await freePort(), busPort: await freePort() };
  let service: RunningService = await startService(options);
  t.teardown(() => service.daemon.kill('SIGTERM'));
  const link = await openPartitionableLink(options.httpPort);
  t.teardown(() => link.close());
  const rest = new Rest({ base: `http://127.0.0.1:${options.httpPort}` });
  const channelTo = (port: number): EventChannel => {
    const channel = new EventChannel({ url: eventsUrl(`http://127.0.0.1:${port}`), random: () => 0 });
    t.teardown(() => channel.close());
    return channel;
  };
  const submit = await farmOf(rest);

  await t.test('requests for missing or forbidden objects are rejected with a reason', async (t) => {
    const channel = channelTo(options.httpPort);
    const tasks = recorder<ReturnType<typeof tasksOf>>();
    channel.subscribe(tasksOf(NO_JOB), tasks.listener);
    await until('the subscription is rejected', () => tasks.said.length > 0);
    t.same(tasks.said, [{ is: 'refused', reason: `unknown subject: there is no job ${NO_JOB}` }]);
    const missing = rest.call('get', '/jobs/{id}', { path: { id: NO_JOB } });
    const error = await missing.catch((reason: unknown) => reason);
    if (!(error instanceof ProblemError)) throw new Error(String(error));
    t.match(error, { status: 404, title: 'Not Found', errors: [], retryAfterMs: null });
    t.match(error.requestId, /^[0-9a-f-]{36}$/);
    await t.rejects(waitForJob(rest, channel, NO_JOB), { name: 'ProblemError', status: 404 });
  });

  await t.test('events arrive exactly once over a connection that is cut', async (t) => {
    const channel = channelTo(link.port);
    const jobs = recorder<'jobs'>();
    channel.subscribe('jobs', jobs.listener);
    await until('the subscription is active', () => jobs.said.length > 0);
    const job = await submit(SLOW);
    const change = (action: 'pause' | 'resume'): Promise<unknown> =>
      rest.call('patch', '/jobs/{id}', { path: { id: job }, body: { action } });
    await until('an event of the job arrives', () => eventsOf(jobs.said).length === 1);
    for (let round = 0; round < 3; round++) {
      link.cut();
      await until('the client has detected the cut', () => channel.state.kind === 'waiting');
      for (const action of ['pause', 'resume', 'pause', 'resume'] as const) await change(action);
      link.heal();
      channel.retryNow();
      await isConnected(channel);
      await change('pause');
      await change('resume');
    }
    const all = 1 + 3 * 6;
    await until('all events arrive', () => eventsOf(jobs.said).length >= all);
    t.same(kindsOf(jobs.said), ['ready', ...Array.from({ length: all }, () => 'event')]);
    const seqs = seqsOf(jobs.said);
    t.same(
      seqs,
      seqs.map((_, at) => (seqs[0] ?? 0) + at),
      'each event once, in order',
    );
    t.same(
      eventsOf(jobs.said).map(({ payload }) => payload.status),
      Array.from({ length: all }, (_, at) => (at % 2 === 0 ? 'pending' : 'paused')),
    );

    const late = recorder<'jobs'>();
    channel.subscribe('jobs', late.listener, { sinceSeq: seqs.at(-4) ?? 0 });
    await until('the last three events are sent again', () => eventsOf(late.said).length === 3);
    t.same(seqsOf(late.said), seqs.slice(-3));
    const kept = recorder<'jobs'>();
    const other = channelTo(options.httpPort);
    other.subscribe('jobs', kept.listener, { sinceSeq: 0 });
    await until('all events arrive', () => eventsOf(kept.said).length === all);
    t.same(seqsOf(kept.said), seqs);
    t.equal(eventsOf(jobs.said).length, all, 'events that the client already has are not delivered twice');
    await rest.call('post', '/jobs/{id}/cancel', { path: { id: job } });
  });

  await t.test('the client waits for a job while a worker runs it', async (t) => {
    const worker = startWorker(options, 'node-1', ['--worker-cpus=2']);
    t.teardown(() => worker.kill());
    const channel = channelTo(link.port);
    const workers = recorder<'workers'>();
    channel.subscribe('workers', workers.listener, { sinceSeq: 0 });
    await until('the worker is online', () =>
      eventsOf(workers.said).some(({ payload }) => payload.status === 'online'),
    );
    const parked = await submit(TEMPLATE);
    await rest.call('patch', '/jobs/{id}', { path: { id: parked }, body: { action: 'pause' } });
    await rest.call('post', '/jobs/{id}/cancel', { path: { id: parked } });
    t.match(
      await waitForJob(rest, channel, parked),
      { status: 'canceled' },
      'the wait for an ended job resolves',
    );

    const job = await submit(SLOW.replace('"1000"', '"1"'));
    const seen: string[] = [];
    const ended = waitForJob(rest, channel, job, { onJob: ({ status }) => seen.push(status) });
    const tasks = recorder<ReturnType<typeof tasksOf>>();
    channel.subscribe(tasksOf(job), tasks.listener);
    await until('an event of a task arrives', () => eventsOf(tasks.said).length > 0);
    link.cut();
    await until('the client has detected the cut', () => channel.state.kind === 'waiting');
    link.heal();
    t.match(await ended, { id: job, status: 'completed', task_counts: { succeeded: 2 } });
    t.equal(seen.at(-1), 'completed');
    await until(
      'both tasks have ended',
      () => eventsOf(tasks.said).filter(({ payload }) => payload.status === 'succeeded').length === 2,
    );

    const failing = await submit(FAILING, { max_attempts: 1 });
    t.match(await waitForJob(rest, channel, failing), { status: 'failed' });
    const [task] = (await rest.call('get', '/jobs/{id}/tasks', { path: { id: job } })).items;
    const log = recorder<ReturnType<typeof logsOf>>();
    channel.subscribe(logsOf(task?.id ?? ''), log.listener);
    await until('the log tail is open', () => log.said.length > 0);
    t.same(log.said, [{ is: 'ready' }]);

    const file = join(folder, 'two-lines.json');
    writeFileSync(file, TEMPLATE);
    const watched = await watchJob(rest.base, [file, 'studio', 'main']);
    t.match(watched, { code: 0, out: /^two lines: completed, 2 of 2 tasks have succeeded$/m, err: '' });
    writeFileSync(file, TEMPLATE.replace('onRun', 'onRan'));
    const refused = await watchJob(rest.base, [file, 'studio', 'main']);
    t.match(refused, { code: 2, out: '', err: /two-lines.json:1:[0-9]+: .*onRan: unknown key/ });

    const gone = waitForJob(rest, channel, await submit(SLOW), { signal: AbortSignal.timeout(100) });
    await t.rejects(gone, { name: 'TimeoutError' });
    const left = waitForJob(rest, channel, await submit(SLOW));
    channel.close();
    await t.rejects(left, { message: 'the event channel was closed' });
    await t.rejects(waitForJob(rest, channel, job), { message: 'the event channel was closed' });
  });

  await t.test('the client reconnects to a killed service, and its restart is a gap', async (t) => {
    const channel = channelTo(options.httpPort);
    const states: ConnectionState[] = [];
    channel.onState((state) => states.push(state));
    const jobs = recorder<'jobs'>();
    const workers = recorder<'workers'>();
    channel.subscribe('jobs', jobs.listener);
    channel.subscribe('workers', workers.listener, { sinceSeq: 0 });
    await until('both subscriptions are active', () => jobs.said.length > 0 && workers.said.length > 0);
    await submit(SLOW);
    await until('an event of the job arrives', () => eventsOf(jobs.said).length > 0);
    const waiting = waitForJob(rest, channel, await submit(SLOW));
    await service.daemon.kill();
    await until(
      'three attempts have failed',
      () => states.filter(({ kind }) => kind === 'waiting').length >= 4,
    );
    const waits = states.flatMap((state) =>
      state.kind === 'waiting' ? [Math.round(state.retryAt - state.since)] : [],
    );
    t.same(waits.slice(0, 4), [250, 500, 1_000, 2_000], 'each delay is twice as long as the one before');
    t.match(states.filter(({ kind }) => kind === 'waiting').at(-1), { reason: /ECONNREFUSED/ });
    await t.rejects(rest.call('get', '/farms'), { name: 'ServiceUnreachable', isAnswerLost: false });

    service = await startService(options);
    await isConnected(channel);
    await until('both gaps are reported', () =>
      [jobs.said, workers.said].every((said) => kindsOf(said).includes('gap')),
    );
    const job = await submit(SLOW);
    await until('new events arrive', () => eventsOf(jobs.said).some(({ payload }) => payload.job_id === job));
    t.same(
      kindsOf(jobs.said).filter((kind) => kind !== 'event'),
      ['ready', 'gap'],
    );
    const seqs = seqsOf(jobs.said);
    t.same(
      seqs,
      [...seqs].sort((a, b) => a - b),
    );
    t.equal(new Set(seqs).size, seqs.length);
    for (const { id } of (await rest.call('get', '/jobs', { query: { status: ['pending'] } })).items) {
      await rest.call('post', '/jobs/{id}/cancel', { path: { id } });
    }
    t.match(await waiting, { status: 'canceled' }, 'a caller that waits sees no error');
  });

  await t.test('the client works with the WebSocket of the browser', async (t) => {
    const program = fileURLToPath(new URL('programs/browser-channel.js', import.meta.url));
    const args = ['--experimental-websocket', '--no-warnings', program, rest.base];
    const page = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    t.teardown(() => page.kill('SIGKILL'));
    const lines: string[] = [];
    createInterface({ input: page.stdout }).on('line', (line) => lines.push(line.trim()));
    await until('the subscription is active', () => lines.includes('ready'));
    const job = await submit(SLOW);
    await until('the job event arrives', () => lines.length >= 3);
    await service.daemon.kill('SIGTERM');
    await until('the end event arrives', () => lines.some((line) => line.startsWith('waiting')));
    t.same(lines.slice(0, 4), ['live', 'ready', `event ${job} pending`, 'waiting the service is stopping']);
  });

  await t.test('a refused connection is retried', async (t) => {
    const limits = ['--http-rate-limit-enabled=true', '--http-rate-limit-rps=2', '--http-rate-limit-burst=1'];
    service = await startService({ ...options, flags: limits });
    const waits: number[] = [];
    const patient = new Rest({ base: rest.base, onWaiting: (ms) => waits.push(ms) });
    await Promise.all([1, 2, 3].map(() => patient.call('get', '/version')));
    t.ok(waits.length > 0, 'a call waits as long as the server asks for');
    const reasons = new Set<string>();
    // All calls start together. Two per second are allowed.
    const followers = [1, 2, 3].map(() => {
      const channel = channelTo(options.httpPort);
      channel.onState((state) => {
        if (state.kind === 'waiting') reasons.add(state.reason);
      });
      const workers = recorder<'workers'>();
      channel.subscribe('workers', workers.listener);
      return workers.said;
    });
    await until('all calls succeed', () => followers.every((said) => said.length > 0));
    t.same([...reasons], ['Unexpected server response: 429']);
    t.same(followers.map(kindsOf), [['ready'], ['ready'], ['ready']]);
  });
});
