import { setImmediate as nextTurn } from 'node:timers/promises';
import type { JobId } from '../../core/ids.ts';
import type { LogStoreWriter } from '../../core/ports/log-store.ts';

/** Removes the logs of deleted jobs, one job after another and in pieces, so that new chunks are stored in between. */
export class LogRemoval {
  private readonly writer: Pick<LogStoreWriter, 'removeJob'>;
  private last: Promise<void> = Promise.resolve();
  private isStopped = false;

  constructor(writer: Pick<LogStoreWriter, 'removeJob'>) {
    this.writer = writer;
  }

  /** Resolves when no log of the job is left; never after `stop`. */
  remove(job: JobId): Promise<void> {
    this.last = this.last.then(() => this.work(job));
    return this.last;
  }

  /** Touches the log store no more. What is left of a job is removed after the next start. */
  stop(): void {
    this.isStopped = true;
  }

  private async work(job: JobId): Promise<void> {
    do {
      await nextTurn();
      if (this.isStopped) await new Promise<never>(() => undefined);
    } while (this.writer.removeJob(job));
  }
}
