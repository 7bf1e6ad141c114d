import { percentile } from './results.ts';
import { SwarmWorker } from './swarm-worker.ts';

export interface LeaseLatency {
  readonly leases: number;
  readonly p50_ms: number;
  readonly p99_ms: number;
  readonly p999_ms: number;
  readonly max_ms: number;
}

/**
 * Workers of one core that lease and finish a task, pause, and request again: leases at a steady pace, far below the
 * maximum of the service.
 */
export class PacedLeases {
  private readonly workers: readonly SwarmWorker[];
  private readonly latencies: number[];

  private constructor(workers: readonly SwarmWorker[], latencies: number[]) {
    this.workers = workers;
    this.latencies = latencies;
  }

  static async start(busPort: number, workers: number, restMs: number): Promise<PacedLeases> {
    const latencies: number[] = [];
    const events = {
      leased: (latencyMs: number, assignments: readonly unknown[]) => {
        if (assignments.length > 0) latencies.push(latencyMs);
      },
      failed: (error: Error) => {
        throw error;
      },
    };
    const started = await Promise.all(
      Array.from({ length: workers }, (_, nth) => SwarmWorker.start(busPort, nth, 1, events, restMs)),
    );
    for (const worker of started) worker.lease();
    return new PacedLeases(started, latencies);
  }

  /** Returns the durations of the leases since the last call. */
  take(): LeaseLatency {
    const sorted = this.latencies.splice(0).sort((a, b) => a - b);
    return {
      leases: sorted.length,
      p50_ms: percentile(sorted, 0.5),
      p99_ms: percentile(sorted, 0.99),
      p999_ms: percentile(sorted, 0.999),
      max_ms: sorted.at(-1) ?? 0,
    };
  }

  stop(): void {
    for (const worker of this.workers) worker.stop();
  }
}
