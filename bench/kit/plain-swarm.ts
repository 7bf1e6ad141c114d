import { SwarmWorker } from './swarm-worker.ts';

/** Connections that are made at once: the backlog of the listening socket is no longer. */
const AT_ONCE = 200;

export interface SwarmCounts {
  /** Tasks that were leased. */
  leased: number;
  /** When the first of them was, by `performance.now()`; 0 before. */
  firstLeaseAt: number;
}

/** Workers of one core, a connection each, that have registered. */
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
