import type { ServiceContext } from '../service-world.ts';
import { JobTurn } from './job-turn.ts';
import { reclaim } from './reclaim.ts';
import { taskOf, type AssignedAttempt, type JobState } from './state.ts';

const STALE_MESSAGE = 'the worker never reported that it runs';

/**
 * Wakes the job when the oldest attempt that was handed out should have been reported running. A timer that is set stays when that attempt
 * has been heard of: it comes early, and is set once more.
 */
export const armAssigned =
  (staleAssignedMs: number) =>
  (state: JobState, context: ServiceContext<'job'>): void => {
    const { value: first } = state.assigned.values().next();
    if (first === undefined || state.isAssignedTimed) return;
    state.isAssignedTimed = true;
    const delayMs = Math.min(Math.max(0, first.dueAt - context.now), staleAssignedMs);
    context.after('assigned', delayMs, { type: 'assigned.due' });
  };

/**
 * The stale-assigned reaper (interface.md, "Worker and related rules"): a task that stays assigned for 30 s goes back
 * to ready, no attempt consumed. Time in which the service could not hear reports does not count.
 */
export const onAssignedDue =
  (staleAssignedMs: number) =>
  (state: JobState, _message: unknown, context: ServiceContext<'job'>): void => {
    state.isAssignedTimed = false;
    const turn = new JobTurn(state, context);
    const earliest = context.listeningSince + staleAssignedMs;
    const waiting: [string, AssignedAttempt][] = [];
    let reclaimed = 0;
    for (const [taskId, attempt] of state.assigned) {
      const step = state.steps[attempt.stepOrder];
      if (step === undefined || taskOf(step, attempt.index).status !== 'assigned') continue;
      // Further ahead than that only the clock can have put it, when it was set back.
      const dueAt = Math.min(Math.max(attempt.dueAt, earliest), context.now + staleAssignedMs);
      if (dueAt > context.now) waiting.push([taskId, { ...attempt, dueAt }]);
      else if (reclaim(state, step, attempt.index, STALE_MESSAGE, turn, context)) {
        reclaimed++;
        context.log('warn', 'an assigned task was never reported running and goes back to ready', {
          task_id: taskId,
        });
      }
    }
    state.assigned = new Map(waiting.sort(([, a], [, b]) => a.dueAt - b.dueAt));
    if (reclaimed > 0 && state.openAttempts.size === 0) turn.moveJob('idle after reclaim');
    if (reclaimed > 0) turn.end();
    armAssigned(staleAssignedMs)(state, context);
  };
