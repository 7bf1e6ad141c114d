/**
 * Does leasing slow down with what waits? Full cycles a second and processor time a cycle of the service, with a million ready tasks in ten
 * thousand active jobs of two hundred requirement signatures. The yardstick of the same run: the same tasks in one job.
 *
 *   npm run bench -- many-jobs [--jobs 10000] [--tasks 1000000] [--signatures 200] [--workers 256] [--seconds 5] [--repeat 1] [--json]
 */
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { layOutManyJobs, type ManyJobs } from './kit/many-jobs.ts';
import { registerWorkers } from './kit/plain-swarm.ts';
import { usageOf } from './kit/process-usage.ts';
import { keepResult, median } from './kit/results.ts';
import { benchDirectory, startBenchService } from './kit/service.ts';

const { values } = parseArgs({
  options: {
    jobs: { type: 'string', default: '10000' },
    tasks: { type: 'string', default: '1000000' },
    signatures: { type: 'string', default: '200' },
    workers: { type: 'string', default: '256' },
    seconds: { type: 'string', default: '5' },
    repeat: { type: 'string', default: '1' },
    json: { type: 'boolean', default: false },
  },
});
const jobs = Number(values.jobs);
const tasks = Number(values.tasks);
const signatures = Number(values.signatures);
const workers = Number(values.workers);
const seconds = Number(values.seconds);
const TARGET_RATIO = 0.8;
const WARM_UP_MS = 2_000;

interface Rate {
  readonly leases_per_second: number;
  readonly cpu_us_per_lease: number;
}

const ones: Rate[] = [];
const manys: Rate[] = [];
for (let round = 0; round < Number(values.repeat); round += 1) {
  ones.push(await measure({ jobs: 1, tasksEach: tasks, signatures: 1, doneEach: 0 }));
  manys.push(await measure({ jobs, tasksEach: Math.ceil(tasks / jobs), signatures, doneEach: 0 }));
}
const one = medianOf(ones);
const many = medianOf(manys);
const figures = {
  jobs,
  tasks,
  signatures,
  workers,
  target_ratio: TARGET_RATIO,
  one_job: one,
  many_jobs: many,
  rate_ratio: ratio(many.leases_per_second, one.leases_per_second),
  // Processor time says it on a machine that others use as well.
  cpu_ratio: ratio(one.cpu_us_per_lease, many.cpu_us_per_lease),
};
keepResult('many-jobs', figures);
if (values.json) process.stdout.write(`${JSON.stringify(figures)}\n`);
else {
  const line = (name: string, { leases_per_second: rate, cpu_us_per_lease: cpu }: Rate): string =>
    `${name.padEnd(40)} ${rate} leases a second, ${cpu} us of the service's processor time each\n`;
  process.stdout.write(
    line(`one job of ${tasks} tasks`, one) +
      line(`${jobs} jobs of ${signatures} signatures`, many) +
      `ratio of rates ${figures.rate_ratio}, of processor time ${figures.cpu_ratio} (at least ${TARGET_RATIO})\n`,
  );
}

async function measure(size: ManyJobs): Promise<Rate> {
  const directory = await benchDirectory();
  await layOutManyJobs(join(directory, 'state'), size);
  const service = await startBenchService([], directory);
  try {
    const swarm = await registerWorkers(service.busPort, workers);
    for (const worker of swarm.workers) worker.lease();
    await delay(WARM_UP_MS);
    const leasedBefore = swarm.counts.leased;
    const cpuBefore = usageOf(service.pid).cpuSeconds;
    const from = performance.now();
    await delay(seconds * 1000);
    const leased = swarm.counts.leased - leasedBefore;
    const cpu = usageOf(service.pid).cpuSeconds - cpuBefore;
    const took = (performance.now() - from) / 1000;
    for (const worker of swarm.workers) worker.stop();
    return {
      leases_per_second: Math.round(leased / took),
      cpu_us_per_lease: Math.round((cpu * 1e7) / leased) / 10,
    };
  } finally {
    await service.stop();
  }
}

function medianOf(rates: readonly Rate[]): Rate {
  return {
    leases_per_second: median(rates.map((rate) => rate.leases_per_second)),
    cpu_us_per_lease: median(rates.map((rate) => rate.cpu_us_per_lease)),
  };
}

function ratio(value: number, of: number): number {
  return Math.round((value / of) * 100) / 100;
}
