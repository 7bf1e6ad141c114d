import { backoffMs } from '../../../src/adapters/nats/backoff.ts';
import { CONNECTION_LIMITS } from '../../../src/adapters/nats/limits.ts';
import type { LoadWorker } from './load-worker.ts';
import type { ReconnectFigures } from './swarm-protocol.ts';

/** Connects workers of a swarm again, each with the pauses of a real worker, and records how long that takes. */
export class Reconnections {
  private connected = 0;
  private failedTries = 0;
  private firstAt = 0;
  private wanted = Number.POSITIVE_INFINITY;
  private onAll: (() => void) | null = null;

  /** To be called when a worker has lost its connection. */
  readonly lost = (worker: LoadWorker): void => {
    this.retry(worker, 1);
  };

  /** Resolves when this number of workers have lost their connections and connected again, since the previous call. */
  async all(workers: number): Promise<ReconnectFigures> {
    this.wanted = workers;
    const all = new Promise<void>((resolve) => {
      this.onAll = resolve;
    });
    this.check();
    await all;
    const figures = { firstAt: this.firstAt, allAt: Date.now(), failedTries: this.failedTries };
    this.connected = 0;
    this.failedTries = 0;
    this.wanted = Number.POSITIVE_INFINITY;
    return figures;
  }

  private retry(worker: LoadWorker, failures: number): void {
    const { msMin, msMax } = CONNECTION_LIMITS.workerRedial;
    setTimeout(
      () => {
        worker.connect().then(
          () => {
            if (this.connected++ === 0) this.firstAt = Date.now();
            this.check();
          },
          () => {
            this.failedTries++;
            this.retry(worker, failures + 1);
          },
        );
      },
      backoffMs(failures, msMin, msMax),
    );
  }

  private check(): void {
    if (this.connected >= this.wanted) this.onAll?.();
  }
}
