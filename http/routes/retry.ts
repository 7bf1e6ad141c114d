import type { Retried } from '../../actors/job/messages.ts';
import { taskIdOf } from '../../src/core/ids.ts';
import { findJob, findTask } from './find-task.ts';
import { notFound, type Handler } from './operation.ts';

export const retryJob: Handler<'retryJob'> = async ({ path }, ports) => {
  const job = findJob(ports.store, path.id);
  if (job === null) return notFound('job', path.id);
  const outcome = await ports.actors.ask<Retried>((replyTo) => ({
    actor: 'job',
    id: job.id,
    message: { type: 'job.retry', target: 'job', replyTo },
  }));
  if (!outcome.ok) return { kind: 'problem', problem: outcome.problem };
  return { kind: 'json', status: 200, body: { job_id: job.id, retried: outcome.value.retried } };
};

export const retryTask: Handler<'retryTask'> = async ({ path }, ports) => {
  const task = findTask(ports.store, path.id);
  if (task === null) return notFound('task', path.id);
  const { jobId, stepOrder, index } = task.address;
  const outcome = await ports.actors.ask<Retried>((replyTo) => ({
    actor: 'job',
    id: jobId,
    message: { type: 'job.retry', target: { stepOrder, index }, replyTo },
  }));
  if (!outcome.ok) return { kind: 'problem', problem: outcome.problem };
  const status = outcome.value.status === 'ready' ? 'ready' : 'pending';
  return { kind: 'json', status: 202, body: { task_id: taskIdOf(task.address), status } };
};
