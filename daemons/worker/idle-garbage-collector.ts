import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { SessionId } from '../../src/core/ids.ts';
import type { TaskProcessEvents } from '../../src/core/ports/task-processes.ts';

/** How long no session runs before the worker counts as idle. */
const IDLE_MS = 10_000;

/**
 * After so many actions and batches of output the youngest garbage is collected: one or two buffers of 64 KiB each, which V8 hardly counts. A
 * collection takes as long as several tasks of a session that a launcher starts, and those without output leave no buffers.
 */
const BUFFERS_PER_COLLECTION = 64;

/**
 * With more than this on the heap, and more than twice what the last time has left of it, all is collected: of garbage that has lived through
 * collections of the youngest V8 lets a hundred MiB and more pile up.
 */
const HEAP_BYTES_MIN = 64 * 1024 * 1024;
const HEAP_GROWTH = 2;

/**
 * Keeps the memory of a worker small. The buffers through which a task's output was read are garbage of V8 that it does not see the size of: left
 * to itself it would collect them after hundreds of tasks, and never on a worker that has become idle.
 */
export class IdleGarbageCollector {
  private readonly collect: Collect;
  private readonly heapBytes: () => number;
  private readonly idleMs: number;
  private readonly sessions = new Set<SessionId>();
  private buffers = 0;
  private heapBytesMax = HEAP_BYTES_MIN;
  private timer: NodeJS.Timeout | null = null;

  /** `heapBytes`: what the heap holds, garbage included. */
  constructor(collect: Collect, heapBytes: () => number, idleMs = IDLE_MS) {
    this.collect = collect;
    this.heapBytes = heapBytes;
    this.idleMs = idleMs;
  }

  /** The same events, looked at on their way. */
  watching(events: TaskProcessEvents): TaskProcessEvents {
    return {
      ...events,
      opened: (sessionId, failure) => {
        this.sessions.add(sessionId);
        this.stop();
        events.opened(sessionId, failure);
      },
      output: (sessionId, run, batch) => {
        events.output(sessionId, run, batch);
        this.count();
      },
      ended: (sessionId, run, end) => {
        events.ended(sessionId, run, end);
        this.count();
      },
      closed: (sessionId) => {
        this.sessions.delete(sessionId);
        this.stop();
        if (this.sessions.size === 0)
          this.timer = setTimeout(() => this.collect({ type: 'major' }), this.idleMs).unref();
        events.closed(sessionId);
      },
    };
  }

  private count(): void {
    if (++this.buffers % BUFFERS_PER_COLLECTION !== 0) return;
    if (this.heapBytes() <= this.heapBytesMax) {
      this.collect({ type: 'minor' });
      return;
    }
    this.collect({ type: 'major' });
    this.heapBytesMax = Math.max(HEAP_BYTES_MIN, HEAP_GROWTH * this.heapBytes());
  }

  private stop(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
  }
}

/** A minor collection takes about a millisecond of a worker's heap, a major one some ten. */
export type Collect = (options: { readonly type: 'minor' | 'major' }) => void;

/** V8's own collector. */
export function collector(): Collect {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as Collect;
}

/** What V8's heap of this thread holds, garbage included. */
export const usedHeapBytes = (): number => getHeapStatistics().used_heap_size;
