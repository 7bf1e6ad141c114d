import { useQueryClient } from '@tanstack/react-query';
import type { Queue } from '../../../client/resources.ts';
import { useService } from '../../state/service.tsx';
import { toasts } from '../../state/toasts.ts';

/** First words of the keys of all queries with queues. */
const QUEUES = { queryKey: ['queues'] };

/** Returns a function that pauses or resumes a queue. The page shows the new state before the server has confirmed it. */
export function usePause(): (queue: Queue, paused: boolean) => Promise<void> {
  const { rest } = useService();
  const client = useQueryClient();
  const show = (id: string, paused: boolean): void => {
    client.setQueriesData<readonly Queue[]>(QUEUES, (queues) =>
      queues?.map((queue) => (queue.id === id ? { ...queue, paused } : queue)),
    );
  };
  return async (queue, paused) => {
    // A list that was requested before the change would show the old state again.
    await client.cancelQueries(QUEUES);
    show(queue.id, paused);
    try {
      // The request replaces the queue and would reset missing members. Only these two are kept if they are missing, and
      // sending them needs the permission isolation.manage.
      const { run_as_user: _user, run_as_group: _group, summary: _summary, ...kept } = queue;
      await rest.call('put', '/queues/{id}', { path: { id: queue.id }, body: { ...kept, paused } });
      toasts.done(`${queue.name} ${paused ? 'paused' : 'resumed'}`);
    } catch (reason) {
      show(queue.id, !paused);
      toasts.failed(reason, `Could not ${paused ? 'pause' : 'resume'} queue ${queue.name}`);
    }
    await client.invalidateQueries(QUEUES);
  };
}
