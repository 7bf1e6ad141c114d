import { MessageChannel, Worker, type MessagePort } from 'node:worker_threads';
import type { NodeState } from '../../core/cluster/node-states.ts';
import type { EventLoopLag } from '../system/event-loop-lag.ts';
import type { JobId } from '../../core/ids.ts';
import type { LargeJobs } from '../../core/ports/large-jobs.ts';
import type { DiskState } from '../system/disk-watermark.ts';
import { STATE_DISK_LIMITS } from './state-writer.ts';
import type { DiskLimits } from './writer-environment.ts';
import { openChangeWatch, watchMemory, type ChangeSubscription } from './change-subscription.ts';
import { writeFinalLog, STORE_EXIT_CODES } from './fail-stop.ts';
import { STORE_PROTOCOL_VERSION, type StoreCommand, type StoreNotice } from './store-protocol.ts';
import type { StoreThreadOptions } from './store-thread.ts';

/** The main thread's handle of the store thread. */
export interface StoreThread extends LargeJobs {
  /** Random id of the store. */
  readonly storeId: string;
  /** Returns whether new work may be accepted: submissions are rejected while the disk is low. */
  diskState(): DiskState;
  /** Returns a port for a shard, to be transferred to its thread and given to `createStoreClient`. */
  attachShard(shard: number): MessagePort;
  /**
   * Returns a port that gets `TouchedJobs` until this node owns the log of its cluster. The last notice is in the port before
   * the main thread learns of the ownership.
   */
  watchJobs(): MessagePort;
  /** Subscribes this thread to every commit of shards that are attached later. */
  watch(): ChangeSubscription;
  /**
   * Lets another node of the cluster own the journal: the given one, or null for any that is current. Resolves with its name
   * just before the process ends. Rejects with the reason.
   */
  handOver(to: string | null): Promise<string>;
  /** Commits queued sets and closes the store. The shards must have stopped. Resolves when the thread has ended. */
  stop(): Promise<void>;
}

export interface StoreThreadEvents {
  readonly diskChanged: (disk: DiskState) => void;
  readonly warned: (text: string) => void;
  readonly measured?: (lag: EventLoopLag) => void;
  /** The standing of this node in its cluster. Never called on a single node. */
  readonly standingChanged?: (state: NodeState, epoch: number, logId: string) => void;
}

/**
 * Starts the store thread from its entry point (daemons/threads/store-thread.ts) and resolves when the store is open.
 * Rejects with one line if it cannot be opened. If the store fails later, the process ends with one of
 * STORE_EXIT_CODES.
 */
export function startStoreThread(
  entry: URL,
  {
    disk: limits = STATE_DISK_LIMITS,
    ...options
  }: Omit<StoreThreadOptions, 'disk'> & { readonly disk?: DiskLimits },
  events: StoreThreadEvents,
): Promise<StoreThread> {
  const worker = new Worker(entry, {
    workerData: { ...options, disk: limits } satisfies StoreThreadOptions,
    name: 'store',
  });
  const command = (message: StoreCommand, transfer: (MessagePort | ArrayBuffer)[] = []): void =>
    worker.postMessage(message, transfer);
  let disk: DiskState = 'ok';
  const waiting = new Map<JobId, () => void>();
  /** Requests to hand over, in their order. */
  const heirs: {
    readonly resolve: (successor: string) => void;
    readonly reject: (error: Error) => void;
  }[] = [];
  let hasEnded = false;
  let isEndExpected = false;

  const ended = new Promise<void>((resolve) => {
    worker.once('exit', () => {
      hasEnded = true;
      resolve();
    });
  });

  const handle = (storeId: string): StoreThread => ({
    storeId,
    diskState: () => disk,
    attachShard(shard) {
      const { port1, port2 } = new MessageChannel();
      command({ v: STORE_PROTOCOL_VERSION, type: 'attach', shard, port: port1 }, [port1]);
      return port2;
    },
    watchJobs() {
      const { port1, port2 } = new MessageChannel();
      command({ v: STORE_PROTOCOL_VERSION, type: 'watch-jobs', port: port1 }, [port1]);
      return port2;
    },
    storeProvisionalJob(job, rows) {
      command({ v: STORE_PROTOCOL_VERSION, type: 'store-provisional-job', job, rows }, [
        rows.template.buffer,
        rows.plan.buffer,
      ]);
      return new Promise((resolve) => waiting.set(job, resolve));
    },
    discardProvisionalJob(job) {
      if (!hasEnded) command({ v: STORE_PROTOCOL_VERSION, type: 'discard-provisional-job', job });
    },
    watch() {
      const { port1, port2 } = new MessageChannel();
      const memory = watchMemory();
      command({ v: STORE_PROTOCOL_VERSION, type: 'watch', port: port1, memory }, [port1]);
      return openChangeWatch(port2, memory);
    },
    handOver(to) {
      return new Promise((resolve, reject) => {
        heirs.push({ resolve, reject });
        command({ v: STORE_PROTOCOL_VERSION, type: 'hand-over', to });
      });
    },
    stop() {
      if (!hasEnded) command({ v: STORE_PROTOCOL_VERSION, type: 'stop' });
      return ended;
    },
  });

  return new Promise((resolve, reject) => {
    worker.on('message', (notice: StoreNotice) => {
      switch (notice.type) {
        case 'ready':
          disk = notice.disk;
          resolve(handle(notice.storeId));
          return;
        case 'refused':
          isEndExpected = true;
          reject(new Error(notice.reason));
          return;
        case 'disk':
          disk = notice.disk;
          events.diskChanged(disk);
          return;
        case 'warning':
          events.warned(notice.text);
          return;
        case 'provisional-job-stored':
          waiting.get(notice.job)?.();
          waiting.delete(notice.job);
          return;
        case 'standing':
          events.standingChanged?.(notice.state, notice.epoch, notice.logId);
          return;
        case 'handing-over':
          heirs.shift()?.resolve(notice.successor);
          return;
        case 'hand-over-refused':
          heirs.shift()?.reject(new Error(notice.reason));
          return;
        case 'measured':
          events.measured?.(notice.lag);
          return;
        case 'failed':
          process.exit(STORE_EXIT_CODES[notice.failure.kind]);
        case 'stopped':
          isEndExpected = true;
      }
    });
    worker.once('error', (error) => endProcess(error.stack ?? error.message));
    worker.once('exit', (code) => {
      if (!isEndExpected) endProcess(`it ended by itself with code ${code}`);
    });
  });
}

function endProcess(detail: string): never {
  writeFinalLog(`ending the process (the store thread has exited): ${detail}`);
  process.exit(STORE_EXIT_CODES['broken-protocol']);
}
