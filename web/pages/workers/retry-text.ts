import type { WorkerRetry } from '../../../client/resources.ts';
import { counted } from '../../parts/number-text.ts';

/** What became of a retry of all that failed on a worker; `refusals` is empty when there are none. */
export function retryInWords(
  { retried, jobs }: WorkerRetry,
  worker: string,
): { readonly title: string; readonly refusals: string } {
  const refused = jobs.flatMap(({ problem }) =>
    problem === undefined ? [] : [problem.detail ?? problem.title],
  );
  const helped = jobs.filter((job) => job.retried > 0).length;
  return {
    title:
      retried === 0
        ? `Nothing that failed on ${worker} is left to retry`
        : `${counted(retried, 'task')} of ${counted(helped, 'job')} ${retried === 1 ? 'is' : 'are'} tried again`,
    refusals: [...new Set(refused)].join('\n'),
  };
}
