import { countDisk, type DiskCount, type RunningCount } from './disk-count.ts';

/** Timing of counts, in milliseconds. */
const COUNTS = {
  /** A count that takes longer is given up. */
  timeoutMs: 300_000,
  /** Pause after a count with usage near the quota, or above it. */
  nearMs: 1000,
  midMs: 5000,
  farMs: 15_000,
  /** Shares of the quota from which on usage is near or in the middle. */
  near: 0.8,
  mid: 0.5,
  /** The pause is at least this multiple of the time that the count took, so that counting uses little of the disk. */
  pauseFactor: 10,
} as const;

interface DiskWatchOptions {
  readonly directory: string;
  readonly quotaBytes: number;
  /** Receives the result of each count. */
  readonly counted: (count: DiskCount) => void;
  /** Replaces the counting program. */
  readonly count?: (directory: string, timeoutMs: number) => RunningCount;
}

/**
 * Counts the directory of one session repeatedly, more often near its quota.
 *
 * - States: counting, pausing, stopped.
 * - Invariants: at most one count is reported at a time; nothing is reported after `stop`, nor from a count that
 *   started before `countAgain`.
 * - Exits: `stop`.
 */
export class DiskWatch {
  private readonly options: DiskWatchOptions;
  private running: RunningCount | null = null;
  private timer: NodeJS.Timeout | null = null;
  private hasStarted = false;
  private isStopped = false;

  constructor(options: DiskWatchOptions) {
    this.options = options;
  }

  /** Starts counting, at the first call. */
  start(): void {
    if (this.hasStarted || this.isStopped) return;
    this.hasStarted = true;
    this.countAfter(COUNTS.nearMs);
  }

  stop(): void {
    this.isStopped = true;
    if (this.timer !== null) clearTimeout(this.timer);
    this.running?.stop();
  }

  /** Discards the running count, if there is one, and starts a new one. */
  countAgain(): void {
    if (!this.hasStarted || this.isStopped) return;
    if (this.timer !== null) clearTimeout(this.timer);
    this.running?.stop();
    void this.count();
  }

  private countAfter(pauseMs: number): void {
    this.timer = setTimeout(() => void this.count(), pauseMs);
    this.timer.unref();
  }

  private async count(): Promise<void> {
    const { directory, quotaBytes, counted, count = countDisk } = this.options;
    const startedAt = performance.now();
    const running = count(directory, COUNTS.timeoutMs);
    this.running = running;
    const result = await running.result;
    if (this.isStopped || this.running !== running) return;
    this.running = null;
    counted(result);
    if (this.running === null) this.countAfter(pauseAfter(result, quotaBytes, performance.now() - startedAt));
  }
}

/** Returns the pause before the next count. `tookMs`: duration of this one. */
export function pauseAfter(result: DiskCount, quotaBytes: number, tookMs: number): number {
  const share = result.kind === 'counted' ? result.bytes / quotaBytes : 1;
  const pause = share >= COUNTS.near ? COUNTS.nearMs : share >= COUNTS.mid ? COUNTS.midMs : COUNTS.farMs;
  return Math.max(pause, tookMs * COUNTS.pauseFactor);
}
