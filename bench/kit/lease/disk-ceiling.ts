import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeFarm, startBenchService } from '../service.ts';
import { startSwarm } from '../swarm/swarm.ts';
import type { LoadTimes } from '../swarm/swarm.ts';
import type { Load } from '../swarm/swarm-protocol.ts';
import { submitJobs } from './lease-work.ts';
import { replayCommits } from './replay-commits.ts';
import type { LeaseCase } from './case-parameters.ts';

/** Full cycles that the disk accepts when one thread does nothing but write them. */
export interface DiskCeiling {
  readonly cycles_per_second: number;
  readonly commits_per_second: number;
  readonly cycles_per_commit: number;
  readonly rows_per_cycle: number;
  readonly bytes_per_cycle: number;
}

/** Tasks per core of a worker that are enough for a recording. */
const RECORDED_TASKS = 200_000;

/**
 * Records what a separate service commits while a swarm leases from it, and writes the same change sets again in a bare
 * loop, flushed one by one.
 */
export async function measureDisk(
  { workers, cores, tasks, jobs, signatures }: LeaseCase,
  times: LoadTimes,
): Promise<DiskCeiling> {
  const directory = await mkdtemp(join(tmpdir(), 'callsheet-commits-'));
  const file = join(directory, 'commits');
  try {
    const service = await startBenchService([], undefined, {
      NODE_OPTIONS: `--import=${new URL('./record-commits.js', import.meta.url).href}`,
      CALLSHEET_BENCH_COMMITS: file,
    });
    const window = { begin: 0, end: 0 };
    let cycles = 0;
    try {
      const farm = await makeFarm(service.url);
      const swarm = await startSwarm(service.busPort, workers, cores);
      const enough = Math.max(jobs, Math.ceil((cores * RECORDED_TASKS) / tasks));
      await submitJobs(service, farm, enough, tasks, signatures);
      const load: Load = { kind: 'closed', reports: 'ride' }; // wording-ok: value of --reports
      const figures = await swarm.measure(load, times, (at) => {
        window[at] = Date.now();
      });
      cycles = figures.cycles;
      await swarm.stop();
    } finally {
      await service.stop();
    }
    const rate = await replayCommits(file, window.begin, window.end);
    if (rate.commits === 0 || cycles === 0) throw new Error('no commits of leases were recorded');
    return {
      cycles_per_second: Math.round(cycles / rate.seconds),
      commits_per_second: Math.round(rate.commits / rate.seconds),
      cycles_per_commit: Math.round(cycles / rate.commits),
      rows_per_cycle: Math.round((100 * rate.rows) / cycles) / 100,
      bytes_per_cycle: Math.round(rate.bytes / cycles),
    };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
