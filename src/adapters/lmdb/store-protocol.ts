import type { MessagePort } from 'node:worker_threads';
import type { EventLoopLag } from '../system/event-loop-lag.ts';
import type { DiskState } from '../system/disk-watermark.ts';
import type { JobId } from '../../core/ids.ts';
import type { LargeRows } from '../../core/ports/large-jobs.ts';
import type { StoreFailure } from './fail-stop.ts';

/** What is said between the store thread, the shards and the main thread. Every message carries the version of this protocol. */
export const STORE_PROTOCOL_VERSION = 1;

interface Versioned {
  readonly v: typeof STORE_PROTOCOL_VERSION;
}

/** From a shard, on its own port. */
export type ShardRequest =
  /** The buffer (change-set-codec.ts) is transferred. `isAwaited`: nobody is told anything of it before it can be read. */
  | (Versioned & { readonly type: 'commit'; readonly set: ArrayBuffer; readonly isAwaited: boolean })
  /** Somebody waits until what was sent before can be read. */
  | (Versioned & { readonly type: 'request-apply' });

/** To a shard: its sets up to this sequence are on disk, or can be read as well. */
export interface CommitNotice extends Versioned {
  readonly type: 'durable' | 'readable';
  readonly sequence: number;
}

/**
 * Where in `settled` what stands: the number of the last notice whose commit can be read, how many commits can be, and how many change sets are on disk and
 * how many of these can be read.
 */
export const WATERMARKS = { notices: 0, commits: 1, durableSets: 2, readableSets: 3 } as const;

/** From a watcher: it waits until all that is on disk can be read, and is told when. */
export interface WatchRequest extends Versioned {
  readonly type: 'request-apply';
}

/** What a watcher and the store thread share. */
export interface WatchMemory {
  readonly watermarks: SharedArrayBuffer;
  readonly pageVersions: SharedArrayBuffer;
  /** Of a NoticeRing. */
  readonly notices: SharedArrayBuffer;
}

/** To a watcher. */
export type WatchNotice =
  /** Before the commit, when the ring has no room for it: the jobs that it writes or removes, and of what removed ones' keys begin with. */
  | (Versioned & {
      readonly type: 'jobs-changed';
      readonly number: number;
      readonly keys: readonly string[];
      readonly prefixes: readonly string[];
    })
  /** The ring is half full. */
  | (Versioned & { readonly type: 'jobs-wait' })
  /** What was on disk when the watcher asked can be read. */
  | (Versioned & { readonly type: 'readable' });

/** From the main thread. */
export type StoreCommand =
  /** Commits are told of on this port from now on. */
  | (Versioned & { readonly type: 'watch'; readonly port: MessagePort; readonly memory: WatchMemory })
  /** A shard's end of the port is given to the shard. */
  | (Versioned & { readonly type: 'attach'; readonly shard: number; readonly port: MessagePort })
  /** Store rows of a large job before it is made. The buffers are transferred. */
  | (Versioned & { readonly type: 'store-provisional-job'; readonly job: JobId; readonly rows: LargeRows })
  /** The job of such rows does not come. */
  | (Versioned & { readonly type: 'discard-provisional-job'; readonly job: JobId })
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
  /** The rows of a job that were to be stored ahead are on disk. */
  | (Versioned & { readonly type: 'provisional-job-stored'; readonly job: JobId })
  /** The process must end now with the exit code of the failure; the thread does nothing more. */
  | (Versioned & { readonly type: 'failed'; readonly failure: StoreFailure })
  | (Versioned & { readonly type: 'stopped' });
