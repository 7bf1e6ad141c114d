import { receiveMessageOnPort, type MessagePort } from 'node:worker_threads';
import type { JobChanges, JobNotice, PageVersions } from '../../core/ports/committed-changes.ts';
import { pageVersionMemory, SharedPageVersions } from './page-versions.ts';
import { SETTLED, type JobsChangedNotice, type WatchMemory } from './store-protocol.ts';

/**
 * Which rows commits change, for a thread that keeps something of them in memory. The store thread posts a notice before
 * each commit that writes jobs, and changes the versions of pages in shared memory. All of it can be looked at in the
 * middle of a turn, without waiting for the event loop.
 */
export interface ChangeWatch {
  readonly jobs: JobChanges;
  readonly pages: PageVersions;
  /** How many commits are on disk: another number after each, and before anybody is told of it. */
  commits(): number;
  /** Calls back when notices have arrived while nobody took them. Never before the current turn has ended. */
  onArrival(listener: () => void): void;
  close(): void;
}

/** Memory of a watch, for the store thread and its watcher. */
export const watchMemory = (): WatchMemory => ({
  settled: new SharedArrayBuffer(Object.keys(SETTLED).length * BigInt64Array.BYTES_PER_ELEMENT),
  pageVersions: pageVersionMemory(),
});

/** The watcher's end of a watch that the store thread holds the other end of. */
export function openChangeWatch(port: MessagePort, memory: WatchMemory): ChangeWatch {
  const settled = new BigInt64Array(memory.settled);
  let arrived: JobNotice[] = [];
  let listener = (): void => undefined;
  port.on('message', (notice: JobsChangedNotice) => {
    arrived.push(notice);
    listener();
  });
  return {
    jobs: {
      settled: () => Number(Atomics.load(settled, SETTLED.notices)),
      take() {
        const taken = arrived;
        arrived = [];
        for (;;) {
          const received: { message: JobsChangedNotice } | undefined = receiveMessageOnPort(port);
          if (received === undefined) return taken;
          taken.push(received.message);
        }
      },
    },
    pages: new SharedPageVersions(memory.pageVersions),
    commits: () => Number(Atomics.load(settled, SETTLED.commits)),
    onArrival(called) {
      listener = called;
    },
    close: () => port.close(),
  };
}
