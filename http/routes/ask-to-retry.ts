import type { RetryRequest, RetryResult } from '../../actors/service/job/messages.ts';
import type { JobId } from '../../src/core/ids.ts';
import { refused, type Outcome } from '../../src/core/problems.ts';
import type { Ports } from '../ports.ts';
import { readJob } from './find-task.ts';

/** Sends a retry request to a job, with the current statuses of its upstream jobs. */
export function askToRetry(
  id: JobId,
  request: Omit<RetryRequest, 'upstreams'>,
  { store, actors }: Pick<Ports, 'store' | 'actors'>,
): Promise<Outcome<RetryResult>> {
  const job = readJob(store, id);
  if (job === null) return Promise.resolve(refused('not-found', `there is no job ${id}`));
  const upstreams = job.dependsOn.map((jobId) => ({
    jobId,
    status: readJob(store, jobId)?.status ?? ('deleted' as const),
  }));
  return actors.ask<RetryResult>((replyTo) => ({
    actor: 'job',
    id,
    message: { type: 'job.retry', request: { ...request, upstreams }, replyTo },
  }));
}
