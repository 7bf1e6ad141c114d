import { appendFileSync } from 'node:fs';
import { isMainThread, Worker, workerData } from 'node:worker_threads';
import { SharedStanding, steadyMs, type StandingMemory } from '../../../src/adapters/cluster/standing.ts';

/**
 * Preloaded into a node (`--import`): a thread of its own looks every millisecond which record of the log is applied, and
 * writes each change to the file that CALLSHEET_BENCH_STANDING names, with the id of the process appended. Lines of
 * `steadyMs` and the position.
 */
const file = process.env['CALLSHEET_BENCH_STANDING'];
if (file === undefined) throw new Error('CALLSHEET_BENCH_STANDING does not name a file');

const LOOK_MS = 1;
const WRITE_MS = 200;

interface Probed {
  readonly probed: StandingMemory;
}

if (!isMainThread) {
  const memory = memoryOf(workerData);
  if (isProbe(workerData)) watch(workerData.probed, `${file}.${process.pid}`);
  else if (memory !== null)
    new Worker(new URL(import.meta.url), { workerData: { probed: memory } satisfies Probed }).unref();
}

/** Returns the memory in the options of a store thread (src/adapters/lmdb/store-thread.ts); null in other threads. */
function memoryOf(data: unknown): StandingMemory | null {
  if (typeof data !== 'object' || data === null || !('cluster' in data)) return null;
  const { cluster } = data;
  if (typeof cluster !== 'object' || cluster === null || !('standing' in cluster)) return null;
  return cluster.standing instanceof SharedArrayBuffer ? cluster.standing : null;
}

function isProbe(data: unknown): data is Probed {
  return typeof data === 'object' && data !== null && 'probed' in data;
}

function watch(memory: StandingMemory, path: string): never {
  const standing = new SharedStanding(memory);
  const pause = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  let lines = '';
  let last = -1;
  for (let writtenAt = steadyMs(); ; Atomics.wait(pause, 0, 0, LOOK_MS)) {
    const { applied } = standing.read();
    const now = steadyMs();
    if (applied !== last) lines += `${now} ${applied}\n`;
    last = applied;
    if (now - writtenAt < WRITE_MS || lines === '') continue;
    appendFileSync(path, lines);
    lines = '';
    writtenAt = now;
  }
}
