import type { SessionId } from '../../src/core/ids.ts';
import type { TaskProcessEvents } from '../../src/core/ports/task-processes.ts';
import type { Collect } from '../process/v8-collector.ts';

/** Time without sessions after which a worker is idle. */
const IDLE_MS = 10_000;

/**
 * Number of ended actions and batches of output between two minor collections. Each leaves one or two buffers of 64
 * KiB, whose size V8 hardly takes into account. More frequent collections would cost as much as several short tasks.
 */
const BUFFERS_PER_COLLECTION = 64;

/**
 * A major collection runs when the heap is larger than this minimum and larger than twice its size after the last major
 * collection. Without it, garbage in the old generation would grow to 100 MiB and more.
 */
const HEAP_BYTES_MIN = 64 * 1024 * 1024;
const HEAP_GROWTH = 2;

/**
 * Limits the memory of a worker. The buffers of task output are garbage whose size V8 does not see. On its own it would
 * collect them after hundreds of tasks, and never on an idle worker.
 */
export class IdleGarbageCollector {
  private readonly collect: Collect;
  private readonly heapBytes: () => number;
  private readonly idleMs: number;
  private readonly sessions = new Set<SessionId>();
  private buffers = 0;
  private heapBytesMax = HEAP_BYTES_MIN;
  private timer: NodeJS.Timeout | null = null;

  /** `heapBytes` returns the size of the heap, garbage included. */
  constructor(collect: Collect, heapBytes: () => number, idleMs = IDLE_MS) {
    this.collect = collect;
    this.heapBytes = heapBytes;
    this.idleMs = idleMs;
  }

  /** Returns the same events, which the collector counts before it passes them on. */
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
      ended: (sessionId, run, end, usage) => {
        events.ended(sessionId, run, end, usage);
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
