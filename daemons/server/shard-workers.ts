import { Worker, type MessagePort } from 'node:worker_threads';
import type { RetryPolicy } from '../../src/core/lifecycle/retry-policy.ts';
import { entryUrl, shardThreadName } from '../threads/entry-url.ts';
import {
  SHARD_PROTOCOL_VERSION,
  type ShardOptions,
  type ShardStart,
  type StandbyCommand,
} from '../threads/shard-protocol.ts';

/**
 * Size of the young generation of a shard's thread. Messages live as long as their commit is in flight. With V8's
 * default of 48 MiB they are copied several times before they become garbage, by the thread and by V8's helper threads
 * (docs/performance.md).
 */
const YOUNG_GENERATION_MIB = 64;

/** Starts the thread of a shard, or gives it its options if it was started before. */
export type LaunchShard = (options: ShardOptions) => Worker;

/** Starts the thread of a shard. */
export const launchShard: LaunchShard = (options) =>
  startThread(options.index, options, [options.storePort, options.controlPort]);

function startThread(index: number, workerData: ShardStart, transferList: MessagePort[]): Worker {
  return new Worker(entryUrl('shard-thread'), {
    workerData,
    transferList,
    name: shardThreadName(index),
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MIB },
  });
}

export interface StandbySettings {
  /** Number of shards. */
  readonly count: number;
  readonly stateDirectory: string;
  readonly retry: RetryPolicy;
}

/** The threads of the shards of a follower, which wait for a takeover (docs/decisions/standby-shards.md). */
export class StandbyShards {
  readonly #workers: Worker[];
  readonly #broken: (error: Error) => void;

  /**
   * `jobsPort` returns a port of `StoreThread.watchJobs`. `broken` is called if a thread ends by itself before its shard
   * begins.
   */
  constructor(settings: StandbySettings, jobsPort: () => MessagePort, broken: (error: Error) => void) {
    this.#broken = broken;
    this.#workers = Array.from({ length: settings.count }, (_, index) => {
      const port = jobsPort();
      const worker = startThread(index, { standby: { ...settings, index, jobsPort: port } }, [port]);
      worker.on('error', this.#broken);
      worker.on('exit', this.#ended);
      return worker;
    });
  }

  /** Lets a shard begin. */
  readonly launch: LaunchShard = (options) => {
    const worker = this.#workers[options.index];
    if (worker === undefined) throw new RangeError(`shard ${options.index} is not in standby`);
    this.#release(worker);
    const command: StandbyCommand = { v: SHARD_PROTOCOL_VERSION, type: 'begin', options };
    worker.postMessage(command, [options.storePort, options.controlPort]);
    return worker;
  };

  /** Ends the threads of shards that have not begun. */
  async stop(): Promise<void> {
    const waiting = this.#workers.filter((worker) => worker.listeners('exit').includes(this.#ended));
    const command: StandbyCommand = { v: SHARD_PROTOCOL_VERSION, type: 'end-standby' };
    await Promise.all(
      waiting.map((worker) => {
        this.#release(worker);
        const ended = new Promise((resolve) => worker.once('exit', resolve));
        worker.postMessage(command);
        return ended;
      }),
    );
  }

  readonly #ended = (code: number): void =>
    this.#broken(new Error(`the thread ended by itself with code ${code}`));

  #release(worker: Worker): void {
    worker.off('error', this.#broken);
    worker.off('exit', this.#ended);
  }
}
