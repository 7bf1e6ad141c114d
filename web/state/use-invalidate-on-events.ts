import { useQueryClient, type QueryKey } from '@tanstack/react-query';
import type { Subject } from '../../client/events/subjects.ts';
import { useEvents, type GapReason } from './use-events.ts';
import { useThrottle } from './use-throttle.ts';

/**
 * Invalidates queries when events of the subject arrive: at once, then at most every `everyMs` milliseconds. `keys`
 * are prefixes of query keys.
 */
export function useInvalidateOnEvents(subject: Subject, keys: readonly QueryKey[], everyMs: number): void {
  const client = useQueryClient();
  const throttled = useThrottle(everyMs);
  const reload = (cancelRefetch: boolean): void => {
    for (const queryKey of keys) void client.invalidateQueries({ queryKey }, { cancelRefetch });
  };
  // A response in flight may be older than the events, so it is canceled.
  const stale = (): void => throttled(() => reload(true));
  const missed = (reason: GapReason): void => {
    if (reason === 'began') reload(false);
    else stale();
  };
  useEvents(subject, stale, missed);
}
