import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Runs a garbage collection of this thread. A minor one takes about 1 ms in a worker, a major one about 10 ms. */
export type Collect = (options: { readonly type: 'minor' | 'major' }) => void;

/**
 * Returns V8's collector. This is the only file that depends on the internal function `gc`: V8 defines it in contexts
 * that are created after `--expose-gc` is set, because the command is started without that flag. If a version of Node
 * does not define it, the returned function does nothing and V8 collects on its own schedule;
 * test/daemons/process/v8-collector.test.ts fails then.
 */
export function garbageCollector(): Collect {
  setFlagsFromString('--expose-gc');
  const gc: unknown = runInNewContext("typeof gc === 'function' ? gc : null");
  if (typeof gc !== 'function') return () => undefined;
  const collect = gc as (options?: { readonly type: 'minor' }) => void;
  // V8 11.3 (Node 20) does not know the type `major` and runs a minor collection instead. Without options, every
  // version runs a major one.
  return ({ type }) => (type === 'minor' ? collect({ type }) : collect());
}

/** Returns the size of this thread's heap in bytes, garbage included. */
export const usedHeapBytes = (): number => getHeapStatistics().used_heap_size;
