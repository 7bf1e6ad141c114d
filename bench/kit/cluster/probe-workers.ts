import { setTimeout as delay } from 'node:timers/promises';
import { SwarmWorker } from '../swarm-worker.ts';

const WORKERS = 16;
/** Pause of a worker between a lease and its next request. */
const PACE_MS = 20;
/** Interval at which a request is repeated while no node answers. */
const REPEAT_MS = 20;
const LEASE_MS = 120_000;

/**
 * Workers that lease all the time. While no node owns the farms, they repeat their requests at short intervals: so the
 * first lease after a takeover shows when the new owner assigns tasks, without the random delay of real workers.
 */
export class ProbeWorkers {
  #workers: readonly SwarmWorker[] = [];
  #onLease: ((at: number) => void) | null = null;

  /** Registers the workers with the owner, at the servers in turn, and begins to lease. */
  static async start(busPorts: readonly number[]): Promise<ProbeWorkers> {
    const probes = new ProbeWorkers();
    const events = {
      leased: (_latencyMs: number, assignments: readonly unknown[]) => {
        if (assignments.length > 0) probes.#onLease?.(performance.now());
      },
      // Without an owner, requests have no responders.
      failed: () => undefined,
    };
    probes.#workers = await Promise.all(
      Array.from({ length: WORKERS }, (_, nth) =>
        SwarmWorker.start(busPorts[nth % busPorts.length] ?? 0, nth, 1, events, PACE_MS),
      ),
    );
    for (const worker of probes.#workers) worker.lease();
    return probes;
  }

  /** Resolves with the time of the next lease. Requests are repeated until then. */
  async nextLease(): Promise<number> {
    const repeating = setInterval(() => {
      for (const worker of this.#workers) worker.lease();
    }, REPEAT_MS);
    try {
      const leased = new Promise<number>((resolve) => {
        this.#onLease = resolve;
      });
      const at = await Promise.race([leased, delay(LEASE_MS, null)]);
      if (at === null) throw new Error(`no task was leased within ${LEASE_MS} ms`);
      return at;
    } finally {
      this.#onLease = null;
      clearInterval(repeating);
    }
  }

  stop(): void {
    for (const worker of this.#workers) worker.stop();
  }
}
