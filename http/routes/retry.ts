import type { RetryResult, RetryTarget } from '../../actors/service/job/messages.ts';
import { stepIdOf, taskIdOf, type JobId } from '../../src/core/ids.ts';
import type { Ports } from '../ports.ts';
import type { Schemas } from '../views/schemas.ts';
import { shapesOf } from '../views/job-spaces.ts';
import { retriedTasksText } from '../views/retried-tasks.ts';
import { askToRetry } from './ask-to-retry.ts';
import { findJob, findTask, stepsOf } from './find-task.ts';
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
  const steps = retriedSteps(job.id, outcome.value, ports);
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

function retriedSteps(
  id: JobId,
  { steps }: RetryResult,
  { store }: Pick<Ports, 'store'>,
): Schemas['RetriedStep'][] {
  const records = stepsOf(store, id);
  const shapeOf = shapesOf(store, id);
  return steps.map(({ stepOrder, retried, indices }) => {
    const shape = indices === null ? undefined : shapeOf(stepOrder);
    // A step without task parameters has one task.
    const hasValues = shape !== undefined && shape.taskParameters.length > 0;
    return {
      step_id: stepIdOf(id, stepOrder),
      name: records.find(({ order }) => order === stepOrder)?.name ?? '',
      retried,
      ...(indices !== null && hasValues && { tasks: retriedTasksText(shape, indices) }),
    };
  });
}
