import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import {
  Daemon,
  freePort,
  IS_BUS_AUTHENTICATED,
  joinFlags,
  startService,
  startWorker,
  type RunningService,
} from '../kit/daemons.ts';
import { finishedRuns, readRuns, recordingTemplate } from '../kit/flight-recorder.ts';
import { until } from '../kit/until.ts';

/**
 * Outages of their real length with the default heartbeat timeout of 30 s (docs/faults.md#outages). All cases run at the
 * same time, each with a farm of its own. Prints one JSON line for each case, and exits with 1 if a task was lost or
 * ran twice.
 */
const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const TASKS = 6;
const END_MS = 40 * MINUTE_MS;
const SIMULATED_WORKERS = 1_000;
const SIMULATED_TASK_SECONDS = 240;

interface Outage {
  readonly name: string;
  readonly flags: readonly string[];
  readonly outageMs: number;
  readonly run: (farm: Farm, outageMs: number) => Promise<void>;
}

interface Farm {
  readonly folder: string;
  service: RunningService;
}

const RECLAIM_LATER = ['--scheduler-reclaim-after=5m'];

async function killService(farm: Farm, outageMs: number): Promise<void> {
  await farm.service.daemon.kill();
  await delay(outageMs);
  farm.service = await startService(farm.service);
}

async function killBoth(farm: Farm, outageMs: number): Promise<void> {
  await farm.service.daemon.kill();
  killBus(farm);
  await delay(outageMs);
  farm.service = await startService(farm.service);
}

async function killBusFor(farm: Farm, outageMs: number): Promise<void> {
  const endsAt = performance.now() + outageMs;
  // The service starts it again and again.
  while (performance.now() < endsAt) {
    killBus(farm);
    await delay(50);
  }
}

async function pauseService({ service }: Farm, outageMs: number): Promise<void> {
  service.daemon.child.kill('SIGSTOP');
  await delay(outageMs);
  service.daemon.child.kill('SIGCONT');
}

async function upgrade(farm: Farm, outageMs: number): Promise<void> {
  await farm.service.daemon.kill('SIGTERM');
  await delay(outageMs);
  farm.service = await startService(farm.service);
}

const OUTAGES: readonly Outage[] = [
  { name: 'service dead for 10 minutes', flags: [], outageMs: 10 * MINUTE_MS, run: killService },
  {
    name: 'service and bus dead for 2 minutes',
    flags: RECLAIM_LATER,
    outageMs: 2 * MINUTE_MS,
    run: killBoth,
  },
  { name: 'bus dead for 2 minutes', flags: RECLAIM_LATER, outageMs: 2 * MINUTE_MS, run: killBusFor },
  { name: 'service paused for 40 s', flags: RECLAIM_LATER, outageMs: 40 * SECOND_MS, run: pauseService },
];

/** Returns the process of the managed nats-server, or null. */
function busOf({ folder }: Farm): number | null {
  const config = join(folder, 'data', 'bus', 'nats-server.conf');
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const [, flag, path] = readFileSync(`/proc/${name}/cmdline`, 'utf8').split('\0');
      if (flag === '-c' && path?.endsWith(config) === true) return Number(name);
    } catch {
      // It has exited meanwhile.
    }
  }
  return null;
}

function killBus(farm: Farm): void {
  const pid = busOf(farm);
  if (pid !== null) process.kill(pid, 'SIGKILL');
}

async function startFarm(flags: readonly string[]): Promise<Farm> {
  const folder = await mkdtemp(join(tmpdir(), 'callsheet-outages-'));
  const ports = { httpPort: await freePort(), busPort: await freePort() };
  return { folder, service: await startService({ folder, ...ports, keepsBus: true, flags }) };
}

async function stopFarm(farm: Farm, workers: readonly Daemon[]): Promise<void> {
  await Promise.all(workers.map((worker) => worker.kill('SIGTERM')));
  await farm.service.daemon.kill('SIGTERM');
  killBus(farm);
}

async function onlineWorkers({ service: { api } }: Farm): Promise<number> {
  const { total } = await api.must<{ readonly total: number }>(
    'GET',
    '/api/v1/workers?status=online&limit=1',
  );
  return total;
}

/** Waits until that many tasks of the job run. */
const untilRunning = ({ service }: Farm, jobId: string, tasks: number): Promise<unknown> =>
  until(
    `${tasks} tasks run`,
    async () => (await service.api.job(jobId)).task_counts.running === tasks,
    5 * MINUTE_MS,
  );

const untilEnded = (farm: Farm, jobId: string): Promise<unknown> =>
  until(
    'the job has ended',
    async () => {
      const job = await farm.service.api.job(jobId).catch(() => null);
      return job !== null && ['completed', 'failed', 'canceled'].includes(job.status);
    },
    END_MS,
  );

async function attemptsOf({ service: { api } }: Farm, jobId: string): Promise<number> {
  let attempts = 0;
  for (const task of await api.tasks(jobId)) attempts += (await api.attempts(task.id)).length;
  return attempts;
}

interface Result {
  readonly outage: string;
  readonly tasks: number;
  readonly succeeded: number;
  readonly attempts: number;
  /** Processes that were started, and tasks whose process ended by itself more than once. */
  readonly processes: number;
  readonly ranTwice: number;
}

async function runOutage({ name, flags, outageMs, run }: Outage): Promise<Result> {
  const farm = await startFarm(flags);
  const workers: Daemon[] = [];
  try {
    const show = await farm.service.api.makeFarm('show');
    const cores = TASKS / 2;
    for (const worker of ['w0', 'w1'])
      workers.push(startWorker(farm.service, worker, [`--worker-cpus=${cores}`]));
    const record = join(farm.folder, 'record.txt');
    const { body } = await show.submit(recordingTemplate(record, TASKS, outageMs + MINUTE_MS));
    await untilRunning(farm, body.id, TASKS);
    await run(farm, outageMs);
    await untilEnded(farm, body.id);
    const runs = readRuns(record);
    return {
      outage: name,
      tasks: TASKS,
      succeeded: (await farm.service.api.job(body.id)).task_counts.succeeded,
      attempts: await attemptsOf(farm, body.id),
      processes: runs.length,
      ranTwice: [...finishedRuns(runs).values()].filter((times) => times > 1).length,
    };
  } finally {
    await stopFarm(farm, workers);
  }
}

/** An upgrade while 1,000 simulated workers run a task each. */
async function runUpgrade(): Promise<Result> {
  const farm = await startFarm([]);
  const show = await farm.service.api.makeFarm('show');
  const workers = startSimulatedWorkers(farm);
  try {
    // With authentication, each of them first exchanges a token: the first tasks could end before the last worker is there.
    await until(
      `${SIMULATED_WORKERS} workers are online`,
      async () => (await onlineWorkers(farm)) === SIMULATED_WORKERS,
      END_MS,
    );
    const template = recordingTemplate(join(farm.folder, 'unused'), SIMULATED_WORKERS, SECOND_MS);
    const { body } = await show.submit(template);
    await untilRunning(farm, body.id, SIMULATED_WORKERS);
    await upgrade(farm, MINUTE_MS);
    await untilEnded(farm, body.id);
    const attempts = await attemptsOf(farm, body.id);
    const succeeded = (await farm.service.api.job(body.id)).task_counts.succeeded;
    const outage = `upgrade of one minute under ${SIMULATED_WORKERS} tasks of simulated workers`;
    return { outage, tasks: SIMULATED_WORKERS, succeeded, attempts, processes: attempts, ranTwice: 0 };
  } finally {
    await stopFarm(farm, [workers]);
  }
}

const startSimulatedWorkers = ({ folder, service }: Farm): Daemon =>
  new Daemon(
    [
      'worker',
      `--simulate=${SIMULATED_WORKERS}`,
      `--task-seconds=${SIMULATED_TASK_SECONDS}`,
      `--bus-url=nats://127.0.0.1:${service.busPort}`,
      '--worker-cpus=1',
      '--worker-allow-root=true',
      `--worker-dir=${join(folder, 'workers')}`,
      ...joinFlags(folder),
    ],
    join(folder, 'workers.log'),
  );

const wanted = process.argv[2] ?? '';
const cases = [
  ...OUTAGES.filter(({ name }) => name.includes(wanted)).map((outage) => () => runOutage(outage)),
  ...('upgrade'.includes(wanted) ? [runUpgrade] : []),
];
// All cases run to their end, also when one cannot be measured: their processes would remain otherwise.
const settled = await Promise.allSettled(
  cases.map(async (run) => {
    const result = await run();
    process.stdout.write(`${JSON.stringify(result)}\n`);
    return result;
  }),
);
const results = settled.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
const failures = settled.flatMap((each) => (each.status === 'rejected' ? [each.reason as unknown] : []));
for (const failure of failures) process.stderr.write(`a case could not be measured: ${String(failure)}\n`);
const figures = {
  at: new Date().toISOString(),
  cores: availableParallelism(),
  isBusAuthenticated: IS_BUS_AUTHENTICATED,
  results,
};
writeFileSync(join(tmpdir(), 'callsheet-outages.json'), `${JSON.stringify(figures, null, 2)}\n`);
const isGood = ({ tasks, succeeded, attempts, processes, ranTwice }: Result): boolean =>
  succeeded === tasks && attempts === tasks && processes === tasks && ranTwice === 0;
process.exitCode = failures.length === 0 && results.every(isGood) ? 0 : 1;
