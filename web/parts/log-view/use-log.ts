import { useEffect, useState, useSyncExternalStore } from 'react';
import { logsOf } from '../../../client/events/subjects.ts';
import { useService } from '../../state/service.tsx';
import { useEvents } from '../../state/use-events.ts';
import { LogSource, type LogState } from './log-source.ts';

/** The log of a task, read and kept up while it is shown. A component that uses it is made anew for another task (`key`). */
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
