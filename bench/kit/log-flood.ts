import { Worker } from 'node:worker_threads';

/** Thread that floods the bus. */
export interface Flood {
  /** Ends the flood. Returns the number of published bytes of data. */
  stop(): Promise<number>;
}

export interface FloodOptions {
  readonly busPort: number;
  /** Seed of the user that may publish to the subjects. */
  readonly seed: string;
  /** Subjects with their messages, in turn. `{n}` is replaced by `sequence`. */
  readonly messages: readonly { readonly subject: string; readonly head: string; readonly tail: string }[];
  /** Bytes of data of one message. */
  readonly bytes: number;
  readonly bytesPerSecond: number;
}

/** Publishes at a steady rate until it is stopped. */
export function startFlood(options: FloodOptions): Flood {
  const worker = new Worker(new URL('./log-flood-process.js', import.meta.url), { workerData: options });
  return {
    stop: () =>
      new Promise((resolve, reject) => {
        worker.once('message', resolve);
        worker.once('error', reject);
        worker.postMessage('stop');
      }),
  };
}
