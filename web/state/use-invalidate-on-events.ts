import { useQueryClient, type QueryKey } from '@tanstack/react-query';
import type { Subject } from '../../client/events/subjects.ts';
import { useEvents, type GapReason } from './use-events.ts';
import { useThrottle } from './use-throttle.ts';

/**
 * Invalidates queries when events of the subject arrive: at once, then at most every `everyMs` milliseconds. `keys`
 * are prefixes of query keys. `began` is called when the subscription begins, and returns whether data that were loaded
 * before are loaded again.
 */
export function useInvalidateOnEvents(
  subject: Subject,
  keys: readonly QueryKey[],
  everyMs: number,
  began: () => boolean = () => true,
): void {
  const client = useQueryClient();
  const throttled = useThrottle(everyMs);
  const reload = (cancelRefetch: boolean): void => {
    for (const queryKey of keys) void client.invalidateQueries({ queryKey }, { cancelRefetch });
  };
  // A response in flight may be older than the events, so it is canceled.
  const stale = (): void => throttled(() => reload(true));
  const missed = (reason: GapReason): void => {
    if (reason === 'lost') stale();
    else if (began()) reload(false);
  };
  useEvents(subject, stale, missed);
}
