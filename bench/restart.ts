/**
 * Question: how soon are tasks leased after a start? Measures the time from the start of the process to the first
 * lease, and until leases reach their steady rate. The store has many active jobs: untouched, half done, and with many
 * workers that register at once. Yardstick of the same run: a start with an empty store.
 *
 *   npm run bench -- restart [--jobs 10000] [--tasks 1000000] [--workers 256] [--many-workers 4000] [--json]
 */
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { layOutManyJobs } from './kit/many-jobs.ts';
import { registerWorkers } from './kit/plain-swarm.ts';
import { usageOf } from './kit/process-usage.ts';
import { saveResult, median } from './kit/results.ts';
import { benchDirectory, startBenchService } from './kit/service.ts';

const { values } = parseArgs({
  options: {
    jobs: { type: 'string', default: '10000' },
    tasks: { type: 'string', default: '1000000' },
    workers: { type: 'string', default: '256' },
    'many-workers': { type: 'string', default: '4000' },
    json: { type: 'boolean', default: false },
  },
});
const jobs = Number(values.jobs);
const tasksEach = Math.max(1, Math.floor(Number(values.tasks) / jobs));
const TARGET_MS = 5_000;
const SIGNATURES = 200;
const WINDOW_MS = 250;
const WINDOWS = 20;
/** Share of the usual rate at which leases count as recovered. */
const NORMAL_SHARE = 0.8;

interface Start {
  readonly store: string;
  readonly workers: number;
  readonly ready_ms: number;
  readonly registered_ms: number;
  readonly first_lease_ms: number;
  /** Processor time of the service until then. On a shared machine it is more reliable than the clock. */
  readonly first_lease_cpu_ms: number;
  /** From the start of the process to the first quarter of a second at the steady rate of leases. */
  readonly normal_ms: number;
  readonly leases_per_second: number;
}

const few = Number(values.workers);
const starts = [
  await measure('one job', { jobs: 1, tasksEach: 100_000, doneEach: 0 }, few),
  await measure('untouched', { jobs, tasksEach, doneEach: 0 }, few),
  await measure('half done', { jobs, tasksEach, doneEach: Math.floor(tasksEach / 2) }, few),
  await measure('untouched', { jobs, tasksEach, doneEach: 0 }, Number(values['many-workers'])),
];
const figures = { jobs, tasks: jobs * tasksEach, target_ms: TARGET_MS, starts };
saveResult('restart', figures);
if (values.json) process.stdout.write(`${JSON.stringify(figures)}\n`);
else {
  for (const start of starts) {
    process.stdout.write(
      `${start.store.padEnd(10)} ${String(start.workers).padStart(5)} workers: ready after ${start.ready_ms} ms, all registered ${start.registered_ms} ms, ` +
        `first lease ${start.first_lease_ms} ms (${start.first_lease_cpu_ms} ms of processor), usual rate (${start.leases_per_second} a second) ${start.normal_ms} ms\n`,
    );
  }
  process.stdout.write(`   (first lease within ${TARGET_MS} ms of the start)\n`);
}

async function measure(
  store: string,
  size: { readonly jobs: number; readonly tasksEach: number; readonly doneEach: number },
  workers: number,
): Promise<Start> {
  const directory = await benchDirectory();
  await layOutManyJobs(join(directory, 'state'), { ...size, signatures: SIGNATURES });
  const startedAt = performance.now();
  const service = await startBenchService([], directory);
  try {
    const readyMs = performance.now() - startedAt;
    const swarm = await registerWorkers(service.busPort, workers);
    const registeredMs = performance.now() - startedAt;
    for (const worker of swarm.workers) worker.lease();
    while (swarm.counts.leased === 0) await delay(1);
    const cpuSeconds = usageOf(service.pid).cpuSeconds;
    const windows: { readonly at: number; readonly leases: number }[] = [];
    for (let before = 0; windows.length < WINDOWS; before = swarm.counts.leased) {
      await delay(WINDOW_MS);
      windows.push({ at: performance.now() - startedAt, leases: swarm.counts.leased - before });
    }
    for (const worker of swarm.workers) worker.stop();
    const usual = median(windows.slice(WINDOWS / 2).map(({ leases }) => leases));
    const normal = windows.find(({ leases }) => leases >= usual * NORMAL_SHARE);
    return {
      store,
      workers,
      ready_ms: Math.round(readyMs),
      registered_ms: Math.round(registeredMs),
      first_lease_ms: Math.round(swarm.counts.firstLeaseAt - startedAt),
      first_lease_cpu_ms: Math.round(cpuSeconds * 1000),
      normal_ms: Math.round(normal?.at ?? Infinity),
      leases_per_second: Math.round((usual * 1000) / WINDOW_MS),
    };
  } finally {
    await service.stop();
  }
}
