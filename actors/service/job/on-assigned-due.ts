import { taskIdOf } from '../../../src/core/ids.ts';
import type { ServiceContext } from '../service-system.ts';
import { isWaiting, type AssignedRun } from './assigned-runs.ts';
import { JobTurn } from './job-turn.ts';
import { reclaim } from './reclaim.ts';
import type { JobState } from './state.ts';

const STALE_MESSAGE = 'the worker did not report the attempt as running in time';

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
 * Reclaims stale assigned tasks (docs/contract/workers.md#assigned-tasks-that-never-start): a task that stays assigned
 * for 30 s goes back to ready, without counting as a failure. Time in which the service could not receive reports does
 * not count.
 */
export const onAssignedDue =
  (staleAssignedMs: number) =>
  (state: JobState, _message: unknown, context: ServiceContext<'job'>): void => {
    state.isAssignedTimed = false;
    const turn = new JobTurn(state, context);
    const earliest = context.receivingSince + staleAssignedMs;
    // A deadline further ahead than that comes from a clock that was set back.
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
          context.log('warn', 'assigned task reclaimed: not reported running in time', {
            task_id: taskIdOf(turn.addressOf(step, index)),
          });
        }
      }
    }
    if (reclaimed > 0 && state.openAttempts.size === 0) turn.moveJob('idle after reclaim');
    if (reclaimed > 0) turn.end();
    armAssigned(staleAssignedMs)(state, context);
  };
