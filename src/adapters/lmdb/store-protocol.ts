import type { MessagePort } from 'node:worker_threads';
import type { NodeState } from '../../core/cluster/node-states.ts';
import type { EventLoopLag } from '../system/event-loop-lag.ts';
import type { DiskState } from '../system/disk-watermark.ts';
import type { JobId } from '../../core/ids.ts';
import type { LargeRows } from '../../core/ports/large-jobs.ts';
import type { StoreFailure } from './fail-stop.ts';

/** Version of the messages between the store thread, the shards and the main thread. Every message contains it. */
export const STORE_PROTOCOL_VERSION = 1;

interface Versioned {
  readonly v: typeof STORE_PROTOCOL_VERSION;
}

/** From a shard, on its own port. */
export type ShardRequest =
  /**
   * The buffer (change-set-codec.ts) is transferred. `isAwaited`: the set must be readable before it is acknowledged.
   * `causes`: those of its units of work as sections of a record of the log; null on a single node.
   */
  | (Versioned & {
      readonly type: 'commit';
      readonly set: ArrayBuffer;
      readonly isAwaited: boolean;
      readonly causes: Uint8Array | null;
    })
  /** Requests that all earlier sets become readable. */
  | (Versioned & { readonly type: 'request-apply' });

/** To a shard: its sets up to this sequence are on disk, or also readable. */
export interface CommitNotice extends Versioned {
  readonly type: 'durable' | 'readable';
  readonly sequence: number;
}

/**
 * Indices of the shared watermarks, which are numbers of transactions: the one that makes every change set readable
 * that is durable now, and the last readable one.
 */
export const WATERMARKS = { durable: 0, readable: 1 } as const;

/** From a subscriber: requests a notice when all durable changes are readable. */
export interface WatchRequest extends Versioned {
  readonly type: 'request-apply';
}

/** Memory shared by a subscriber and the store thread. */
export interface WatchMemory {
  readonly watermarks: SharedArrayBuffer;
  readonly pageVersions: SharedArrayBuffer;
  /** Of a NoticeRing. */
  readonly notices: SharedArrayBuffer;
}

/** To a subscriber. */
export type WatchNotice =
  /**
   * Sent before the commit if the ring is full: the jobs that it writes or removes, and the key prefixes of removed
   * ones.
   */
  | (Versioned & {
      readonly type: 'jobs-changed';
      readonly transaction: number;
      readonly keys: readonly string[];
      readonly prefixes: readonly string[];
    })
  /** The ring is half full. */
  | (Versioned & { readonly type: 'jobs-wait' })
  /** The changes that were durable at the request are readable. */
  | (Versioned & { readonly type: 'readable' });

/** From the main thread. */
export type StoreCommand =
  /** Publishes commits on this port from now on. */
  | (Versioned & { readonly type: 'watch'; readonly port: MessagePort; readonly memory: WatchMemory })
  /** Publishes on this port which jobs are touched, until this node owns the log of its cluster. */
  | (Versioned & { readonly type: 'watch-jobs'; readonly port: MessagePort })
  /** The port of a shard; its other end is given to the shard. */
  | (Versioned & { readonly type: 'attach'; readonly shard: number; readonly port: MessagePort })
  /** Stores rows of a large job before it is created. The buffers are transferred. */
  | (Versioned & { readonly type: 'store-provisional-job'; readonly job: JobId; readonly rows: LargeRows })
  /** The job of such rows will not be created. */
  | (Versioned & { readonly type: 'discard-provisional-job'; readonly job: JobId })
  /** Lets another node of the cluster own the journal: the given one, or null for any that is current. */
  | (Versioned & { readonly type: 'hand-over'; readonly to: string | null })
  /** Commits queued sets, closes the store and ends. Shards must have stopped. */
  | (Versioned & { readonly type: 'stop' });

/** To the main thread. */
export type StoreNotice =
  | (Versioned & { readonly type: 'ready'; readonly storeId: string; readonly disk: DiskState })
  /** The store cannot be opened: one line with its path and the reason. The thread ends. */
  | (Versioned & { readonly type: 'refused'; readonly reason: string })
  | (Versioned & { readonly type: 'disk'; readonly disk: DiskState })
  | (Versioned & { readonly type: 'warning'; readonly text: string })
  /** Sent periodically. */
  | (Versioned & { readonly type: 'measured'; readonly lag: EventLoopLag })
  /** The standing of this node in its cluster has changed. Everything that it has read until then is applied. */
  | (Versioned & {
      readonly type: 'standing';
      readonly state: NodeState;
      readonly epoch: number;
      readonly logId: string;
    })
  /** The journal goes to this node, and the process ends. */
  | (Versioned & { readonly type: 'handing-over'; readonly successor: string })
  | (Versioned & { readonly type: 'hand-over-refused'; readonly reason: string })
  /** The rows of a provisional job are on disk. */
  | (Versioned & { readonly type: 'provisional-job-stored'; readonly job: JobId })
  /** The process must end now with the exit status of the failure; the thread does nothing more. */
  | (Versioned & { readonly type: 'failed'; readonly failure: StoreFailure })
  | (Versioned & { readonly type: 'stopped' });
