import { taskIdOf } from '../../src/core/ids.ts';
import { readAttempts } from '../../src/core/records/open-attempt.ts';
import { attemptView } from '../views/attempt-view.ts';
import { TaskViewer } from '../views/task-viewer.ts';
import { findTask } from './find-task.ts';
import { notFound, type Handler, type Reply } from './operation.ts';
import { stateOf, withState } from './task-facts.ts';
import type { WaitingReasons } from './waiting-reasons.ts';

export const getTask =
  (reasons: WaitingReasons): Handler<'getTask'> =>
  ({ path }, ports) =>
    reasons.reply(ports, (lookup): Reply<'getTask'> => {
      const task = findTask(ports.store, path.id);
      if (task === null) return notFound('task', path.id);
      const { job, step, address } = task;
      const reason = lookup.ofTask(job, step, address.index, stateOf(ports.store, task).status);
      return {
        kind: 'json',
        status: 200,
        body: new TaskViewer(ports.store, job).view(step, address.index, reason),
      };
    });

export const listTaskAttempts: Handler<'listTaskAttempts'> = ({ path }, { store }) => {
  const task = findTask(store, path.id);
  if (task === null) return notFound('task', path.id);
  const attempts = readAttempts(store, withState(store, task));
  return { kind: 'json', status: 200, body: { items: attempts.map(attemptView) } };
};

export const cancelTask: Handler<'cancelTask'> = async ({ path }, ports) => {
  const task = findTask(ports.store, path.id);
  if (task === null) return notFound('task', path.id);
  const { jobId, stepOrder, index } = task.address;
  const outcome = await ports.actors.ask<null>((replyTo) => ({
    actor: 'job',
    id: jobId,
    message: { type: 'task.cancel', stepOrder, index, replyTo },
  }));
  if (!outcome.ok) return { kind: 'problem', problem: outcome.problem };
  return { kind: 'json', status: 202, body: { task_id: taskIdOf(task.address), status: 'canceled' } };
};
