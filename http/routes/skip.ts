import type { RetryResult } from '../../actors/service/job/messages.ts';
import { taskIdOf } from '../../src/core/ids.ts';
import type { SkipNote } from '../../src/core/records/task-text.ts';
import type { Principal } from '../guards/principal.ts';
import { retriedSteps } from '../views/retried-tasks.ts';
import { askToRetry } from './ask-to-retry.ts';
import { findJob, findTask } from './find-task.ts';
import { invalid, type Handler, type ProblemReply } from './operation.ts';
import { retryDependents } from './retry-dependents.ts';
import { retryTargetOf } from './retry-target.ts';

const REASON_LENGTH_MAX = 1000;

const tooLong = (): ProblemReply => invalid('/reason', `must have at most ${REASON_LENGTH_MAX} characters`);

/** docs/rest.md#skipping-tasks. */
export const skipJobTasks: Handler<'skipJobTasks'> = async ({ path, query, body, principal }, ports) => {
  const { ownerScope } = principal;
  const found = findJob(ports.store, path.id, ownerScope);
  if (!found.ok) return { kind: 'problem', problem: found.problem };
  const job = found.value;
  const { reason = '', ...selection } = body;
  if (reason.length > REASON_LENGTH_MAX) return tooLong();
  const target = retryTargetOf(ports.store, job, selection);
  if (!target.ok) return { kind: 'problem', problem: target.problem };
  if (target.value === 'job') return invalid('/step', 'is required, or range, index_range or failed');
  const isDryRun = query.dry_run;
  const request = {
    target: target.value,
    scope: 'later steps',
    isDryRun,
    skip: noteOf(principal, reason),
  } as const;
  const outcome = await askToRetry(job.id, request, ports);
  if (!outcome.ok) return { kind: 'problem', problem: outcome.problem };
  const { steps, jobStatus, retried, leavesEnded } = outcome.value;
  const root = { id: job.id, scope: ownerScope };
  const dependents = leavesEnded ? [] : await retryDependents(root, outcome.value, isDryRun, ports);
  const skippedSteps = steps.filter(({ isSkipped }) => isSkipped);
  const skipped = countOf(skippedSteps);
  const views = retriedSteps(ports.store, job.id, skippedSteps);
  return {
    kind: 'json',
    status: 200,
    body: {
      job_id: job.id,
      skipped,
      retried: retried - skipped,
      status: jobStatus,
      steps: views.map(({ retried: howMany, ...step }) => ({ ...step, skipped: howMany })),
      dependents: [...dependents],
    },
  };
};

export const skipTask: Handler<'skipTask'> = async ({ path, body, principal }, ports) => {
  const task = findTask(ports.store, path.id, principal.ownerScope);
  if (!task.ok) return { kind: 'problem', problem: task.problem };
  const { address } = task.value;
  const { jobId, stepOrder, index } = address;
  const { reason = '' } = body ?? {};
  if (reason.length > REASON_LENGTH_MAX) return tooLong();
  const skip = noteOf(principal, reason);
  const request = { target: { stepOrder, index }, scope: 'later steps', isDryRun: false, skip } as const;
  const outcome = await askToRetry(jobId, request, ports);
  if (!outcome.ok) return { kind: 'problem', problem: outcome.problem };
  const { retried, steps } = outcome.value;
  const root = { id: jobId, scope: principal.ownerScope };
  const dependents = await retryDependents(root, outcome.value, false, ports);
  const view = {
    task_id: taskIdOf(address),
    status: 'succeeded',
    retried: retried - countOf(steps.filter(({ isSkipped }) => isSkipped)),
    dependents: [...dependents],
  } as const;
  return { kind: 'json', status: 200, body: view };
};

const noteOf = ({ username: by }: Principal, reason: string): SkipNote => ({ by, reason });

const countOf = (steps: RetryResult['steps']): number => steps.reduce((sum, { retried }) => sum + retried, 0);
