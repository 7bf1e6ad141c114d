import { useSyncExternalStore } from 'react';
import { liveUpdates } from './live-updates.ts';

/**
 * Returns the refresh interval of a query in milliseconds, or false while live updates are paused. For
 * `refetchInterval`, which pauses by itself while the tab is in the background.
 */
export function useRefresh(everyMs: number): number | false {
  const isPaused = useSyncExternalStore(liveUpdates.subscribe, liveUpdates.isPaused);
  return isPaused ? false : everyMs;
}
