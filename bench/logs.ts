/**
 * Question: does a flood of task logs delay a lease? Workers lease and finish tasks at a steady pace, through a real
 * nats-server and a real service, in three phases: nothing else happens; only the bus is flooded (a stream that the
 * service does not read); the same flood consists of task logs that the service stores. The phases take turns, several
 * rounds in one run. The ratios to the quiet phase count.
 *
 * npm run bench -- logs [--rounds 4] [--seconds 5] [--mib 8] [--json]
 */
import { connect, nkeyAuthenticator } from '@nats-io/transport-node';
import { streamSeed } from './kit/connect-line.ts';
import { jetstreamManager } from '@nats-io/jetstream';
import { parseArgs } from 'node:util';
import { setTimeout as delay } from 'node:timers/promises';
import { startFlood, type FloodOptions } from './kit/log-flood.ts';
import { saveResult, percentile } from './kit/results.ts';
import { call, makeFarm, startBenchService, submitNoop } from './kit/service.ts';
import { SwarmWorker } from './kit/swarm-worker.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '4' },
    seconds: { type: 'string', default: '5' },
    mib: { type: 'string', default: '8' },
    json: { type: 'boolean', default: false },
  },
});
const rounds = Number(values.rounds);
const seconds = Number(values.seconds);
const bytesPerSecond = Number(values.mib) * 2 ** 20;

const WORKERS = 8;
/** Pause between two leases of a worker. */
const PACE_MS = 50;
const TASKS = 1_000_000;
const CHUNK_BYTES = 32 * 1024;
/** Number of tasks that write at the same time. */
const WRITERS = 16;
/** Pause after each phase, so that it does not affect the next one. */
const REST_MS = 2_000;

const PHASES = ['quiet', 'bus', 'logs'] as const;
type Phase = (typeof PHASES)[number];

const service = await startBenchService(['--logs-max-bytes-per-task=0']);
const seed = await streamSeed(service.dataDirectory);
const nc = await connect({
  servers: `127.0.0.1:${service.busPort}`,
  authenticator: nkeyAuthenticator(new TextEncoder().encode(seed)),
});
try {
  const manager = await jetstreamManager(nc);
  await manager.streams.add({ name: 'BENCH', subjects: ['bench.flood.*'] });
  const farm = await makeFarm(service.url);
  const job = await submitNoop(service.url, farm, TASKS);
  let latencies: number[] = [];
  const swarm = await Promise.all(
    Array.from({ length: WORKERS }, (_unused, index) =>
      SwarmWorker.start(
        service.busPort,
        index,
        1,
        {
          leased: (latencyMs, assignments) => {
            if (assignments.length > 0) latencies.push(latencyMs);
          },
          failed: (error) => {
            throw error;
          },
        },
        PACE_MS,
      ),
    ),
  );
  for (const worker of swarm) worker.lease();
  await delay(REST_MS);

  const measured: Record<Phase, number[]> = { quiet: [], bus: [], logs: [] };
  let round = 0;
  let flooded = 0;
  for (; round < rounds; round++) {
    for (const phase of PHASES) {
      const flood = phase === 'quiet' ? null : startFlood(floodOf(phase, job.id, round));
      latencies = [];
      await delay(seconds * 1000);
      measured[phase].push(...latencies);
      const bytes = (await flood?.stop()) ?? 0;
      if (phase === 'logs') flooded += bytes;
      await delay(REST_MS);
    }
  }
  for (const worker of swarm) worker.stop();
  // All published chunks have been stored, so the flood was real.
  const first = await call<{ items: readonly unknown[] }>(
    `${service.url}/api/v1/tasks/${job.id}-0-0/logs?limit=1`,
  );
  if (first.items.length === 0) throw new Error('the service has stored no log');

  const at = (phase: Phase, share: number): number => {
    const sorted = [...measured[phase]].sort((a, b) => a - b);
    return percentile(sorted, share);
  };
  const figures = {
    workers: WORKERS,
    leases: Object.fromEntries(PHASES.map((phase) => [phase, measured[phase].length])),
    flood_mib_per_second: Math.round((flooded / 2 ** 20 / (rounds * seconds)) * 10) / 10,
    quiet_p50_ms: round3(at('quiet', 0.5)),
    quiet_p99_ms: round3(at('quiet', 0.99)),
    bus_to_quiet_p50: round3(at('bus', 0.5) / at('quiet', 0.5)),
    bus_to_quiet_p99: round3(at('bus', 0.99) / at('quiet', 0.99)),
    logs_to_quiet_p50: round3(at('logs', 0.5) / at('quiet', 0.5)),
    logs_to_quiet_p99: round3(at('logs', 0.99) / at('quiet', 0.99)),
  };
  saveResult('logs', figures);
  if (values.json) process.stdout.write(`${JSON.stringify(figures)}\n`);
  else
    for (const [name, value] of Object.entries(figures))
      process.stdout.write(
        `${name.padEnd(24)} ${typeof value === 'number' ? value : JSON.stringify(value)}\n`,
      );
} finally {
  await nc.close();
  await service.stop();
}

/** The same messages for both floods, to different subjects. Each round has its own attempt. */
function floodOf(phase: 'bus' | 'logs', job: string, round: number): FloodOptions {
  const messages = Array.from({ length: WRITERS }, (_unused, index) => {
    const task = `${job}-0-${index}`;
    const head = {
      v: 1,
      task_id: task,
      attempt_id: `${task}-${round + 1}`,
      seq_num: '{n}',
      stream: 'stdout',
    };
    return {
      subject: phase === 'logs' ? `task.logs.${task}` : `bench.flood.${index}`,
      head: JSON.stringify({ ...head, at: new Date().toISOString() })
        .replace('"{n}"', '{n}')
        .replace(/\}$/, ',"data":"'),
      tail: '"}',
    };
  });
  return { seed, busPort: service.busPort, messages, bytes: CHUNK_BYTES, bytesPerSecond };
}

function round3(value: number): number {
  return Math.round(value * 1000) / 1000;
}
