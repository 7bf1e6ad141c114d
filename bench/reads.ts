/**
 * Question: how much of a core does a read take? Measures `GET` of a job and of a page of its tasks over kept-alive
 * connections, from a compact client in a separate process. It measures the processor time of the main thread, so that
 * other work of the machine matters little. A response is cached until the next commit; an uncached one is measured
 * with a parameter that the service ignores. Yardstick, in the same run: the bare engine with a constant reply.
 *
 *   npm run bench -- reads [--connections 32] [--seconds 5] [--json]
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { measureReads, type ReadFigure } from './kit/read-load.ts';
import { saveResult } from './kit/results.ts';
import { call, makeFarm, startBenchService, submitNoop } from './kit/service.ts';
import { SwarmWorker } from './kit/swarm-worker.ts';

const { values } = parseArgs({
  options: {
    connections: { type: 'string', default: '32' },
    seconds: { type: 'string', default: '5' },
    json: { type: 'boolean', default: false },
  },
});
const connections = Number(values.connections);
const seconds = Number(values.seconds);

/** Tasks of the job that is read; the first of them have run. */
const TASKS = 1000;
const RUN = 100;
const POLL_MS = 50;

const figures: Record<string, ReadFigure> = {};
const measure = (port: number, pid: number, paths: readonly string[]): Promise<ReadFigure> =>
  measureReads({ port, pid, paths, connections, seconds });
const hello = spawn(process.execPath, [fileURLToPath(new URL('./kit/hello-server.js', import.meta.url))], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
const [line] = (await once(createInterface({ input: hello.stdout }), 'line')) as [string];
figures['hello of the bare engine'] = await measure(Number(line), hello.pid ?? 0, ['/']);
hello.kill();

const service = await startBenchService();
try {
  const farm = await makeFarm(service.url);
  const fresh = await submitNoop(service.url, farm, TASKS);
  await measureJob(fresh.id, 'that waits', pagesOf(fresh.id, 0, TASKS));
  await run(fresh.id, RUN);
  await measureJob(fresh.id, 'that runs', pagesOf(fresh.id, 0, RUN));
  saveResult('reads', { connections, seconds, figures });
  if (values.json) process.stdout.write(`${JSON.stringify(figures)}\n`);
} finally {
  await service.stop();
}

/** Reads of a job and of pages of its tasks, cached or uncached. */
async function measureJob(id: string, state: string, pages: readonly string[]): Promise<void> {
  const { pid } = service;
  const port = Number(new URL(service.url).port);
  figures[`a job ${state}`] = await measure(port, pid, [`/api/v1/jobs/${id}`]);
  figures[`a job ${state}, made anew`] = await measure(port, pid, [`/api/v1/jobs/${id}?n={n}`]); // wording-ok: key of kept results
  figures[`50 tasks of a job ${state}`] = await measure(port, pid, pages);
  const uncached = pages.map((page) => `${page}&n={n}`);
  figures[`50 tasks of a job ${state}, made anew`] = await measure(port, pid, uncached); // wording-ok: key of kept results
}

function pagesOf(job: string, from: number, to: number): string[] {
  const paths: string[] = [];
  for (let offset = from; offset + 50 <= to; offset += 50) {
    paths.push(`/api/v1/jobs/${job}/tasks?limit=50&offset=${offset}`);
  }
  return paths;
}

/** Lets workers run tasks of the job. */
async function run(job: string, tasks: number): Promise<void> {
  let left = tasks;
  const worker: SwarmWorker = await SwarmWorker.start(service.busPort, 0, 1, {
    leased: (_latencyMs, assignments) => {
      left -= assignments.length;
      if (left <= 0) worker.stop();
    },
    failed: (error) => {
      throw error;
    },
  });
  worker.lease();
  for (;;) {
    const { task_counts: counts } = await call<{ task_counts: { succeeded: number } }>(
      `${service.url}/api/v1/jobs/${job}`,
    );
    if (counts.succeeded >= tasks - 1) return;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
