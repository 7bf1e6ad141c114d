import type { RetryResult, RetryTarget } from '../../actors/service/job/messages.ts';
import { taskIdOf, type JobId } from '../../src/core/ids.ts';
import type { Outcome } from '../../src/core/problems.ts';
import type { Ports } from '../ports.ts';
import { findJob, findTask } from './find-task.ts';
import { notFound, type Handler } from './operation.ts';
import { retryTargetOf } from './retry-target.ts';

export const retryJob: Handler<'retryJob'> = async ({ path, body }, ports) => {
  const job = findJob(ports.store, path.id);
  if (job === null) return notFound('job', path.id);
  const target = retryTargetOf(ports.store, job, body ?? {});
  if (!target.ok) return { kind: 'problem', problem: target.problem };
  const outcome = await askToRetry(job.id, target.value, ports);
  if (!outcome.ok) return { kind: 'problem', problem: outcome.problem };
  return { kind: 'json', status: 200, body: { job_id: job.id, retried: outcome.value.retried } };
};

export const retryTask: Handler<'retryTask'> = async ({ path }, ports) => {
  const task = findTask(ports.store, path.id);
  if (task === null) return notFound('task', path.id);
  const { jobId, stepOrder, index } = task.address;
  const outcome = await askToRetry(jobId, { stepOrder, index }, ports);
  if (!outcome.ok) return { kind: 'problem', problem: outcome.problem };
  const status = outcome.value.status === 'ready' ? 'ready' : 'pending';
  return { kind: 'json', status: 202, body: { task_id: taskIdOf(task.address), status } };
};

/** Sends a retry request to a job. */
export const askToRetry = (id: JobId, target: RetryTarget, ports: Ports): Promise<Outcome<RetryResult>> =>
  ports.actors.ask<RetryResult>((replyTo) => ({
    actor: 'job',
    id,
    message: { type: 'job.retry', target, replyTo },
  }));
