import { spawn } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { packageRoot } from '../../../src/adapters/system/package-root.ts';
import { median } from '../results.ts';
import { benchDirectory, call, makeFarm, type BenchService } from '../service.ts';
import { joinTokenFor, MODES, startBusService, type Mode } from './bus-services.ts';

/** Milliseconds from the start of `callsheet worker` until the service shows it as online. */
export interface JoinTimes {
  readonly starts: number;
  /** With `--join` and an empty folder. */
  readonly authenticated: StartTimes;
  /** The yardstick: a worker without credentials on a bus without authentication. */
  readonly open: StartTimes;
}

interface StartTimes {
  readonly p50_ms: number;
  readonly max_ms: number;
  readonly runs_ms: readonly number[];
}

const POLL_MS = 10;
const GIVE_UP_MS = 60_000;

/** Starts real workers, one after the other, in both modes in turn. */
export async function measureJoins(starts: number): Promise<JoinTimes> {
  const services: Record<Mode, BenchService | null> = { open: null, authenticated: null };
  try {
    const flags: Record<Mode, string[]> = { open: [], authenticated: [] };
    for (const mode of MODES) {
      const service = await startBusService(mode);
      services[mode] = service;
      await makeFarm(service.url);
      const token = await joinTokenFor(service, mode, starts);
      flags[mode] = token === null ? [`--bus-url=nats://127.0.0.1:${service.busPort}`] : ['--join', token];
    }
    const runs: Record<Mode, number[]> = { open: [], authenticated: [] };
    for (let nth = 0; nth < starts; nth++) {
      for (const mode of MODES) {
        const service = services[mode];
        if (service !== null) runs[mode].push(await timeOfStart(service, `join-${nth}`, flags[mode]));
      }
    }
    return { starts, open: timesOf(runs.open), authenticated: timesOf(runs.authenticated) };
  } finally {
    for (const service of Object.values(services)) await service?.stop();
  }
}

/** Starts a worker with an empty folder, and stops it when it is online. */
async function timeOfStart(service: BenchService, name: string, flags: readonly string[]): Promise<number> {
  const folder = await benchDirectory();
  const startedAt = performance.now();
  const child = spawn(
    process.execPath,
    [
      fileURLToPath(new URL('bin/callsheet.js', packageRoot)),
      'worker',
      `--worker-name=${name}`,
      `--worker-dir=${folder}`,
      '--worker-allow-root',
      '--log-level=error',
      '--log-format=text',
      ...flags,
    ],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  const ended = new Promise((resolve) => child.once('exit', resolve));
  try {
    const path = `${service.url}/api/v1/workers?status=online&limit=1`;
    while ((await call<{ readonly total: number }>(path)).total === 0) {
      if (child.exitCode !== null || performance.now() - startedAt > GIVE_UP_MS)
        throw new Error(`the worker ${name} was not registered (exit code ${child.exitCode})`);
      await delay(POLL_MS);
    }
    const took = performance.now() - startedAt;
    child.kill('SIGTERM');
    await ended;
    while ((await call<{ readonly total: number }>(path)).total > 0) await delay(POLL_MS);
    return took;
  } finally {
    child.kill('SIGKILL');
    await ended;
    await rm(folder, { recursive: true, force: true });
  }
}

const timesOf = (runs: readonly number[]): StartTimes => ({
  p50_ms: Math.round(median(runs)),
  max_ms: Math.round(Math.max(...runs)),
  runs_ms: runs.map(Math.round),
});
