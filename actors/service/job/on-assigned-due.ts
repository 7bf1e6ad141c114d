import { taskIdOf } from '../../../src/core/ids.ts';
import type { ServiceContext } from '../service-system.ts';
import { isWaiting, type AssignedRun } from './assigned-runs.ts';
import { JobTurn } from './job-turn.ts';
import { reclaim } from './reclaim.ts';
import type { JobState } from './state.ts';

const STALE_MESSAGE = 'the worker never reported that it runs';

/**
 * Wakes the job when the oldest attempt that was handed out should have been reported running. A timer that is set stays when that attempt
 * has been heard of: it comes early, and is set once more.
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
 * The stale-assigned reaper (docs/contract/workers.md#assigned-tasks-that-never-start): a task that stays assigned for
 * 30 s goes back to ready, no attempt consumed. Time in which the service could not hear reports does not count.
 */
export const onAssignedDue =
  (staleAssignedMs: number) =>
  (state: JobState, _message: unknown, context: ServiceContext<'job'>): void => {
    state.isAssignedTimed = false;
    const turn = new JobTurn(state, context);
    const earliest = context.receivingSince + staleAssignedMs;
    // Further ahead than that only the clock can have put one, when it was set back.
    const dueOf = (run: AssignedRun): number =>
      Math.min(Math.max(run.dueAt, earliest), context.now + staleAssignedMs);
    const runs = state.assigned.takeAll().map((run) => ({ run, dueAt: dueOf(run) }));
    let reclaimed = 0;
    for (const { run, dueAt } of runs.sort((a, b) => a.dueAt - b.dueAt)) {
      const { step, start, count, assignedAt } = run;
      for (let index = start; index < start + count; index++) {
        if (!isWaiting(run, index)) continue;
        if (dueAt > context.now) state.assigned.add(step, index, assignedAt, dueAt);
        else if (reclaim(state, step, index, STALE_MESSAGE, turn, context)) {
          reclaimed++;
          context.log('warn', 'an assigned task was never reported running and goes back to ready', {
            task_id: taskIdOf(turn.addressOf(step, index)),
          });
        }
      }
    }
    if (reclaimed > 0 && state.openAttempts.size === 0) turn.moveJob('idle after reclaim');
    if (reclaimed > 0) turn.end();
    armAssigned(staleAssignedMs)(state, context);
  };
