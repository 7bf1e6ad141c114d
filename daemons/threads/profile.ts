import { Session } from 'node:inspector/promises';

/** Profile of the processor time of a thread, or of the memory that it allocates and keeps. */
export type ProfileKind = 'cpu' | 'heap';

/** Mean distance between two samples. V8's default for the CPU is finer; that for the heap is the same. */
const CPU_INTERVAL_MICROSECONDS = 1_000;
const HEAP_INTERVAL_BYTES = 32 * 1024;

/**
 * Samples the calling thread for this time, or until the signal aborts. Returns the profile of V8 as JSON: a
 * `.cpuprofile` or a `.heapprofile`. Sampling does not stop the thread. The heap profile contains what was allocated
 * during the time and is still in use.
 */
export async function takeProfile(
  kind: ProfileKind,
  milliseconds: number,
  signal: AbortSignal,
): Promise<string> {
  const session = new Session();
  session.connect();
  try {
    if (kind === 'cpu') {
      await session.post('Profiler.enable');
      await session.post('Profiler.setSamplingInterval', { interval: CPU_INTERVAL_MICROSECONDS });
      await session.post('Profiler.start');
      await elapsed(milliseconds, signal);
      return JSON.stringify((await session.post('Profiler.stop')).profile);
    }
    await session.post('HeapProfiler.enable');
    await session.post('HeapProfiler.startSampling', { samplingInterval: HEAP_INTERVAL_BYTES });
    await elapsed(milliseconds, signal);
    return JSON.stringify((await session.post('HeapProfiler.stopSampling')).profile);
  } finally {
    session.disconnect();
  }
}

function elapsed(milliseconds: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(end, milliseconds);
    signal.addEventListener('abort', end, { once: true });
    function end(): void {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    }
  });
}
