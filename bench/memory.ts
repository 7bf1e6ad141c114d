/**
 * Question: how much memory does the service take? Measures resident bytes per task of one untouched job, of one with a
 * record for every task, and of ten thousand jobs; and the total with thousands of connected workers, at rest and at
 * work. Yardstick of the same run: the service with an empty store.
 *
 *   npm run bench -- memory [--jobs 10000] [--tasks 1000000] [--workers 4000] [--json]
 *
 * With `--minutes N` it measures instead if memory is stable under a steady load: tasks are leased and finished, jobs are
 * submitted, end and expire, and resident memory is sampled. The slope excludes the first fifth.
 *
 *   npm run bench -- memory --minutes 60 [--pace 500] [--workers 100] [--json]
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { layOutManyJobs, type ManyJobs } from './kit/many-jobs.ts';
import { registerWorkers } from './kit/plain-swarm.ts';
import { memoryOf } from './kit/process-memory.ts';
import { childOf } from './kit/process-usage.ts';
import { saveResult } from './kit/results.ts';
import { benchDirectory, startBenchService } from './kit/service.ts';
import { measureSteadyLoad } from './kit/steady-load.ts';

const { values } = parseArgs({
  options: {
    jobs: { type: 'string', default: '10000' },
    tasks: { type: 'string', default: '1000000' },
    workers: { type: 'string', default: '4000' },
    minutes: { type: 'string', default: '0' },
    pace: { type: 'string', default: '500' },
    json: { type: 'boolean', default: false },
  },
});
const jobs = Number(values.jobs);
const tasks = Number(values.tasks);
const workers = Number(values.workers);
const minutes = Number(values.minutes);
const TARGETS = { bytes_per_task: 40, all_mib: 1024 };
/** Time after which the garbage of the start is collected, as far as V8 collects it. */
const SETTLE_MS = 1_500;
const AT_WORK_MS = 4_000;

if (minutes > 0) await steady();
else await sizes();

async function steady(): Promise<void> {
  const figures = await measureSteadyLoad(minutes, Number(values.pace), Math.min(workers, 100), (sample) => {
    if (!values.json) process.stdout.write(`${JSON.stringify(sample)}\n`);
  });
  saveResult('memory-steady', figures);
  const { slope_mib_an_hour: slope, first_mib: first, last_mib: last } = figures;
  process.stdout.write(
    values.json
      ? `${JSON.stringify(figures)}\n`
      : `${figures.tasks} tasks of ${figures.jobs} jobs in ${minutes} minutes: ${slope} MiB an hour (anonymous), ${first} MiB at first, ${last} at last\n`,
  );
}

async function sizes(): Promise<void> {
  const one = { jobs: 1, signatures: 1, tasksEach: tasks };
  const many = { jobs, signatures: 200, tasksEach: Math.max(1, Math.floor(tasks / jobs)), doneEach: 0 };
  const empty = await atRest({ jobs: 0, signatures: 1, tasksEach: 1, doneEach: 0 });
  const untouched = await atRest({ ...one, doneEach: 0 });
  const touched = await atRest({ ...one, doneEach: tasks });
  const all = await withWorkers(many);
  const figures = {
    targets: TARGETS,
    empty_mib: empty,
    bytes_per_task: {
      'one job, untouched': bytesEach(untouched - empty),
      'one job, all touched': bytesEach(touched - empty),
      [`${jobs} jobs`]: bytesEach(all.jobs_mib - empty),
    },
    all,
  };
  saveResult('memory', figures);
  if (values.json) {
    process.stdout.write(`${JSON.stringify(figures)}\n`);
    return;
  }
  const lines = Object.entries(figures.bytes_per_task).map(
    ([name, bytes]) => `${name.padEnd(22)} ${bytes} bytes a task (${TARGETS.bytes_per_task})`,
  );
  lines.push(
    `${jobs} jobs of ${tasks} tasks and ${workers} workers: ${all.parked_mib} MiB, at work ${all.at_work_mib} MiB (${TARGETS.all_mib}), nats-server ${all.bus_mib} MiB besides`,
    `an empty service: ${empty} MiB anonymous; with the jobs ${all.jobs_mib}`,
  );
  process.stdout.write(`${lines.join('\n')}\n`);
}

function bytesEach(mib: number): number {
  return Math.round((mib * 2 ** 20 * 10) / tasks) / 10;
}

/** Returns the anonymous memory of a service that has just started with such a store. */
async function atRest(size: ManyJobs): Promise<number> {
  const directory = await laidOut(size);
  const service = await startBenchService([], directory);
  try {
    await delay(SETTLE_MS);
    return Math.round(memoryOf(service.pid).anonymousMib);
  } finally {
    await service.stop();
  }
}

interface WithWorkers {
  /** Anonymous memory before the workers connected. */
  readonly jobs_mib: number;
  /** Resident memory with the workers registered. */
  readonly parked_mib: number;
  /** Maximum resident memory while all of them worked. */
  readonly at_work_mib: number;
  readonly bus_mib: number;
}

async function withWorkers(size: ManyJobs): Promise<WithWorkers> {
  const directory = await laidOut(size);
  const service = await startBenchService([], directory);
  try {
    await delay(SETTLE_MS);
    const jobsMib = memoryOf(service.pid).anonymousMib;
    const swarm = await registerWorkers(service.busPort, workers, 1_000);
    const parkedMib = memoryOf(service.pid).residentMib;
    for (const worker of swarm.workers) worker.lease();
    let most = 0;
    for (const endsAt = performance.now() + AT_WORK_MS; performance.now() < endsAt; await delay(100)) {
      most = Math.max(most, memoryOf(service.pid).residentMib);
    }
    const busMib = memoryOf(childOf(service.pid, 'nats-server')).residentMib;
    for (const worker of swarm.workers) worker.stop();
    return {
      jobs_mib: Math.round(jobsMib),
      parked_mib: Math.round(parkedMib),
      at_work_mib: Math.round(most),
      bus_mib: Math.round(busMib),
    };
  } finally {
    await service.stop();
  }
}

async function laidOut(size: ManyJobs): Promise<string> {
  const directory = await benchDirectory();
  try {
    await layOutManyJobs(join(directory, 'state'), size);
    return directory;
  } catch (error) {
    await rm(directory, { recursive: true, force: true });
    throw error;
  }
}
