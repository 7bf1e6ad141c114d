import { useEffect, useEffectEvent } from 'react';
import type { EventOf, Subject } from '../../client/events/subjects.ts';
import { Coalescer } from './coalescer.ts';
import { liveUpdates } from './live-updates.ts';
import { useService } from './service.tsx';

/** A thousand events a second are four changes of the page. */
const EVERY_MS = 250;

/** Why what is shown may have missed something: events begin to come only now, or some are lost. */
export type GapReason = 'began' | 'lost';

/**
 * Follows a subject of the event channel while the component is shown; null follows nothing. Events come together, a quarter of
 * a second's at once, and none while live updates are held. `onGap` is called when events begin to come, when
 * some are lost, and when too many came while updates were held: what is shown must be loaded anew. What was asked for when
 * the component began to be shown need not be asked for again when they begin, if its answer is still on its way.
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
      isHeld: liveUpdates.isPaused,
      now: () => performance.now(),
      later: (act, ms) => {
        const timer = setTimeout(() => requestAnimationFrame(act), ms);
        return () => clearTimeout(timer);
      },
    });
    const unpaused = liveUpdates.subscribe(() => coalescer.released());
    const unsubscribe = events.subscribe(
      subject,
      // What happened between the loading of what is shown and the beginning of the events is told by neither.
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
