/**
 * Question: how many real processes a second does a farm of one machine run, and what does each cost? A real service,
 * its nats-server and one worker, on the same cores, run a job of tasks that run `true`. Measures tasks a second from
 * the submission to the last report, and processor time per task by process. Yardstick, in the same run: a bare Node
 * process that starts `true` with pipes and a process group, as many at a time as the worker has cores.
 *
 * npm run bench -- processes [--tasks 2000] [--cores 4,16,64] [--flags "--worker-dir=/dev/shm/w"] [--json]
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { usageOf } from './kit/process-usage.ts';
import { childNamed, treeUsageOf } from './kit/process-tree-usage.ts';
import { saveResult } from './kit/results.ts';
import { makeFarm, startBenchService, submitNoop, type BenchService } from './kit/service.ts';
import { startWorkerProcess, untilSucceeded } from './kit/worker-process.ts';

const { values } = parseArgs({
  options: {
    tasks: { type: 'string', default: '2000' },
    cores: { type: 'string', default: '4,16,64' },
    flags: { type: 'string', default: '' },
    json: { type: 'boolean', default: false },
  },
});
const tasks = Number(values.tasks);
const coresOf = values.cores.split(',').map(Number);
const flags = values.flags.split(' ').filter((flag) => flag !== '');
const MS = 1000;
/** Warm-up: sessions are opened and programs read before the clock runs. */
const WARM_TASKS_PER_CORE = 4;

interface Figures {
  readonly cores: number;
  readonly tasks: number;
  readonly tasks_per_second: number;
  /** Processor milliseconds per task. */
  readonly service_ms: number;
  readonly bus_ms: number;
  readonly worker_ms: number;
  /** Tasks, the programs that prepare and guard them, and their helpers. */
  readonly children_ms: number;
  readonly total_ms: number;
  readonly worker_resident_mib: number;
  readonly bare_spawns_per_second: number;
  readonly bare_ms: number;
  readonly share_of_bare: number;
}

/** Bare Node: as many starts at a time as the worker has cores. Each waits only for its end. */
async function bareSpawns(atOnce: number): Promise<{ readonly perSecond: number; readonly ms: number }> {
  const usage = treeUsageOf(process.pid);
  const begun = performance.now();
  let left = tasks;
  const lane = async (): Promise<void> => {
    while (left-- > 0) {
      await new Promise<void>((resolve, reject) => {
        const child = spawn('true', [], { detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
        child.once('error', reject);
        child.once('close', () => resolve());
        child.stdout.resume();
        child.stderr.resume();
      });
    }
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  const seconds = (performance.now() - begun) / MS;
  const after = treeUsageOf(process.pid);
  const spent = after.own - usage.own + after.children - usage.children;
  return { perSecond: tasks / seconds, ms: (spent / tasks) * MS };
}

async function measure(service: BenchService, cores: number): Promise<Figures> {
  const farm = await makeFarm(service.url);
  const worker = await startWorkerProcess(service, 'processes', [
    `--worker-cpus=${cores}`,
    `--worker-dir=${join(service.dataDirectory, 'worker')}`,
    ...flags,
  ]);
  const warm = await submitNoop(service.url, farm, cores * WARM_TASKS_PER_CORE);
  await untilSucceeded(service, warm.id, cores * WARM_TASKS_PER_CORE);
  const bus = childNamed(service.pid, 'nats-server');
  const before = [treeUsageOf(service.pid), treeUsageOf(bus), treeUsageOf(worker.pid)] as const;
  const begun = performance.now();
  const job = await submitNoop(service.url, farm, tasks);
  await untilSucceeded(service, job.id, tasks);
  const seconds = (performance.now() - begun) / MS;
  const after = [treeUsageOf(service.pid), treeUsageOf(bus), treeUsageOf(worker.pid)] as const;
  const residentMib = usageOf(worker.pid).residentMib;
  const each = (from: number, to: number): number => ((to - from) / tasks) * MS;
  const service_ms = each(before[0].own, after[0].own);
  const bus_ms = each(before[1].own, after[1].own);
  const worker_ms = each(before[2].own, after[2].own);
  const children_ms = each(before[2].children, after[2].children);
  await worker.stop();
  const bare = await bareSpawns(Math.min(cores, tasks));
  const rate = tasks / seconds;
  return {
    cores,
    tasks,
    tasks_per_second: round(rate),
    service_ms: round(service_ms),
    bus_ms: round(bus_ms),
    worker_ms: round(worker_ms),
    children_ms: round(children_ms),
    total_ms: round(service_ms + bus_ms + worker_ms + children_ms),
    worker_resident_mib: round(residentMib),
    bare_spawns_per_second: round(bare.perSecond),
    bare_ms: round(bare.ms),
    share_of_bare: round(rate / bare.perSecond),
  };
}

const round = (value: number): number => Math.round(value * 100) / 100;

const figures: Figures[] = [];
for (const cores of coresOf) {
  const service = await startBenchService();
  try {
    figures.push(await measure(service, cores));
  } finally {
    await service.stop();
  }
  if (!values.json) process.stdout.write(`${JSON.stringify(figures.at(-1))}\n`);
}
saveResult('processes', figures);
if (values.json) process.stdout.write(`${JSON.stringify(figures)}\n`);
