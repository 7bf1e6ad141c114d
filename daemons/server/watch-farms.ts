import { FarmWatch, type KeepSample } from '../../http/history/farm-watch.ts';
import type { JobLists } from '../../http/lists/job-lists.ts';
import type { StateReader } from '../../src/adapters/lmdb/state-reader.ts';
import { MINUTE_MS } from '../../src/core/history/farm-samples.ts';
import type { JobActivity } from '../../src/core/history/job-activity.ts';

/** Time between two samples of all workers. Longer if a sample takes long: sampling uses at most 1 % of the thread. */
const LOOK_EVERY_MS = 5_000;
const LOOK_SHARE = 100;

/** `keep` stores the samples of farms; `tally` returns the claimed slots of a usage pool by its slot number. */
export type BeginHistory = (keep: KeepSample, tally: (slot: number) => number) => void;

/**
 * Creates the history of the farms. It samples the workers from `begin` on, which is called when the lists are filled,
 * until the service stops.
 */
export function watchFarms(
  reader: StateReader,
  activity: JobActivity,
  lists: JobLists,
  stopping: AbortSignal,
): { readonly watch: FarmWatch; readonly begin: BeginHistory } {
  const state = { store: reader, renew: () => reader.refresh() };
  const watch = new FarmWatch(state, activity, lists, () => Date.now());
  let busyMs = 0;
  let timer: NodeJS.Timeout | undefined;
  stopping.addEventListener('abort', () => clearTimeout(timer));
  const look = (): void => {
    if (stopping.aborted) return;
    const startedAt = performance.now();
    const isMore = watch.scanNext();
    busyMs += performance.now() - startedAt;
    if (isMore) {
      setImmediate(look);
      return;
    }
    const pause = Math.max(LOOK_EVERY_MS, busyMs * LOOK_SHARE);
    busyMs = 0;
    // A sample at the end of each minute closes that minute.
    timer = setTimeout(look, Math.min(pause, MINUTE_MS - (Date.now() % MINUTE_MS)));
  };
  return {
    watch,
    begin: (keep, tally) => {
      watch.keepSamples(keep);
      watch.samplePools(tally);
      look();
    },
  };
}
