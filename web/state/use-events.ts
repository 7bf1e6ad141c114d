import { useEffect, useEffectEvent } from 'react';
import type { EventOf, Subject } from '../../client/events/subjects.ts';
import { Coalescer } from './coalescer.ts';
import { liveUpdates } from './live-updates.ts';
import { useService } from './service.tsx';

/** Limits 1,000 events per second to 4 updates of the page. */
const EVERY_MS = 250;

/** Why data may be incomplete: `began` on the first subscription, `lost` after dropped events. */
export type GapReason = 'began' | 'lost';

/**
 * Subscribes to a subject of the event channel while the component is mounted; null subscribes to nothing. Delivers
 * events in batches, at most every 250 ms, and none while live updates are paused.
 *
 * `onGap` is called when the data must be reloaded: after the subscription starts, after lost events, and after too
 * many events during a pause. With `began`, a request that started with the component and is still open need not be
 * repeated.
 */
export function useEvents<S extends Subject>(
  subject: S | null,
  onEvents: (events: readonly EventOf<S>[]) => void,
  onGap?: (reason: GapReason) => void,
): void {
  const { events } = useService();
  const deliver = useEffectEvent(onEvents);
  const gap = useEffectEvent((reason: GapReason) => onGap?.(reason));
  useEffect(() => {
    if (subject === null) return undefined;
    const coalescer = new Coalescer<EventOf<S>>({
      everyMs: EVERY_MS,
      deliver: (list) => deliver(list),
      overflow: () => gap('lost'),
      isPaused: liveUpdates.isPaused,
      now: () => performance.now(),
      later: (act, ms) => {
        const timer = setTimeout(() => requestAnimationFrame(act), ms);
        return () => clearTimeout(timer);
      },
    });
    const unpaused = liveUpdates.subscribe(() => coalescer.resume());
    const unsubscribe = events.subscribe(
      subject,
      // Events between the first load and the start of the subscription are in neither, hence the reload on `ready`.
      { events: (list) => coalescer.add(list), gap: () => gap('lost'), ready: () => gap('began') },
      { sinceSeq: 'now' },
    );
    return () => {
      unsubscribe();
      unpaused();
      coalescer.close();
    };
  }, [events, subject]);
}
