import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, relative } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { CommandError, EXIT, type ExitCode } from '../terminal/exit-codes.ts';
import { createFarm } from '../nouns/farms.ts';
import { allFarms, allQueues, allWorkers } from '../client/lookup.ts';
import { ProgressView } from '../jobs/progress.ts';
import { createQueue } from '../nouns/queues.ts';
import type { JobDetail } from '../../client/resources.ts';
import { RestClient } from '../client/rest-client.ts';
import { readTemplateFile } from '../submission/template-file.ts';
import { submitJob } from '../submission/template-submission.ts';
import { processTerminal } from '../terminal/terminal.ts';
import { WATCHING, exitCodeOfJob, waitForJob } from '../jobs/waiting.ts';
import { Daemon } from './daemon.ts';
import { freePort } from './free-port.ts';

/** `npm run demo`: a server, two workers and a job on this machine, controlled with the code of the commands. */

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const TEMPLATE = join(ROOT, 'examples/fractal/template.yaml');
const DIR = join(ROOT, 'var/demo');
const PID_FILE = join(DIR, 'demo.pid');

const HTTP_PORT = 8080;
const BUS_PORT = 14222;
const FARM = 'demo';
const QUEUE = 'render';
const WORKERS = ['demo-1', 'demo-2'];
const READY_MS_MAX = 60_000;
const READY_POLL_MS = 200;

const terminal = processTerminal();
const print = (text: string): void => terminal.out(`${text}\n`);
const shown = (path: string): string => relative(process.cwd(), path) || '.';

/**
 * Reports whether the process with this id is a demo. If the system does not report what a process runs, every process
 * counts as one.
 */
function isDemo(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  const commandLine = `/proc/${pid}/cmdline`;
  return !existsSync(commandLine) || readFileSync(commandLine, 'utf8').includes('demo.js');
}

/** Two demos cannot share a folder: the store has one writer. */
function refuseSecondDemo(): void {
  if (!existsSync(PID_FILE)) return;
  const pid = Number(readFileSync(PID_FILE, 'utf8'));
  if (!isDemo(pid)) return;
  throw new CommandError(
    EXIT.conflict,
    `a demo is already running in ${shown(DIR)} (process ${pid}): stop it with Ctrl-C first`,
  );
}

async function portFor(what: string, wished: number): Promise<number> {
  const port = await freePort(wished);
  if (port !== wished) print(`port ${wished} is taken: ${what} uses ${port}`);
  return port;
}

/** Waits for a condition. Throws if a daemon ends meanwhile. */
async function waitFor(
  what: string,
  daemons: readonly Daemon[],
  isTrue: () => Promise<boolean>,
): Promise<void> {
  const start = performance.now();
  while (!(await isTrue())) {
    const dead = daemons.find((daemon) => !daemon.isRunning);
    if (dead !== undefined) {
      throw new CommandError(
        EXIT.unavailable,
        `${dead.name} has ended (${shown(dead.logFile)}):\n${dead.tail()}`,
      );
    }
    if (performance.now() - start > READY_MS_MAX) {
      const logs = daemons.map(({ logFile }) => shown(logFile)).join(', ');
      throw new CommandError(
        EXIT.unavailable,
        `${what} took longer than ${READY_MS_MAX / 1000} s; see ${logs}`,
      );
    }
    await delay(READY_POLL_MS);
  }
}

async function isReady(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/readyz`)).status === 200;
  } catch {
    return false;
  }
}

function startServer(url: string, busPort: number | null, environment: NodeJS.ProcessEnv): Daemon {
  const args = [
    'server',
    '--http-addr',
    new URL(url).host,
    '--data-dir',
    join(DIR, 'data'),
    '--log-format',
    'text',
    '--stop-bus',
  ];
  if (busPort !== null) args.push('--bus-addr', `127.0.0.1:${busPort}`);
  return new Daemon('the server', args, join(DIR, 'server.log'), environment);
}

function startWorker(name: string, busPort: number | null, environment: NodeJS.ProcessEnv): Daemon {
  const cpus = Math.max(1, Math.floor(availableParallelism() / WORKERS.length));
  const args = ['worker', '--worker-name', name, '--worker-farm', FARM, '--worker-cpus', String(cpus)];
  args.push('--worker-dir', join(DIR, name), '--log-format', 'text');
  if (busPort !== null) args.push('--bus-url', `nats://127.0.0.1:${busPort}`);
  return new Daemon(`the worker ${name}`, args, join(DIR, `${name}.log`), environment);
}

/** Creates the farm and the queue of the demo if they do not exist. */
async function provideFarmAndQueue(client: RestClient): Promise<void> {
  const known = (await allFarms(client)).find(({ name }) => name === FARM);
  const farm = known ?? (await createFarm(client, FARM, 'The farm of npm run demo'));
  if (known === undefined) print(`created the farm ${FARM}`);
  const queues = await allQueues(client, farm.id);
  if (queues.some(({ name }) => name === QUEUE)) return;
  await createQueue(client, farm.id, QUEUE, { description: 'The queue of npm run demo', priority: 0 });
  print(`created the queue ${QUEUE}`);
}

async function workersAreOnline(client: RestClient): Promise<boolean> {
  const workers = await allWorkers(client);
  return WORKERS.every((name) =>
    workers.some((worker) => worker.name === name && worker.status === 'online'),
  );
}

async function renderJob(client: RestClient, picturesDir: string): Promise<JobDetail> {
  const submission = {
    file: await readTemplateFile(TEMPLATE),
    farm: FARM,
    queue: QUEUE,
    dependsOn: [],
    parameters: new Map([['OutputDir', picturesDir]]),
    options: {},
  };
  const job = await submitJob({ client, terminal, farm: null, queue: null }, submission, () =>
    print('waiting for the server'),
  );
  print(`submitted ${shown(TEMPLATE)} as job ${job.id}`);
  return waitForJob(client, job.id, new ProgressView(terminal), WATCHING);
}

function printResult(job: JobDetail, picturesDir: string, url: string): void {
  print('');
  if (job.status === 'completed') {
    print(`${job.task_counts.succeeded} tasks succeeded. The pictures:`);
    print(`  ${join(picturesDir, 'fractal.png')} (animated: open it in a browser)`);
    print(`  ${join(picturesDir, 'contact-sheet.png')}`);
  } else {
    print(`The job has ${job.status}: ${job.failure_summary.dominant_reason || 'no reason was given'}`);
    print(`  callsheet tasks ${job.id} --status failed --url ${url}`);
  }
  print(`The job in a browser: ${url}/jobs/${job.id}`);
}

/** Resolves when the demo is asked to stop. Further requests have no effect: daemons must not outlive the demo. */
const interrupted = (): Promise<void> =>
  new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => resolve());
  });

async function demo(exits: boolean): Promise<ExitCode> {
  const outsideBus = (process.env['SVC_BUS_URL'] ?? '') !== '';
  const url = `http://127.0.0.1:${await portFor('the server', HTTP_PORT)}`;
  const busPort = outsideBus ? null : await portFor('the bus', BUS_PORT);
  const workerEnvironment = { ...process.env };
  if (process.getuid?.() === 0) {
    print(
      'running as root: SVC_WORKER_ALLOW_ROOT=true lets the demo workers run jobs as root; do not do that on a real farm',
    );
    workerEnvironment['SVC_WORKER_ALLOW_ROOT'] = 'true';
  }

  const daemons: Daemon[] = [];
  let isStopping = false;
  const start = (daemon: () => Daemon): Daemon => {
    // After an interrupt, the setup continues for a moment. It must not start a daemon that would never be stopped.
    if (isStopping) throw new CommandError(EXIT.failed, 'the demo is stopping');
    const started = daemon();
    daemons.push(started);
    return started;
  };
  const stopAll = async (): Promise<void> => {
    isStopping = true;
    const [server, ...workers] = daemons;
    await Promise.all(workers.map((worker) => worker.stop()));
    await server?.stop();
  };
  const work = async (): Promise<ExitCode> => {
    const server = start(() => startServer(url, busPort, process.env));
    await waitFor('the start of the server', daemons, () => isReady(url));
    print(`the server is ready: ${url} (log: ${shown(server.logFile)})`);
    const client = new RestClient(url);
    await provideFarmAndQueue(client);
    for (const name of WORKERS) start(() => startWorker(name, busPort, workerEnvironment));
    await waitFor('the start of the workers', daemons, () => workersAreOnline(client));
    print(
      `two workers are online (logs: ${daemons
        .slice(1)
        .map(({ logFile }) => shown(logFile))
        .join(', ')})`,
    );
    const picturesDir = join(DIR, 'pictures', new Date().toISOString().replaceAll(/[:.]/g, '-'));
    const job = await renderJob(client, picturesDir);
    printResult(job, picturesDir, url);
    return exitCodeOfJob(job);
  };

  const stopped = interrupted();
  try {
    const outcome = await Promise.race([work(), stopped.then(() => null)]);
    if (outcome === null) return exits ? EXIT.failed : EXIT.ok;
    if (exits) return outcome;
    print('\nThe server and the workers continue to run. Ctrl-C stops them.');
    await Promise.race([stopped, ...daemons.map(({ ended }) => ended)]);
    const dead = daemons.find((daemon) => !daemon.isRunning);
    if (dead === undefined) return EXIT.ok;
    throw new CommandError(
      EXIT.unavailable,
      `${dead.name} has ended (${shown(dead.logFile)}):\n${dead.tail()}`,
    );
  } finally {
    print('stopping');
    await stopAll();
  }
}

async function main(): Promise<ExitCode> {
  const { values } = parseArgs({ options: { fresh: { type: 'boolean' }, exit: { type: 'boolean' } } });
  refuseSecondDemo();
  if (values.fresh === true) {
    rmSync(DIR, { recursive: true, force: true });
    print(`wiped ${shown(DIR)}`);
  }
  mkdirSync(DIR, { recursive: true });
  writeFileSync(PID_FILE, String(process.pid));
  try {
    return await demo(values.exit === true);
  } finally {
    rmSync(PID_FILE, { force: true });
  }
}

try {
  // Requests of an interrupted demo may still be open. They must not delay its end.
  process.exit(await main());
} catch (error) {
  console.error(error instanceof CommandError ? error.message : error);
  process.exit(error instanceof CommandError ? error.exitCode : EXIT.failed);
}
