/**
 * Question: what does a backup cost a running farm? Simulated workers lease and finish no-op tasks through a real
 * service on a store of some size. Turns without a backup alternate with turns in which one backup after another is
 * made. Yardstick: the turns without.
 *
 * npm run bench -- backup [--jobs 20000] [--tasks 2000000] [--workers 64] [--rounds 3] [--seconds 5] [--json]
 */
import { execFile } from 'node:child_process';
import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { packageRoot } from '../src/adapters/system/package-root.ts';
import { makeLargeStore } from './kit/large-store.ts';
import { saveResult, median, percentile } from './kit/results.ts';
import { benchDirectory, startBenchService, submitNoop } from './kit/service.ts';
import { SwarmWorker } from './kit/swarm-worker.ts';

const { values } = parseArgs({
  options: {
    jobs: { type: 'string', default: '20000' },
    tasks: { type: 'string', default: '2000000' },
    workers: { type: 'string', default: '64' },
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '5' },
    json: { type: 'boolean', default: false },
  },
});
const WINDOW_MS = 1000 * Number(values.seconds);
const ROUNDS = Number(values.rounds);
const COMMAND = fileURLToPath(new URL('bin/callsheet.js', packageRoot));

interface Window {
  readonly leasesPerSecond: number;
  readonly leaseP99Ms: number;
  readonly commitMs: number;
}

const directory = await benchDirectory();
const store = await makeLargeStore(join(directory, 'state'), Number(values.jobs), Number(values.tasks));
const service = await startBenchService([], directory);
const file = join(directory, 'backup.tar');
try {
  // More tasks than the workers can run.
  const [queueId = ''] = store.queueIds;
  await submitNoop(service.url, { farmId: store.farmId, queueId }, 1_000_000);
  let latencies: number[] = [];
  const workers = await Promise.all(
    Array.from({ length: Number(values.workers) }, (_unused, index) =>
      SwarmWorker.start(service.busPort, index, 1, {
        leased: (milliseconds, assignments) => {
          if (assignments.length > 0) latencies.push(milliseconds);
        },
        failed: (error) => {
          throw error;
        },
      }),
    ),
  );
  for (const worker of workers) worker.lease();
  const window = async (): Promise<Window> => {
    latencies = [];
    const [count, seconds] = await commits();
    await delay(WINDOW_MS);
    const [countAfter, secondsAfter] = await commits();
    const sorted = latencies.sort((a, b) => a - b);
    return {
      leasesPerSecond: Math.round(sorted.length / (WINDOW_MS / 1000)),
      leaseP99Ms: round(percentile(sorted, 0.99)),
      commitMs: round((1000 * (secondsAfter - seconds)) / (countAfter - count)),
    };
  };
  await window();
  const without: Window[] = [];
  const under: Window[] = [];
  const backupMs: number[] = [];
  for (let turn = 0; turn < ROUNDS; turn++) {
    without.push(await window());
    let isOver = false;
    const measured = window().finally(() => (isOver = true));
    while (!isOver) backupMs.push(await backup());
    under.push(await measured);
  }
  for (const worker of workers) worker.stop();
  const of = (windows: readonly Window[], name: keyof Window): number =>
    median(windows.map((each) => each[name]));
  const figures = {
    workers: workers.length,
    backup_mb: round((await stat(file)).size / 1e6),
    backup_ms: Math.round(median(backupMs)),
    leases_per_second: of(without, 'leasesPerSecond'),
    leases_under_backup: of(under, 'leasesPerSecond'),
    leases_ratio: round(of(under, 'leasesPerSecond') / of(without, 'leasesPerSecond')),
    lease_p99_ms: of(without, 'leaseP99Ms'),
    lease_p99_under_backup_ms: of(under, 'leaseP99Ms'),
    commit_ms: of(without, 'commitMs'),
    commit_under_backup_ms: of(under, 'commitMs'),
  };
  saveResult('backup', figures);
  if (values.json) process.stdout.write(`${JSON.stringify(figures)}\n`);
  else
    for (const [name, value] of Object.entries(figures))
      process.stdout.write(`${name.padEnd(26)} ${value}\n`);
} finally {
  await service.stop();
  await rm(directory, { recursive: true, force: true });
}

/** Makes a backup like an operator. Returns its duration. */
async function backup(): Promise<number> {
  const startedAt = performance.now();
  const args = [COMMAND, 'backup', file, '--force', `--data-dir=${directory}`];
  await promisify(execFile)(process.execPath, args);
  return performance.now() - startedAt;
}

/** Returns the number of commits and their total seconds. */
async function commits(): Promise<[count: number, seconds: number]> {
  const text = await (await fetch(`${service.url}/metrics`)).text();
  const value = (name: string): number =>
    Number(new RegExp(`^svc_store_commit_seconds_${name} (.*)$`, 'm').exec(text)?.[1] ?? 0);
  return [value('count'), value('sum')];
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
