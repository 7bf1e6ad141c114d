import { useQueryClient } from '@tanstack/react-query';
import type { Worker, WorkerRetry } from '../../../client/resources.ts';
import { useService } from '../../state/service.tsx';
import { toasts } from '../../state/toasts.ts';
import { retryInWords } from './retry-words.ts';

/** Tries again all that has failed on a worker, and tells what became of it. */
export function useWorkerRetry(): (worker: Pick<Worker, 'id' | 'name'>) => void {
  const { rest } = useService();
  const client = useQueryClient();
  return ({ id, name }) => {
    const tell = async (result: WorkerRetry): Promise<void> => {
      const { title, refusals } = retryInWords(result, name);
      if (result.retried > 0 || refusals === '') toasts.done(title);
      if (refusals !== '')
        toasts.failed(new Error(refusals), `Not all that failed on ${name} is tried again`);
      await client.invalidateQueries({ queryKey: ['workers', 'one', id] });
    };
    rest
      .call('post', '/workers/{id}/retry-failed', { path: { id } })
      .then(tell)
      .catch((error: unknown) => toasts.failed(error, `Retry what failed on ${name}`));
  };
}
