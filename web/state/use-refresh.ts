import { useSyncExternalStore } from 'react';
import { liveUpdates } from './live-updates.ts';

/**
 * How often a query is asked again, in milliseconds, or false while live updates are held; for `refetchInterval`, which by itself rests while
 * the tab is in the background.
 */
export function useRefresh(everyMs: number): number | false {
  const isPaused = useSyncExternalStore(liveUpdates.subscribe, liveUpdates.isPaused);
  return isPaused ? false : everyMs;
}
