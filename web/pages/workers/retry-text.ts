import type { WorkerRetry } from '../../../client/resources.ts';
import { counted } from '../../parts/number-text.ts';

/** Formats the result of a retry of all failed tasks of a worker. `refusals` has one reason a line; empty without refusals. */
export function formatWorkerRetry(
  { retried, jobs }: WorkerRetry,
  worker: string,
): { readonly title: string; readonly refusals: string } {
  const reasons = jobs.flatMap(({ problem }) =>
    problem === undefined ? [] : [problem.detail ?? problem.title],
  );
  const retriedJobs = jobs.filter((job) => job.retried > 0).length;
  return {
    title:
      retried === 0
        ? `No failed tasks of ${worker} to retry`
        : `${counted(retried, 'task')} of ${counted(retriedJobs, 'job')} retried`,
    refusals: [...new Set(reasons)].join('\n'),
  };
}
