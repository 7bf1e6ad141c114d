import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { LoadTimes } from '../swarm/swarm.ts';

/** Threads of the service that a lease passes, by the name of their files. */
export const PROFILED_THREADS = ['shard 0', 'store'] as const;

/** Stores a profile of the thread for the time of the measurement in `<start>-<thread>.cpuprofile`. */
export async function saveProfile(
  url: string,
  thread: (typeof PROFILED_THREADS)[number],
  start: string,
  { warmUpMs, measureMs }: LoadTimes,
): Promise<void> {
  await delay(warmUpMs);
  const seconds = Math.max(1, Math.floor(measureMs / 1000));
  const query = new URLSearchParams({ thread, seconds: String(seconds) });
  const response = await fetch(`${url}/debug/pprof/profile?${query.toString()}`);
  const body = await response.text();
  if (!response.ok) throw new Error(`no profile of ${thread}: ${response.status} ${body}`);
  await mkdir(dirname(start), { recursive: true });
  await writeFile(`${start}-${thread.replace(' ', '-')}.cpuprofile`, body);
}
