/**
 * How fast does a farm hand out tasks and take their results in? N simulated workers, each with a connection of its own,
 * lease and finish tasks that do nothing, through a real nats-server and a real service: a lease counts when its reply
 * has reached the worker (after the commit), a cycle when its terminal report is committed. The yardstick, in the same
 * run: bare request and reply of the same swarm through the same server.
 *
 * npm run bench -- lease [--workers 256] [--tasks 100000] [--json]
 */
import { parseArgs } from 'node:util';
import { measureEcho } from './kit/echo.ts';
import { keepResult, percentile } from './kit/results.ts';
import { call, makeFarm, startBenchService, submitNoop } from './kit/service.ts';
import { SwarmWorker } from './kit/swarm-worker.ts';

const { values } = parseArgs({
  options: {
    workers: { type: 'string', default: '256' },
    tasks: { type: 'string', default: '100000' },
    json: { type: 'boolean', default: false },
  },
});
const workers = Number(values.workers);
const tasks = Number(values.tasks);
const POLL_MS = 50;

const service = await startBenchService();
try {
  const echo = await measureEcho(service.busPort, workers, Math.max(20_000, workers * 50));
  const farm = await makeFarm(service.url);
  const job = await submitNoop(service.url, farm, tasks);
  const latencies: number[] = [];
  let leased = 0;
  let firstAt = 0;
  let lastLeaseAt = 0;
  const events = {
    leased: (latencyMs: number, assignments: readonly unknown[]) => {
      if (assignments.length === 0) return;
      latencies.push(latencyMs);
      leased += assignments.length;
      lastLeaseAt = performance.now();
    },
    failed: (error: Error) => {
      throw error;
    },
  };
  const swarm = await Promise.all(
    Array.from({ length: workers }, (_unused, index) => SwarmWorker.start(service.busPort, index, 1, events)),
  );
  firstAt = performance.now();
  for (const worker of swarm) worker.lease();
  let done = 0;
  while (done < tasks) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    const { task_counts: counts } = await call<{ task_counts: { succeeded: number } }>(
      `${service.url}/api/v1/jobs/${job.id}`,
    );
    done = counts.succeeded;
  }
  const cycleSeconds = (performance.now() - firstAt) / 1000;
  for (const worker of swarm) worker.stop();
  latencies.sort((a, b) => a - b);
  const leasesPerSecond = Math.round(leased / ((lastLeaseAt - firstAt) / 1000));
  const cyclesPerSecond = Math.round(tasks / cycleSeconds);
  const figures = {
    workers,
    tasks,
    echo_per_second: echo.perSecond,
    echo_p99_ms: round(echo.p99Ms),
    leases_per_second: leasesPerSecond,
    leases_to_echo: round(leasesPerSecond / echo.perSecond),
    cycles_per_second: cyclesPerSecond,
    cycles_to_echo: round(cyclesPerSecond / echo.perSecond),
    lease_p50_ms: round(percentile(latencies, 0.5)),
    lease_p99_ms: round(percentile(latencies, 0.99)),
  };
  keepResult('lease', figures);
  if (values.json) process.stdout.write(`${JSON.stringify(figures)}\n`);
  else
    for (const [name, value] of Object.entries(figures))
      process.stdout.write(`${name.padEnd(20)} ${value}\n`);
} finally {
  await service.stop();
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}
