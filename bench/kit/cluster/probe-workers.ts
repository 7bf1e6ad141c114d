import { SwarmWorker } from '../swarm-worker.ts';

const WORKERS = 16;
/** Interval at which requests are repeated until a task is leased. */
const REPEAT_MS = 20;
const LEASE_MS = 120_000;

/**
 * Workers that request a task at short intervals until one of them has one: so the first lease after a takeover shows when
 * the new owner assigns tasks, without the random delay of real workers.
 */
export class ProbeWorkers {
  #workers: readonly SwarmWorker[] = [];
  #onLease: ((at: number) => void) | null = null;
  #lastLeaseAt = 0;
  /** Longest time between two leases, since it was set to 0. */
  #longestPauseMs = 0;

  /** Registers the workers with the owner, at the servers in turn. */
  static async start(busPorts: readonly number[]): Promise<ProbeWorkers> {
    const probes = new ProbeWorkers();
    const events = {
      leased: (_latencyMs: number, assignments: readonly unknown[]) => {
        if (assignments.length > 0) probes.#leased(performance.now());
      },
      // Without an owner, requests have no responders.
      failed: () => undefined,
    };
    probes.#workers = await Promise.all(
      Array.from({ length: WORKERS }, (_, nth) =>
        SwarmWorker.start(busPorts[nth % busPorts.length] ?? 0, nth, 1, events, null),
      ),
    );
    return probes;
  }

  /** Requests tasks. Resolves with the time of the first lease. */
  async nextLease(): Promise<number> {
    const repeating = this.#repeatRequests();
    try {
      return await this.#untilLease();
    } finally {
      clearInterval(repeating);
    }
  }

  /** Requests tasks during some work and until the first lease after it. Resolves with the longest time without a lease. */
  async longestPauseMs(work: () => Promise<void>): Promise<number> {
    const repeating = this.#repeatRequests();
    try {
      await this.#untilLease();
      this.#longestPauseMs = 0;
      await work();
      await this.#untilLease();
      return this.#longestPauseMs;
    } finally {
      clearInterval(repeating);
    }
  }

  #repeatRequests(): NodeJS.Timeout {
    return setInterval(() => {
      for (const worker of this.#workers) worker.lease();
    }, REPEAT_MS);
  }

  #leased(at: number): void {
    this.#longestPauseMs = Math.max(this.#longestPauseMs, at - this.#lastLeaseAt);
    this.#lastLeaseAt = at;
    this.#onLease?.(at);
  }

  async #untilLease(): Promise<number> {
    let limit: NodeJS.Timeout | null = null;
    try {
      return await new Promise<number>((resolve, reject) => {
        this.#onLease = resolve;
        limit = setTimeout(() => reject(new Error(`no task was leased within ${LEASE_MS} ms`)), LEASE_MS);
      });
    } finally {
      this.#onLease = null;
      if (limit !== null) clearTimeout(limit);
    }
  }

  stop(): void {
    for (const worker of this.#workers) worker.stop();
  }
}
