/**
 * Question: what does a worker without work cost its node? A real worker on a real service: its memory and its share of
 * a core after it has registered, and again after it has run tasks. Yardstick, in the same run: a waiting bare Node
 * process.
 *
 * npm run bench -- worker-idle [--seconds 120] [--tasks 200] [--settle 15] [--json]
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { usageOf } from './kit/process-usage.ts';
import { saveResult } from './kit/results.ts';
import { makeFarm, startBenchService, submitNoop } from './kit/service.ts';
import { startWorkerProcess, untilSucceeded } from './kit/worker-process.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '120' },
    tasks: { type: 'string', default: '200' },
    settle: { type: 'string', default: '15' },
    json: { type: 'boolean', default: false },
  },
});
const seconds = Number(values.seconds);
const tasks = Number(values.tasks);
/** Time after which sessions have ended and heaps are collected, so that the process counts as idle. */
const SETTLE_SECONDS = Number(values.settle);

const pause = (each: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, each * 1000));

interface Idle {
  readonly residentMib: number;
  readonly corePercent: number;
}

async function idleOf(pid: number): Promise<Idle> {
  await pause(SETTLE_SECONDS);
  const before = usageOf(pid);
  await pause(seconds);
  const after = usageOf(pid);
  return {
    residentMib: Math.round(after.residentMib),
    corePercent: Math.round(((after.cpuSeconds - before.cpuSeconds) / seconds) * 10_000) / 100,
  };
}

const service = await startBenchService();
const bare = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
try {
  const farm = await makeFarm(service.url);
  const worker = await startWorkerProcess(service, 'idle', [
    '--worker-cpus=4',
    `--worker-dir=${join(service.dataDirectory, 'worker')}`,
  ]);
  const [fresh, node] = await Promise.all([idleOf(worker.pid), idleOf(bare.pid ?? 0)]);
  const job = await submitNoop(service.url, farm, tasks);
  await untilSucceeded(service, job.id, tasks);
  const used = await idleOf(worker.pid);
  await worker.stop();
  const figures = {
    seconds,
    tasks,
    node_resident_mib: node.residentMib,
    fresh_resident_mib: fresh.residentMib,
    fresh_core_percent: fresh.corePercent,
    used_resident_mib: used.residentMib,
    used_core_percent: used.corePercent,
  };
  saveResult('worker-idle', figures);
  if (values.json) process.stdout.write(`${JSON.stringify(figures)}\n`);
  else
    for (const [name, value] of Object.entries(figures))
      process.stdout.write(`${name.padEnd(20)} ${value}\n`);
} finally {
  bare.kill();
  await service.stop();
}
