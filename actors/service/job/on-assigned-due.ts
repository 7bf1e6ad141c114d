import { attemptIdOf, type AttemptId, type WorkerId } from '../../../src/core/ids.ts';
import type { ServiceContext } from '../service-system.ts';
import { isWaiting, type AssignedRun } from './assigned-runs.ts';
import type { JobState } from './state.ts';
import { taskOf, type StepState } from './step-state.ts';

/**
 * Sets the timer for the deadline of the oldest assigned attempt. A timer that is set stays even if that attempt is
 * reported meanwhile: then it fires early and is set again.
 */
export const armAssigned =
  (staleAssignedMs: number) =>
  (state: JobState, context: ServiceContext<'job'>): void => {
    if (state.isAssignedTimed) return;
    const dueAt = state.assigned.firstDueAt();
    if (dueAt === null) return;
    state.isAssignedTimed = true;
    const delayMs = Math.min(Math.max(0, dueAt - context.now), staleAssignedMs);
    context.after('assigned', delayMs, { type: 'assigned.due' });
  };

/**
 * Requests the workers of stale assigned tasks to give them back (docs/contract/workers.md#assigned-tasks-that-never-start):
 * a task that stays assigned for 30 s goes back to ready, without counting as a failure. Time in which the service could
 * not receive reports does not count. The worker actor decides, because it knows whether the worker may still run the
 * attempt. The request is repeated.
 */
export const onAssignedDue =
  (staleAssignedMs: number) =>
  (state: JobState, _message: unknown, context: ServiceContext<'job'>): void => {
    state.isAssignedTimed = false;
    const earliest = context.receivingSince + staleAssignedMs;
    // A deadline further ahead than that comes from a clock that was set back.
    const dueOf = (run: AssignedRun): number =>
      Math.min(Math.max(run.dueAt, earliest), context.now + staleAssignedMs);
    const runs = state.assigned.takeAll().map((run) => ({ run, dueAt: dueOf(run) }));
    const overdue = new Map<WorkerId, AttemptId[]>();
    const isDue = ({ dueAt }: { readonly dueAt: number }): boolean => dueAt <= context.now;
    const nextAt = context.now + staleAssignedMs;
    // Those that are due now are asked for again last.
    const later = runs.filter((each) => !isDue(each)).sort((a, b) => a.dueAt - b.dueAt);
    for (const each of [...later, ...runs.filter(isDue)]) {
      const { run, dueAt } = each;
      const { step, start, count, assignedAt } = run;
      const isOverdue = isDue(each);
      for (let index = start; index < start + count; index++) {
        if (!isWaiting(run, index)) continue;
        state.assigned.add(step, index, assignedAt, isOverdue ? nextAt : dueAt);
        if (isOverdue) addOverdue(overdue, state, step, index);
      }
    }
    for (const [worker, attemptIds] of overdue)
      context.send('worker', worker, { type: 'attempts.overdue', attemptIds });
    armAssigned(staleAssignedMs)(state, context);
  };

function addOverdue(
  overdue: Map<WorkerId, AttemptId[]>,
  { record, openAttempts }: JobState,
  step: StepState,
  index: number,
): void {
  const task = taskOf(step, index);
  const attemptId = attemptIdOf({
    jobId: record.id,
    stepOrder: step.record.order,
    index,
    attemptNumber: task.attemptNumber,
  });
  const worker = openAttempts.workerOf(step, index, task);
  const ofWorker = overdue.get(worker);
  if (ofWorker === undefined) overdue.set(worker, [attemptId]);
  else ofWorker.push(attemptId);
}
