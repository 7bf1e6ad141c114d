import { receiveMessageOnPort, type MessagePort } from 'node:worker_threads';
import type {
  JobChanges,
  JobNotice,
  PageVersions,
  Transactions,
} from '../../core/ports/committed-changes.ts';
import { NoticeRing, noticeRingMemory } from './notice-ring.ts';
import { pageVersionMemory, PageVersionReader } from './page-versions.ts';
import { ReadBarrier } from './read-barrier.ts';
import {
  WATERMARKS,
  STORE_PROTOCOL_VERSION,
  type WatchMemory,
  type WatchNotice,
  type WatchRequest,
} from './store-protocol.ts';

/**
 * Rows changed by commits, for a thread that caches some of them.
 *
 * Before each commit that writes jobs, the store thread writes a notice into a ring in shared memory, which wakes no
 * thread (it sends a message only if the ring is full), and changes the versions of pages there. Both can be read in
 * the middle of a turn, without waiting for the event loop.
 */
export interface ChangeSubscription extends Transactions {
  readonly jobs: JobChanges;
  readonly pages: PageVersions;
  /**
   * Resolves when all changes that are durable now are readable; null if they already are. A reader must wait for it
   * before it looks for changes that a client may know of before they are readable: replies to workers are sent that
   * early (docs/decisions/journal.md).
   */
  untilReadable(): Promise<void> | null;
  /** Calls back when many notices wait. Never before the current turn has ended. */
  onArrival(listener: () => void): void;
  close(): void;
}

/** Returns the shared memory of a subscription, for the store thread and the subscriber. */
export const watchMemory = (): WatchMemory => ({
  watermarks: new SharedArrayBuffer(Object.keys(WATERMARKS).length * BigInt64Array.BYTES_PER_ELEMENT),
  pageVersions: pageVersionMemory(),
  notices: noticeRingMemory(),
});

/** Opens the subscriber's side of a subscription of the store thread. */
export function openChangeWatch(port: MessagePort, memory: WatchMemory): ChangeSubscription {
  const watermarks = new BigInt64Array(memory.watermarks);
  const ring = new NoticeRing(memory.notices);
  const lastReadable = (): number => Number(Atomics.load(watermarks, WATERMARKS.readable));
  let arrived: JobNotice[] = [];
  let listener = (): void => undefined;
  const barrier = new ReadBarrier(watermarks, () => {
    const request: WatchRequest = { v: STORE_PROTOCOL_VERSION, type: 'request-apply' };
    port.postMessage(request);
  });
  const hear = (notice: WatchNotice): void => {
    if (notice.type === 'jobs-changed') arrived.push(notice);
    if (notice.type === 'readable') barrier.answered();
  };
  port.on('message', (notice: WatchNotice) => {
    hear(notice);
    listener();
  });
  return {
    jobs: {
      lastReadable,
      take() {
        // The ring is read first: a notice on the port that is older than the ring's content is then already in the
        // port.
        const waiting = ring.take();
        for (;;) {
          const received: { message: WatchNotice } | undefined = receiveMessageOnPort(port);
          if (received === undefined) break;
          hear(received.message);
        }
        if (arrived.length === 0) return waiting;
        const taken = [...arrived, ...waiting].sort((a, b) => a.transaction - b.transaction);
        arrived = [];
        return taken;
      },
    },
    lastReadable,
    pages: new PageVersionReader(memory.pageVersions, { lastReadable }),
    untilReadable: () => barrier.untilReadable(),
    onArrival(called) {
      listener = called;
    },
    close: () => port.close(),
  };
}
