import { isTerminalJob } from '../../../src/core/lifecycle/job-transitions.ts';
import { isTerminalStep } from '../../../src/core/lifecycle/step-rules.ts';
import type { ServiceContext } from '../service-system.ts';
import { JobTurn } from './job-turn.ts';
import { publishJob } from './publish-job.ts';
import type { JobState } from './state.ts';

/** The time of day may be set while a job waits: it is read again after at most this time. */
const CHECK_MS = 60_000;

/** Sets the timer for the start time of a job, if it has one (docs/scheduling.md#start-time). Replaces an earlier one. */
export function armStart({ record: { startAfter } }: JobState, context: ServiceContext<'job'>): void {
  if (startAfter === undefined) return;
  const delayMs = Math.min(Math.max(0, startAfter - context.now), CHECK_MS);
  context.after('start', delayMs, { type: 'start.due' });
}

/** Lets the tasks of a job start if its start time has come, and otherwise sets the timer again. */
export function onStartDue(state: JobState, _message: unknown, context: ServiceContext<'job'>): void {
  const { startAfter } = state.record;
  if (startAfter === undefined) return;
  if (startAfter > context.now) {
    armStart(state, context);
    return;
  }
  const turn = new JobTurn(state, context);
  turn.startAfter(null);
  offerOpenSteps(turn, state);
  turn.end();
  // The status of the job is the same.
  publishJob(state.record, state.record.status, context.now, context);
}

/** Reports the ready tasks of all steps that have not ended to the lease actor. */
export function offerOpenSteps(turn: JobTurn, state: JobState): void {
  if (isTerminalJob(state.record.status)) return;
  for (const step of state.steps) if (!isTerminalStep(step.record.status)) turn.offer(step);
}
