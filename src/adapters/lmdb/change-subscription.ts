import { receiveMessageOnPort, type MessagePort } from 'node:worker_threads';
import type { JobChanges, JobNotice, PageVersions } from '../../core/ports/committed-changes.ts';
import { NoticeRing, noticeRingMemory } from './notice-ring.ts';
import { pageVersionMemory, SharedPageVersions } from './page-versions.ts';
import { ReadBarrier } from './read-barrier.ts';
import {
  WATERMARKS,
  STORE_PROTOCOL_VERSION,
  type WatchMemory,
  type WatchNotice,
  type WatchRequest,
} from './store-protocol.ts';

/**
 * Which rows commits change, for a thread that keeps something of them in memory. Before each commit that writes jobs the
 * store thread puts a notice into a ring in shared memory, which wakes nobody (a message only when the ring has no room),
 * and changes the versions of pages there. All of it can be looked at in the middle of a turn, without waiting for the event
 * loop.
 */
export interface ChangeSubscription {
  readonly jobs: JobChanges;
  readonly pages: PageVersions;
  /** How many commits can be read: another number after each, and before anybody is told of it. */
  commits(): number;
  /**
   * Resolves when all that is on disk by now can be read; null when it can be already. To be awaited by whoever must see what somebody else was told of
   * before it could be read: answers to workers are (docs/decisions/journal.md).
   */
  untilReadable(): Promise<void> | null;
  /** Calls back when many notices wait to be taken. Never before the current turn has ended. */
  onArrival(listener: () => void): void;
  close(): void;
}

/** Memory of a watch, for the store thread and its watcher. */
export const watchMemory = (): WatchMemory => ({
  watermarks: new SharedArrayBuffer(Object.keys(WATERMARKS).length * BigInt64Array.BYTES_PER_ELEMENT),
  pageVersions: pageVersionMemory(),
  notices: noticeRingMemory(),
});

/** The watcher's end of a watch that the store thread holds the other end of. */
export function openChangeWatch(port: MessagePort, memory: WatchMemory): ChangeSubscription {
  const watermarks = new BigInt64Array(memory.watermarks);
  const ring = new NoticeRing(memory.notices);
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
      lastAppliedNotice: () => Number(Atomics.load(watermarks, WATERMARKS.notices)),
      take() {
        // The ring first: what is in it and came after a notice of the port finds that one in the port.
        const waiting = ring.take();
        for (;;) {
          const received: { message: WatchNotice } | undefined = receiveMessageOnPort(port);
          if (received === undefined) break;
          hear(received.message);
        }
        if (arrived.length === 0) return waiting;
        const taken = [...arrived, ...waiting].sort((a, b) => a.number - b.number);
        arrived = [];
        return taken;
      },
    },
    pages: new SharedPageVersions(memory.pageVersions),
    commits: () => Number(Atomics.load(watermarks, WATERMARKS.commits)),
    untilReadable: () => barrier.untilReadable(),
    onArrival(called) {
      listener = called;
    },
    close: () => port.close(),
  };
}
