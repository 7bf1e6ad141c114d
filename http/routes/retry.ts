import type { RetryTarget } from '../../actors/service/job/messages.ts';
import { taskIdOf } from '../../src/core/ids.ts';
import { retriedSteps } from '../views/retried-tasks.ts';
import { askToRetry } from './ask-to-retry.ts';
import { findJob, findTask } from './find-task.ts';
import type { Handler } from './operation.ts';
import { retryDependents } from './retry-dependents.ts';
import { retryTargetOf } from './retry-target.ts';

export const retryJob: Handler<'retryJob'> = async (
  { path, query, body, principal: { ownerScope } },
  ports,
) => {
  const found = findJob(ports.store, path.id, ownerScope);
  if (!found.ok) return { kind: 'problem', problem: found.problem };
  const job = found.value;
  const target = retryTargetOf(ports.store, job, body ?? {});
  if (!target.ok) return { kind: 'problem', problem: target.problem };
  const { with_dependents: withDependents, dry_run: isDryRun } = query;
  const scope = withDependents ? 'later steps' : 'tasks';
  const outcome = await askToRetry(job.id, { target: target.value, scope, isDryRun }, ports);
  if (!outcome.ok) return { kind: 'problem', problem: outcome.problem };
  const { retried, jobStatus } = outcome.value;
  const root = { id: job.id, scope: ownerScope };
  const dependents = withDependents ? await retryDependents(root, outcome.value, isDryRun, ports) : [];
  const steps = retriedSteps(ports.store, job.id, outcome.value.steps);
  const view = { job_id: job.id, retried, status: jobStatus, steps, dependents: [...dependents] };
  return { kind: 'json', status: 200, body: view };
};

export const retryTask: Handler<'retryTask'> = async ({ path, query, principal: { ownerScope } }, ports) => {
  const task = findTask(ports.store, path.id, ownerScope);
  if (!task.ok) return { kind: 'problem', problem: task.problem };
  const { address } = task.value;
  const { jobId, stepOrder, index } = address;
  const target: RetryTarget = { stepOrder, index };
  const { with_dependents: withDependents } = query;
  const scope = withDependents ? 'later steps' : 'tasks';
  const outcome = await askToRetry(jobId, { target, scope, isDryRun: false }, ports);
  if (!outcome.ok) return { kind: 'problem', problem: outcome.problem };
  const { retried } = outcome.value;
  const status = outcome.value.status === 'ready' ? 'ready' : 'pending';
  const root = { id: jobId, scope: ownerScope };
  const dependents = withDependents ? await retryDependents(root, outcome.value, false, ports) : [];
  const view = { task_id: taskIdOf(address), status, retried, dependents: [...dependents] } as const;
  return { kind: 'json', status: 202, body: view };
};
