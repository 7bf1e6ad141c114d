import { useEffect, useState, useSyncExternalStore } from 'react';
import { logsOf } from '../../../client/events/subjects.ts';
import { useService } from '../../state/service.tsx';
import { useEvents } from '../../state/use-events.ts';
import { LogSource, type LogState } from './log-source.ts';

/**
 * Loads the log of a task and keeps it current while it is shown. The component must have a `key` that changes with
 * the task.
 */
export function useLog(taskId: string): { source: LogSource; state: LogState } {
  const { rest } = useService();
  const [source] = useState(
    () =>
      new LogSource({
        readPage: (after, limit) =>
          rest.call('get', '/tasks/{id}/logs', {
            path: { id: taskId },
            query: { after_bus_seq: after, limit },
          }),
      }),
  );
  useEvents(
    logsOf(taskId),
    (events) => source.accept(events.map(({ payload }) => payload)),
    () => source.read(),
  );
  useEffect(() => {
    source.read();
    return () => source.close();
  }, [source]);
  const state = useSyncExternalStore(source.subscribe, source.state);
  return { source, state };
}
