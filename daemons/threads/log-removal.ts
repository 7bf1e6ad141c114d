import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import type { JobId } from '../../src/core/ids.ts';
import type { LogStoreWriter } from '../../src/core/ports/log-store.ts';

/** Time after which a removal is retried while the disk is low. */
const LOW_DISK_WAIT_MS = 1_000;

/** Removes the logs of deleted jobs, one job after another and in pieces. New chunks are stored in between. */
export class LogRemoval {
  private readonly writer: Pick<LogStoreWriter, 'removeJob'>;
  private readonly lowDiskWaitMs: number;
  private last: Promise<void> = Promise.resolve();
  private isStopped = false;

  constructor(writer: Pick<LogStoreWriter, 'removeJob'>, lowDiskWaitMs = LOW_DISK_WAIT_MS) {
    this.writer = writer;
    this.lowDiskWaitMs = lowDiskWaitMs;
  }

  /** Removes the logs of a job. Resolves when all are removed, and never after `stop`. */
  remove(job: JobId): Promise<void> {
    this.last = this.last.then(() => this.work(job));
    return this.last;
  }

  /** Stops the removal. The remaining logs are removed after the next start. */
  stop(): void {
    this.isStopped = true;
  }

  private async work(job: JobId): Promise<void> {
    for (;;) {
      await nextTurn();
      if (this.isStopped) await NEVER;
      const outcome = this.writer.removeJob(job);
      if (outcome === 'done') return;
      if (outcome === 'disk-low') await delay(this.lowDiskWaitMs);
    }
  }
}

const NEVER = new Promise<never>(() => undefined);
