import type { Logger } from './logging.ts';

/**
 * Steps in which a service stops (docs/contract/limits.md#shutdown): withdraw the announcement; answer running requests
 * and refuse new ones; answer waiting workers and assign no more tasks; process the messages that the bus has
 * delivered; close the store with everything on disk.
 */
export const SHUTDOWN_STEPS = ['discovery', 'http', 'scheduler', 'bus', 'store'] as const;
export type ShutdownStep = (typeof SHUTDOWN_STEPS)[number];

/** Registers the parts that were started and stops them. */
export class Shutdown {
  private readonly logger: Pick<Logger, 'info'>;
  private readonly now: () => number;
  private readonly stops = new Map<ShutdownStep, (() => unknown)[]>();

  /** `now` is a monotonic clock in milliseconds. */
  constructor(logger: Pick<Logger, 'info'>, now: () => number) {
    this.logger = logger;
    this.now = now;
  }

  /** Adds a part to a step. Parts of one step stop in reverse order. */
  add(step: ShutdownStep, stop: () => unknown): void {
    this.stops.set(step, [stop, ...(this.stops.get(step) ?? [])]);
  }

  /** Stops all parts, step by step. Rejects with the first error and does not stop the parts after it. */
  async run(): Promise<void> {
    for (const step of SHUTDOWN_STEPS) {
      const stops = this.stops.get(step) ?? [];
      this.stops.delete(step);
      const startedAt = this.now();
      for (const stop of stops) await stop();
      const milliseconds = Math.round(this.now() - startedAt);
      if (stops.length === 0) this.logger.info({ step }, 'stopping: nothing to stop');
      else this.logger.info({ step, milliseconds }, 'stopping: done');
    }
  }
}
