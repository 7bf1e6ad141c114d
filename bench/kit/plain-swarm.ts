import { SwarmWorker } from './swarm-worker.ts';

/** Number of connections that are opened at once: the length of the listening socket's backlog. */
const AT_ONCE = 200;

export interface SwarmCounts {
  /** Tasks that were leased. */
  leased: number;
  /** Time of the first lease, by `performance.now()`; 0 before. */
  firstLeaseAt: number;
}

/** Registered workers of one core, each with its own connection. */
export async function registerWorkers(
  busPort: number,
  count: number,
  restMs = 0,
): Promise<{ readonly workers: readonly SwarmWorker[]; readonly counts: SwarmCounts }> {
  const counts: SwarmCounts = { leased: 0, firstLeaseAt: 0 };
  const events = {
    leased: (_latencyMs: number, assignments: readonly unknown[]) => {
      if (assignments.length === 0) return;
      if (counts.firstLeaseAt === 0) counts.firstLeaseAt = performance.now();
      counts.leased += assignments.length;
    },
    failed: (error: Error) => {
      throw error;
    },
  };
  const workers: SwarmWorker[] = [];
  while (workers.length < count) {
    const next = Math.min(AT_ONCE, count - workers.length);
    const started = Array.from({ length: next }, (_, nth) =>
      SwarmWorker.start(busPort, workers.length + nth, 1, events, restMs),
    );
    workers.push(...(await Promise.all(started)));
  }
  return { workers, counts };
}
