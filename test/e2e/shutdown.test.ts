import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tap, { test, type Test } from 'tap';
import { SHUTDOWN_STEPS } from '../../daemons/process/shutdown.ts';
import { Daemon, freePort, startService, type RunningService } from '../kit/daemons.ts';
import { ScriptedWorker } from '../kit/scripted-worker.ts';
import { until } from '../kit/until.ts';

tap.setTimeout(120_000);

async function folderFor(t: Test): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'callsheet-shutdown-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

const ports = async () => ({ httpPort: await freePort(), busPort: await freePort() });

/** A raw HTTP connection. */
class Line {
  readonly socket: Socket;
  /** Resolves when the connection has ended or failed. */
  readonly closed: Promise<void>;
  private text = '';

  constructor(port: number) {
    this.socket = connect(port, '127.0.0.1');
    this.socket.setEncoding('utf8').on('data', (piece: string) => (this.text += piece));
    this.socket.on('error', () => undefined);
    this.closed = new Promise((resolve) => {
      this.socket.on('close', () => resolve());
    });
  }

  say(text: string): void {
    this.socket.write(text);
  }

  get(path: string): void {
    this.say(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  }

  /** Resolves with the output since the last call when it contains this text. */
  async heard(part: string): Promise<string> {
    await until(`a response with ${part}`, () => this.text.includes(part));
    const heard = this.text;
    this.text = '';
    return heard;
  }
}

const BODY = JSON.stringify({ name: 'begun before the stop' });

/**
 * Sends a request without the last byte of its body. The response to a later request proves that the server has
 * received it.
 */
async function begin(port: number): Promise<Line> {
  const line = new Line(port);
  await once(line.socket, 'connect');
  line.say(
    `POST /api/v1/farms HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY.slice(0, -1)}`,
  );
  for (let probe = 0; probe < 2; probe++) await fetch(`http://127.0.0.1:${port}/healthz`);
  return line;
}

const stoppedSteps = (service: RunningService): string[] =>
  [...service.daemon.log().matchAll(/ stopping: (?:done|nothing to stop) step="(\w+)"/g)].map(
    (match) => match[1] ?? '',
  );

test('running requests finish, new ones are rejected, and parked lease requests are answered, in the order of the contract', async (t) => {
  const service = await startService({ folder: await folderFor(t), ...(await ports()) });
  t.teardown(() => service.daemon.kill());
  t.match(
    service.daemon.log(),
    /INFO server: the HTTP engine was selected .*(uWebSockets\.js|node:http)|WARN server: the HTTP engine is node:http, because uWebSockets\.js cannot be used .*reason=/,
  );
  const farm = await service.api.makeFarm('show');
  const job = await farm.submit({
    specificationVersion: 'jobtemplate-2023-09',
    name: 'waits',
    steps: [
      {
        name: 'Step',
        hostRequirements: { amounts: [{ name: 'amount.worker.vcpu', min: 64 }] },
        script: { actions: { onRun: { command: 'true' } } },
      },
    ],
  });
  const [task] = await service.api.tasks(job.body.id);

  const answers: number[] = [];
  const worker = await ScriptedWorker.start(service, 'spoken', 1);
  t.teardown(() => worker.close());
  const leased = worker.lease().then(({ assignments }) => answers.push(assignments.length));
  await until('the request of the worker is parked', async () =>
    (await (await fetch(`${service.api.url}/metrics`)).text()).includes('svc_scheduler_parked_requests 1'),
  );
  const tail = new Line(service.httpPort);
  tail.get(`/api/v1/tasks/${task?.id ?? ''}/logs?tail=true`);
  const kept = new Line(service.httpPort);
  kept.get('/readyz');
  t.match(await kept.heard('details'), /^HTTP\/1.1 200 /);
  const begun = await begin(service.httpPort);

  service.daemon.child.kill('SIGTERM');
  await until('the service stops', () => service.daemon.log().includes('stopping'));
  kept.get('/readyz');
  t.match(await kept.heard('details'), /^HTTP\/1.1 503 [^]*"stopping":true/);
  const refused = new Line(service.httpPort);
  await refused.closed;
  t.strictSame(answers, [], 'tasks are still assigned while requests finish');
  t.strictSame(stoppedSteps(service), ['discovery']);
  begun.say(BODY.slice(-1));
  t.match(await begun.heard('begun before the stop'), /^HTTP\/1.1 201 /);
  await tail.closed;
  t.strictSame(await service.daemon.ended, { code: 0, signal: null });
  await leased;
  t.strictSame(answers, [0], 'the parked request was answered');
  t.strictSame(stoppedSteps(service), SHUTDOWN_STEPS);

  const again = await startService(service);
  t.teardown(() => again.daemon.kill());
  const farms = await again.api.must<{ name: string }[]>('GET', '/api/v1/farms');
  t.strictSame(farms.map(({ name }) => name).sort(), ['begun before the stop', 'show']);
  const late = await begin(again.httpPort);
  const other = new Line(again.httpPort);
  other.get('/readyz');
  await other.heard('details');
  again.daemon.child.kill('SIGTERM');
  await until('the service stops again', () =>
    /INFO server: stopping$/m.test(again.daemon.log().split('stopped').at(-1) ?? ''),
  );
  other.get('/api/v1/jobs');
  t.match(await other.heard('the service is stopping'), /^HTTP\/1.1 503 [^]*[Cc]onnection: close/);
  again.daemon.child.kill('SIGTERM');
  t.strictSame(await again.daemon.ended, { code: 1, signal: null }, 'a second signal ends it at once');
  t.match(again.daemon.log(), 'callsheet: a second signal: ending at once, without waiting for running work');
  late.socket.destroy();

  // The next service adopts the nats-server that was left running.
  const third = await startService(service);
  t.match(third.daemon.log(), /nats-server answers .*isAdopted=true/);
  await third.daemon.kill('SIGTERM');
  t.strictSame(await third.daemon.ended, { code: 0, signal: null });
});

test('after a stop during the start the store can be opened again', async (t) => {
  const folder = await folderFor(t);
  const { httpPort, busPort } = await ports();
  const dataOf = (moment: number): string => join(folder, `data-${moment}`);
  const flags = [
    `--http-addr=127.0.0.1:${httpPort}`,
    `--bus-addr=127.0.0.1:${busPort}`,
    '--log-format=text',
    '--stop-bus',
  ];
  const moments: readonly (readonly [what: string, hasCome: (data: string, log: string) => boolean])[] = [
    ['the store is created', (data) => existsSync(join(data, 'state/data.mdb'))],
    ['the bus is configured', (data) => existsSync(join(data, 'bus/nats-server.conf'))],
    ['the log store is created', (data) => existsSync(join(data, 'logs/data.mdb'))],
    ['a thread is on the bus', (_data, log) => log.includes('bus: connected')],
  ];
  for (const [moment, [what, hasCome]] of moments.entries()) {
    const logFile = join(folder, `${moment}.log`);
    const run = (): Daemon => new Daemon(['server', ...flags, `--data-dir=${dataOf(moment)}`], logFile);
    const daemon = run();
    t.teardown(() => daemon.kill());
    await until(what, () => hasCome(dataOf(moment), existsSync(logFile) ? daemon.log() : ''));
    daemon.child.kill('SIGTERM');
    t.strictSame(await daemon.ended, { code: 0, signal: null }, what);
    const again = run();
    t.teardown(() => again.kill());
    await again.printed(/http:\/\/\S+/);
    again.child.kill('SIGTERM');
    t.strictSame(await again.ended, { code: 0, signal: null }, `after a stop when ${what}`);
  }
});
