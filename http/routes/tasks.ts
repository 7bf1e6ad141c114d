import type { OwnerScope } from '../../src/core/access/owner-scope.ts';
import { taskIdOf } from '../../src/core/ids.ts';
import { readAttempts } from '../../src/core/records/open-attempt.ts';
import type { Ports } from '../ports.ts';
import { attemptView } from '../views/attempt-view.ts';
import { namedWorkers } from '../views/named-workers.ts';
import type { Schemas } from '../views/schemas.ts';
import { TaskViewer } from '../views/task-viewer.ts';
import { VisibleJobs } from '../views/visible-jobs.ts';
import { findTask, type FoundTask } from './find-task.ts';
import type { Handler, Reply } from './operation.ts';
import { hasOutputs } from './outputs.ts';
import { stateOf, withState } from './task-facts.ts';
import type { WaitingReasons } from './waiting-reasons.ts';

export const getTask =
  (reasons: WaitingReasons): Handler<'getTask'> =>
  ({ path, query, principal: { ownerScope } }, ports) =>
    reasons.reply(ports, ownerScope, (lookup): Reply<'getTask'> => {
      const found = findTask(ports.store, path.id, ownerScope);
      if (!found.ok) return { kind: 'problem', problem: found.problem };
      const { job, step, address } = found.value;
      const reason = lookup.ofTask(job, step, address.index, stateOf(ports.store, found.value).status);
      const body = new TaskViewer(ports.store, job).view(step, address.index, reason);
      if (!query.details) return { kind: 'json', status: 200, body };
      // The log store, which has names of outputs, changes without a commit.
      const details = detailsOf(ports, found.value, ownerScope);
      return { kind: 'json', status: 200, body: { ...body, details }, isTransient: true };
    });

/** Returns what a page about a task shows in addition. */
function detailsOf(
  { store, logs }: Pick<Ports, 'store' | 'logs'>,
  task: FoundTask,
  ownerScope: OwnerScope,
): Schemas['TaskDetails'] {
  const visible = new VisibleJobs(store, ownerScope);
  const attempts = readAttempts(store, withState(store, task));
  return {
    job_name: task.job.name,
    step_name: task.step.name,
    attempts: attempts.map((attempt) => attemptView(attempt, visible)),
    workers: namedWorkers(
      store,
      attempts.map(({ workerId }) => workerId),
    ),
    has_outputs: hasOutputs({ store, logs }, task.address),
  };
}

export const listTaskAttempts: Handler<'listTaskAttempts'> = ({ path, principal }, { store }) => {
  const task = findTask(store, path.id, principal.ownerScope);
  if (!task.ok) return { kind: 'problem', problem: task.problem };
  const attempts = readAttempts(store, withState(store, task.value));
  const visible = new VisibleJobs(store, principal.ownerScope);
  return {
    kind: 'json',
    status: 200,
    body: { items: attempts.map((attempt) => attemptView(attempt, visible)) },
  };
};

export const cancelTask: Handler<'cancelTask'> = async ({ path, principal }, ports) => {
  const task = findTask(ports.store, path.id, principal.ownerScope);
  if (!task.ok) return { kind: 'problem', problem: task.problem };
  const { address } = task.value;
  const { jobId, stepOrder, index } = address;
  const outcome = await ports.actors.ask<null>((replyTo) => ({
    actor: 'job',
    id: jobId,
    message: { type: 'task.cancel', stepOrder, index, replyTo },
  }));
  if (!outcome.ok) return { kind: 'problem', problem: outcome.problem };
  return { kind: 'json', status: 202, body: { task_id: taskIdOf(address), status: 'canceled' } };
};
