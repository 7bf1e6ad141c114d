/**
 * Question: what do workers without work cost the service? Measures the processor time of service and nats-server with
 * N registered workers with waiting lease requests, each with a connection and heartbeats like a real worker. Yardstick
 * of the same run: the service without workers.
 *
 *   npm run bench -- idle [--workers 4000] [--seconds 12] [--json]
 */
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { registerWorkers } from './kit/plain-swarm.ts';
import { childOf, usageOf } from './kit/process-usage.ts';
import { saveResult } from './kit/results.ts';
import { makeFarm, startBenchService } from './kit/service.ts';

const { values } = parseArgs({
  options: {
    workers: { type: 'string', default: '4000' },
    seconds: { type: 'string', default: '12' },
    json: { type: 'boolean', default: false },
  },
});
const workers = Number(values.workers);
const seconds = Number(values.seconds);
const TARGET_PERCENT = 5;
/** Time after which the start has settled. */
const SETTLE_MS = 2_000;

const service = await startBenchService();
try {
  await makeFarm(service.url);
  const bus = childOf(service.pid, 'nats-server');
  await delay(SETTLE_MS);
  const alone = await shares(bus, Math.max(2, seconds / 4));
  const swarm = await registerWorkers(service.busPort, workers);
  for (const worker of swarm.workers) worker.lease();
  await delay(SETTLE_MS);
  const parked = await shares(bus, seconds);
  for (const worker of swarm.workers) worker.stop();
  const figures = { workers, target_percent: TARGET_PERCENT, alone, parked };
  saveResult('idle', figures);
  if (values.json) process.stdout.write(`${JSON.stringify(figures)}\n`);
  else {
    const line = (name: string, { service_percent, bus_percent }: Shares): string =>
      `${name.padEnd(24)} service ${service_percent} % of a core, nats-server ${bus_percent} %\n`;
    process.stdout.write(line('without workers', alone) + line(`${workers} parked workers`, parked));
    process.stdout.write(`   (the service under ${TARGET_PERCENT} %)\n`);
  }
} finally {
  await service.stop();
}

interface Shares {
  readonly service_percent: number;
  readonly bus_percent: number;
}

/** Share of one core. */
async function shares(bus: number, forSeconds: number): Promise<Shares> {
  const before = [usageOf(service.pid), usageOf(bus)].map(({ cpuSeconds }) => cpuSeconds);
  await delay(forSeconds * 1000);
  const after = [usageOf(service.pid), usageOf(bus)].map(({ cpuSeconds }) => cpuSeconds);
  const [ofService = 0, ofBus = 0] = after.map((cpu, nth) => percent(cpu - (before[nth] ?? 0), forSeconds));
  return { service_percent: ofService, bus_percent: ofBus };
}

function percent(cpuSeconds: number, ofSeconds: number): number {
  return Math.round((cpuSeconds / ofSeconds) * 10_000) / 100;
}
