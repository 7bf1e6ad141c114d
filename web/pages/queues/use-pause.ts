import { useQueryClient } from '@tanstack/react-query';
import type { Queue } from '../../../client/resources.ts';
import type { Rest } from '../../../client/rest.ts';
import { useService } from '../../state/service.tsx';
import { toasts } from '../../state/toasts.ts';
import { isOutdated } from '../../state/use-opened-version.ts';

/** Changes of other users meanwhile after which the change fails. */
const TRIES_MAX = 5;

/** First words of the keys of all queries with queues. */
const QUEUES = { queryKey: ['queues'] };

/** Changes only `paused`: the present queue is read, and read again if another user changes it at the same time. */
async function replacePaused(rest: Rest, id: string, paused: boolean): Promise<void> {
  for (let tries = 1; ; tries++) {
    const { headers, body } = await rest.callWithHeaders('get', '/queues/{id}', { path: { id } });
    // The request replaces the queue and would reset missing members. Only these two are kept if they are missing, and
    // sending them needs the permission isolation.manage.
    const { run_as_user: _user, run_as_group: _group, summary: _summary, ...kept } = body;
    const etag = headers.get('etag');
    const guarded = etag === null ? rest : rest.withHeaders({ 'If-Match': etag });
    try {
      await guarded.call('put', '/queues/{id}', { path: { id }, body: { ...kept, paused } });
      return;
    } catch (error) {
      if (!isOutdated(error) || tries === TRIES_MAX) throw error;
    }
  }
}

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
      await replacePaused(rest, queue.id, paused);
      toasts.done(`${queue.name} ${paused ? 'paused' : 'resumed'}`);
    } catch (reason) {
      show(queue.id, !paused);
      toasts.failed(reason, `Could not ${paused ? 'pause' : 'resume'} queue ${queue.name}`);
    }
    await client.invalidateQueries(QUEUES);
  };
}
