import { MessageChannel, Worker } from 'node:worker_threads';
import { STORE_EXIT_CODES } from '../../src/adapters/lmdb/fail-stop.ts';
import type { JobId, TaskId } from '../../src/core/ids.ts';
import type { LogPosition } from '../../src/core/records/log-chunk.ts';
import { controlOf } from '../threads/control-port.ts';
import type { LogControl, LogNotice, LogThreadOptions } from '../threads/log-protocol.ts';
import { entryUrl } from '../threads/entry-url.ts';

export interface LogThreadEvents {
  readonly noticed: (notice: LogNotice) => void;
  /** The thread has ended unexpectedly. The process must end. */
  readonly broken: (error: Error) => void;
}

export interface LogThread {
  /** Removes the logs of a job that is no longer in the state store. Resolves when all are removed. */
  forget(job: JobId): Promise<void>;
  /** Returns the position of the newest chunk of the task on the bus, or null. Rejects if the bus does not answer. */
  lastLogOf(task: TaskId): Promise<LogPosition | null>;
  stop(): Promise<void>;
}

/**
 * Starts the logs thread. Resolves when the log store is open. Rejects with a one-line reason if it cannot be opened.
 */
export function startLogThread(
  options: Omit<LogThreadOptions, 'controlPort'>,
  events: LogThreadEvents,
): Promise<LogThread> {
  const { port1, port2 } = new MessageChannel();
  const workerData: LogThreadOptions = { ...options, controlPort: port2 };
  const worker = new Worker(entryUrl('logs-thread'), { workerData, transferList: [port2], name: 'logs' });
  const control = controlOf<LogControl>(port1);
  let isStopping = false;
  return new Promise((resolve, reject) => {
    worker.on('message', (notice: LogNotice) => {
      if (notice.type === 'refused') {
        isStopping = true;
        reject(new Error(notice.reason));
        return;
      }
      if (notice.type === 'failed') process.exit(STORE_EXIT_CODES[notice.failure.kind]);
      events.noticed(notice);
      if (notice.type !== 'ready') return;
      resolve({
        forget: (job) => control.forget(job),
        lastLogOf: (task) => control.lastLogOf(task),
        stop: async () => {
          isStopping = true;
          await control.stop();
          port1.close();
          worker.unref();
        },
      });
    });
    worker.on('error', events.broken);
    worker.on('exit', (code) => {
      if (!isStopping) events.broken(new Error(`the thread ended by itself with code ${code}`));
    });
  });
}
