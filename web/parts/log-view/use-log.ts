import { useEffect, useState, useSyncExternalStore } from 'react';
import { logsOf } from '../../../client/events/subjects.ts';
import { useService } from '../../state/service.tsx';
import { useEvents } from '../../state/use-events.ts';
import { useFirstLoad } from '../../state/use-first-load.ts';
import { LogSource, type LogStart, type LogState } from './log-source.ts';

/** Lines before a wanted one that are loaded with it. */
const LINES_BEFORE = 500;

export interface ShownLog {
  readonly source: LogSource;
  readonly state: LogState;
  /** Start of the part that is shown; null if the log is shown from its beginning. */
  readonly part: LogStart | null;
  /** Shows the part of the log from near a line on, or all from the beginning. */
  readonly showPart: (part: LogStart | null) => void;
}

/**
 * Loads the log of a task and keeps it current while it is shown. The component must have a `key` that changes with
 * the task.
 *
 * @param state - The log is read again when this text changes. Null for a task without a log: nothing is read.
 */
export function useLog(taskId: string, state: string | null): ShownLog {
  const { rest } = useService();
  const sourceFrom = (start: LogStart | null): LogSource =>
    new LogSource({
      readPage: (after, limit, from) =>
        rest.call('get', '/tasks/{id}/logs', {
          path: { id: taskId },
          query:
            from === null
              ? { after_bus_seq: after, limit }
              : { attempt: from.attempt, from_line: Math.max(1, from.line - LINES_BEFORE), limit },
        }),
      ...(start !== null && { start }),
    });
  const [whole] = useState(() => sourceFrom(null));
  const [part, setPart] = useState<{ readonly start: LogStart; readonly source: LogSource } | null>(null);
  const source = part?.source ?? whole;
  const { isOpen, began } = useFirstLoad(1);
  useEvents(
    logsOf(taskId),
    (events) => source.accept(events.map(({ payload }) => payload)),
    (reason) => {
      if ((reason === 'lost' || began()) && state !== null) source.read();
    },
  );
  useEffect(() => () => source.close(), [source]);
  useEffect(() => {
    if (isOpen && state !== null) source.read();
  }, [source, isOpen, state]);
  const shown = useSyncExternalStore(source.subscribe, source.state);
  return {
    source,
    state: shown,
    part: part?.start ?? null,
    showPart: (start) => setPart(start === null ? null : { start, source: sourceFrom(start) }),
  };
}
