import { useEffect, useEffectEvent, useState } from 'react';
import type { PayloadOf } from '../../../client/events/subjects.ts';
import {
  useRowWindow,
  type RowWindow,
  type RowWindowOptions,
} from '../../parts/data-table/use-row-window.ts';
import { FirstLoad } from '../../state/first-load.ts';
import { liveUpdates } from '../../state/live-updates.ts';
import { useEvents } from '../../state/use-events.ts';
import type { LatestEvents } from './latest-events.ts';

export interface LiveRowsOptions<Row, S extends 'jobs' | 'workers'> extends RowWindowOptions<Row> {
  readonly subject: S;
  readonly latestEvents: (events: readonly PayloadOf<S>[]) => LatestEvents<PayloadOf<S>>;
  /** Returns the row after an event, or the same object if the event changes nothing. */
  readonly applyEvent: (row: Row, event: PayloadOf<S> | undefined) => Row;
  /** False while rows must not move under the pointer or the focus. */
  readonly isAtRest: boolean;
  readonly onRemoved: (ids: readonly string[]) => void;
  /** Time between two loads of members that no event reports, in milliseconds. */
  readonly pollMs: number;
  /** Polls only while a visible row meets it. */
  readonly needsPoll?: (row: Row) => boolean;
}

/**
 * Returns the rows of a list that follows its events. Changes and removals show immediately. Rows are added and reordered
 * only while the list is at rest.
 */
export function useLiveRows<Row extends { readonly id: string }, S extends 'jobs' | 'workers'>(
  options: LiveRowsOptions<Row, S>,
): RowWindow<Row> {
  const { subject, latestEvents, applyEvent, isAtRest, onRemoved, pollMs, needsPoll } = options;
  const [first] = useState(() => new FirstLoad());
  const rows = useRowWindow<Row>({
    ...options,
    fetchPage: async (...page) => {
      await first.opened;
      return options.fetchPage(...page);
    },
  });
  const reload = (): void => {
    if (isAtRest) rows.refresh();
    else rows.freshen();
  };

  useEvents(
    subject,
    (events) => {
      const { changed, removed } = latestEvents(events.map((event) => event.payload));
      rows.patch((row) => applyEvent(row, changed.get(row.id)));
      if (removed.size > 0) {
        rows.drop((row) => removed.has(row.id));
        onRemoved([...removed]);
      }
      reload();
    },
    (reason) => {
      if (reason === 'lost' || first.began()) reload();
    },
  );

  const poll = useEffectEvent(() => {
    if (document.hidden || liveUpdates.isPaused()) return;
    if (needsPoll === undefined || rows.inView().some(needsPoll)) reload();
  });
  useEffect(() => {
    const timer = setInterval(poll, pollMs);
    return () => clearInterval(timer);
  }, [pollMs]);
  return rows;
}
