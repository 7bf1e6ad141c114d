import { percentile } from '../kit/results.ts';
import type { WorkFigures } from './peer.ts';

/**
 * Records the times of a run: when workers become free, when they get tasks, and when ends are stored. If a process
 * runs many tasks at once, its slots have no names: a task goes to the slot that has been free for longest.
 */
export class WorkClock {
  private readonly now: () => number;
  private readonly tasks: number;
  private readonly warmUp: number;
  private readonly freeSince: number[] = [];
  private oldest = 0;
  private readonly latencies: number[] = [];
  private firstAt = Number.NaN;
  private lastAt = Number.NaN;
  private kept = 0;
  private started = 0;
  private resolve: () => void = () => undefined;
  /** Resolves when all ends are stored. */
  readonly finished: Promise<void>;

  /** `tasks` is the total number; the first `warmUp` of them are not timed. `now` returns milliseconds. */
  constructor(tasks: number, warmUp: number, now: () => number) {
    this.tasks = tasks;
    this.warmUp = warmUp;
    this.now = now;
    this.finished = new Promise((resolve) => {
      this.resolve = resolve;
    });
  }

  /** A worker is free. */
  free(): void {
    this.freeSince.push(this.now());
  }

  /** The worker that has been free for longest has a task. Returns the number of started tasks. */
  start(): number {
    const since = this.freeSince[this.oldest];
    if (since === undefined) throw new Error('a task was started and no worker was free');
    this.oldest++;
    return this.startAfter(this.now() - since);
  }

  /** A worker has `tasks` tasks, the given milliseconds after it became free. Returns the number of started tasks. */
  startAfter(latencyMs: number, tasks = 1): number {
    this.started += tasks;
    if (this.started <= this.warmUp) return this.started;
    if (Number.isNaN(this.firstAt)) this.firstAt = this.now();
    this.latencies.push(latencyMs);
    return this.started;
  }

  /** The ends of n tasks are stored. */
  end(tasks = 1): void {
    this.kept += tasks;
    if (this.kept < this.tasks) return;
    this.lastAt = this.now();
    this.resolve();
  }

  figures(): WorkFigures {
    const sorted = Float64Array.from(this.latencies).sort();
    return {
      seconds: (this.lastAt - this.firstAt) / 1000,
      leaseP50Ms: percentile(sorted, 0.5),
      leaseP99Ms: percentile(sorted, 0.99),
    };
  }
}
