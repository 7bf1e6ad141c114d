import type { MessagePort } from 'node:worker_threads';
import type { EventLoopLag } from '../system/event-loop-lag.ts';
import type { DiskState } from '../system/disk-watermark.ts';
import type { DiskLimits, StoreFailure } from './writer-environment.ts';

/** What is said between the store thread, the shards and the main thread. Every message carries the version of this protocol. */
export const STORE_PROTOCOL = 1;

interface Versioned {
  readonly v: typeof STORE_PROTOCOL;
}

/** From a shard, on its own port. The buffer (change-set-codec.ts) is transferred. */
export interface CommitRequest extends Versioned {
  readonly type: 'commit';
  readonly set: ArrayBuffer;
}

/** To a shard: its sets up to this sequence are on disk. */
export interface DurableNotice extends Versioned {
  readonly type: 'durable';
  readonly sequence: number;
}

/** From the main thread. */
export type StoreCommand =
  /** A shard's end of the port is given to the shard. */
  | (Versioned & { readonly type: 'attach'; readonly shard: number; readonly port: MessagePort })
  /** Commit what is queued, close, end. Shards must have stopped. */
  | (Versioned & { readonly type: 'stop' });

/** To the main thread. */
export type StoreNotice =
  | (Versioned & { readonly type: 'ready'; readonly storeId: string; readonly disk: DiskState })
  /** The store cannot be opened: one line that says where and why. The thread ends. */
  | (Versioned & { readonly type: 'refused'; readonly reason: string })
  | (Versioned & { readonly type: 'disk'; readonly disk: DiskState })
  | (Versioned & { readonly type: 'warning'; readonly text: string })
  /** Once in a while. */
  | (Versioned & { readonly type: 'measured'; readonly lag: EventLoopLag })
  /** The process must end now with the exit code of the failure; the thread does nothing more. */
  | (Versioned & { readonly type: 'failed'; readonly failure: StoreFailure })
  | (Versioned & { readonly type: 'stopped' });

/** What the store thread is started with. */
export interface StoreThreadOptions {
  readonly directory: string;
  readonly softwareVersion: string;
  readonly disk: DiskLimits;
}
