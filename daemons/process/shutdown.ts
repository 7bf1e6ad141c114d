import type { Logger } from './logging.ts';

/**
 * The order in which a service stops (docs/contract/limits.md#shutdown): nobody finds it any more; running requests are
 * answered and new ones refused; waiting workers are answered and nothing more is handed out; what is on its way on the
 * bus is taken in; the store is closed with everything on the disk.
 */
export const SHUTDOWN_STEPS = ['discovery', 'http', 'scheduler', 'bus', 'store'] as const;
export type ShutdownStep = (typeof SHUTDOWN_STEPS)[number];

/** What has been started, and how it is stopped. */
export class Shutdown {
  private readonly logger: Pick<Logger, 'info'>;
  private readonly now: () => number;
  private readonly stops = new Map<ShutdownStep, (() => unknown)[]>();

  /** `now` is a clock in milliseconds that never goes back. */
  constructor(logger: Pick<Logger, 'info'>, now: () => number) {
    this.logger = logger;
    this.now = now;
  }

  /** Something of this step was started. What was started last in a step is stopped first. */
  add(step: ShutdownStep, stop: () => unknown): void {
    this.stops.set(step, [stop, ...(this.stops.get(step) ?? [])]);
  }

  /** Stops everything that was started, step by step. Rejects with the first error: what follows is not stopped then. */
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
