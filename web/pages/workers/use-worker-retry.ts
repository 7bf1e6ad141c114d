import { useQueryClient } from '@tanstack/react-query';
import type { Worker, WorkerRetry } from '../../../client/resources.ts';
import { useService } from '../../state/service.tsx';
import { toasts } from '../../state/toasts.ts';
import { formatWorkerRetry } from './retry-text.ts';

/** Returns a function that retries all failed tasks of a worker and reports the result in toasts. */
export function useWorkerRetry(): (worker: Pick<Worker, 'id' | 'name'>) => void {
  const { rest } = useService();
  const client = useQueryClient();
  return ({ id, name }) => {
    const report = async (result: WorkerRetry): Promise<void> => {
      const { title, refusals } = formatWorkerRetry(result, name);
      if (result.retried > 0 || refusals === '') toasts.done(title);
      if (refusals !== '') toasts.failed(new Error(refusals), `Some tasks of ${name} were not retried`);
      await client.invalidateQueries({ queryKey: ['workers', 'one', id] });
    };
    rest
      .call('post', '/workers/{id}/retry-failed', { path: { id } })
      .then(report)
      .catch((error: unknown) => toasts.failed(error, `Could not retry the failed tasks of ${name}`));
  };
}
