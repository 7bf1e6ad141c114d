import { Session } from 'node:inspector/promises';

/** What of a thread is looked at: where its processor time goes, or what it allocates and keeps. */
export type ProfileKind = 'cpu' | 'heap';

/** The mean distance between two samples: V8's own defaults are finer for CPU and as coarse for the heap. */
const CPU_INTERVAL_MICROSECONDS = 1_000;
const HEAP_INTERVAL_BYTES = 32 * 1024;

/**
 * Samples the thread that calls this for so long, or until the signal aborts. Gives the profile as V8 writes it, JSON: a `.cpuprofile` or a
 * `.heapprofile`. Sampling does not stop the thread; the heap profile has what was allocated meanwhile and is still in use.
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
