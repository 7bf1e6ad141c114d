import { useQueryClient, type QueryKey } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { Subject } from '../api/events/subjects.ts';
import { useEvents, type GapReason } from './use-events.ts';

/**
 * Makes answers stale when events of the subject come, at once and then at most every `everyMs`: what is shown of them is asked for again.
 * `keys` are beginnings of the keys of queries.
 */
export function useStaleOnEvents(subject: Subject, keys: readonly QueryKey[], everyMs: number): void {
  const client = useQueryClient();
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const lastAt = useRef(-Infinity);
  const reload = (cancelRefetch: boolean): void => {
    for (const queryKey of keys) void client.invalidateQueries({ queryKey }, { cancelRefetch });
  };
  const stale = (): void => {
    if (timer.current !== undefined) return;
    timer.current = setTimeout(
      () => {
        timer.current = undefined;
        lastAt.current = performance.now();
        // An answer that is on its way may be older than the events.
        reload(true);
      },
      Math.max(0, lastAt.current + everyMs - performance.now()),
    );
  };
  const missed = (reason: GapReason): void => {
    if (reason === 'began') reload(false);
    else stale();
  };
  useEvents(subject, stale, missed);
  useEffect(() => () => clearTimeout(timer.current), []);
}
