/**
 * Question: what do simulated workers cost, and does a service carry them? Runs `callsheet worker --simulate N` on a
 * real service. Measures memory per worker, the time until all are registered, and the share of the possible tasks that
 * they complete. Yardstick, in the same run: one simulated worker for the memory, and the tasks that N workers would
 * complete with a service that answers at once.
 *
 * npm run bench -- simulate [--workers 1000] [--task-seconds 5] [--seconds 60] [--settle 10] [--json]
 */
import { parseArgs } from 'node:util';
import { usageOf } from './kit/process-usage.ts';
import { saveResult } from './kit/results.ts';
import { call, makeFarm, startBenchService, submitNoop } from './kit/service.ts';
import { startWorkerProcess } from './kit/worker-process.ts';

const { values } = parseArgs({
  options: {
    workers: { type: 'string', default: '1000' },
    'task-seconds': { type: 'string', default: '5' },
    seconds: { type: 'string', default: '60' },
    settle: { type: 'string', default: '10' },
    json: { type: 'boolean', default: false },
  },
});
const workers = Number(values.workers);
const taskSeconds = Number(values['task-seconds']);
const seconds = Number(values.seconds);
const SETTLE_SECONDS = Number(values.settle);
const KIB_PER_MIB = 1024;

const pause = (each: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, each * 1000));
const round = (value: number): number => Math.round(value * 100) / 100;

const service = await startBenchService();
try {
  const farm = await makeFarm(service.url);
  const flags = ['--worker-cpus=1', `--task-seconds=${taskSeconds}`];
  const one = await startWorkerProcess(service, 'one', [...flags, '--simulate=1']);
  await pause(SETTLE_SECONDS);
  const alone = usageOf(one.pid);
  await one.stop();

  const startedAt = performance.now();
  const swarm = await startWorkerProcess(service, 'sim', [...flags, `--simulate=${workers}`], workers);
  const registeredSeconds = (performance.now() - startedAt) / 1000;
  await pause(SETTLE_SECONDS);
  const idle = usageOf(swarm.pid);
  await pause(SETTLE_SECONDS);
  const later = usageOf(swarm.pid);
  const possible = (workers * seconds) / taskSeconds;
  const job = await submitNoop(service.url, farm, Math.ceil(possible * 2));
  // The first tasks of all workers start together: the pace counts from when they have spread.
  await pause(3 * taskSeconds);
  const before = await succeeded(job.id);
  const fromCpu = usageOf(swarm.pid).cpuSeconds;
  const serviceFromCpu = usageOf(service.pid).cpuSeconds;
  await pause(seconds);
  const ended = (await succeeded(job.id)) - before;
  const busy = usageOf(swarm.pid);
  const serviceCpu = usageOf(service.pid).cpuSeconds - serviceFromCpu;
  await call(`${service.url}/api/v1/jobs/${job.id}/cancel`, { method: 'POST' });
  const exitCode = await swarm.stop();
  const { total: online } = await call<{ total: number }>(
    `${service.url}/api/v1/workers?status=online&limit=1`,
  );
  const figures = {
    workers,
    task_seconds: taskSeconds,
    registered_seconds: round(registeredSeconds),
    one_worker_mib: round(alone.residentMib),
    idle_mib: round(idle.residentMib),
    idle_kib_each: Math.round(((idle.residentMib - alone.residentMib) / workers) * KIB_PER_MIB),
    busy_kib_each: Math.round(((busy.residentMib - alone.residentMib) / workers) * KIB_PER_MIB),
    idle_core_percent: round(((later.cpuSeconds - idle.cpuSeconds) / SETTLE_SECONDS) * 100),
    busy_core_percent: round(((busy.cpuSeconds - fromCpu) / seconds) * 100),
    service_core_percent: round((serviceCpu / seconds) * 100),
    tasks_per_second: round(ended / seconds),
    of_what_they_could: round(ended / possible),
    online_after_leaving: online,
    exit_code: exitCode ?? -1,
  };
  saveResult('simulate', figures);
  if (values.json) process.stdout.write(`${JSON.stringify(figures)}\n`);
  else
    for (const [name, value] of Object.entries(figures))
      process.stdout.write(`${name.padEnd(22)} ${value}\n`);
} finally {
  await service.stop();
}

async function succeeded(jobId: string): Promise<number> {
  const { task_counts: counts } = await call<{ task_counts: { succeeded: number } }>(
    `${service.url}/api/v1/jobs/${jobId}`,
  );
  return counts.succeeded;
}
