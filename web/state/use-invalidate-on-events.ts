import { useQueryClient, type QueryKey } from '@tanstack/react-query';
import type { Subject } from '../../client/events/subjects.ts';
import { useEvents, type GapReason } from './use-events.ts';
import { useThrottle } from './use-throttle.ts';

/**
 * Makes answers stale when events of the subject come, at once and then at most every `everyMs`: what is shown of them is asked for again.
 * `keys` are beginnings of the keys of queries.
 */
export function useInvalidateOnEvents(subject: Subject, keys: readonly QueryKey[], everyMs: number): void {
  const client = useQueryClient();
  const throttled = useThrottle(everyMs);
  const reload = (cancelRefetch: boolean): void => {
    for (const queryKey of keys) void client.invalidateQueries({ queryKey }, { cancelRefetch });
  };
  // An answer that is on its way may be older than the events.
  const stale = (): void => throttled(() => reload(true));
  const missed = (reason: GapReason): void => {
    if (reason === 'began') reload(false);
    else stale();
  };
  useEvents(subject, stale, missed);
}
