import type { WorkerId } from '../../../src/core/ids.ts';
import type { Verdict } from '../../../src/core/quarantine/evidence.ts';
import type { OtherAttempts } from '../../../src/core/records/worker-evidence.ts';
import type { ServiceContext } from '../service-system.ts';
import { failedOnOf } from './failed-on.ts';
import type { JobState } from './state.ts';
import type { StepState } from './step-state.ts';

/**
 * Judges workers by the attempts of the tasks that have failed on them (docs/quarantine.md#evidence). A failure is open
 * while the task has failed on one worker only. Whether it is follows from the workers in `failedOn`, so that a job
 * that is loaded again judges in the same way.
 */

type JobContext = ServiceContext<'job'>;

/**
 * Returns the verdict on a worker that has just failed a task, or null if the failure says nothing new about it. Notifies
 * an earlier worker whose failure was open. Call it before the failure is recorded. `isFinal`: the task has failed.
 */
export function judgeFailure(
  state: JobState,
  step: StepState,
  index: number,
  workerId: WorkerId,
  isFinal: boolean,
  context: JobContext,
): 'open' | 'everywhere' | null {
  const before = failedOnOf(state.failedOn, step.record.order, index);
  const [only] = before;
  if (only === undefined) return isFinal ? null : 'open';
  if (before.length === 1 && only !== workerId) sendVerdict(state, step, index, only, 'everywhere', context);
  else if (before.length === 1 && isFinal) sendVerdict(state, step, index, only, 'unknown', context);
  return before.includes(workerId) ? null : 'everywhere';
}

/** Judges the open failure of a task that has just succeeded on a worker. Call it before the task ends. */
export function judgeSuccess(
  state: JobState,
  step: StepState,
  index: number,
  workerId: WorkerId,
  context: JobContext,
): void {
  const only = openFailure(state, step, index);
  if (only === null) return;
  const verdict = only === workerId ? 'unknown' : 'elsewhere';
  sendVerdict(state, step, index, only, verdict, context);
}

/** Judges the open failure of a task that ends otherwise. Call it before the task is forgotten. */
export function judgeUnknown(state: JobState, step: StepState, index: number, context: JobContext): void {
  const only = openFailure(state, step, index);
  if (only !== null) sendVerdict(state, step, index, only, 'unknown', context);
}

/** Returns the worker of a failure that is open, or null. */
function openFailure(state: JobState, step: StepState, index: number): WorkerId | null {
  if (state.failedOn.size === 0) return null;
  const [only, ...others] = failedOnOf(state.failedOn, step.record.order, index);
  return only === undefined || others.length > 0 ? null : only;
}

/** Returns the ended attempts of a step on other workers. Those that have succeeded include the worker's own. */
export function othersOf(state: JobState, step: StepState, workerId: WorkerId): OtherAttempts {
  let failed = 0;
  for (const [worker, { failures }] of state.failures.get(step.record.order) ?? [])
    if (worker !== workerId) failed += failures;
  return { failed, succeeded: step.record.attemptTimes.count };
}

function sendVerdict(
  state: JobState,
  step: StepState,
  index: number,
  workerId: WorkerId,
  verdict: Exclude<Verdict, 'open'>,
  context: JobContext,
): void {
  context.send('worker', workerId, {
    type: 'failure.judged',
    jobId: state.record.id,
    stepOrder: step.record.order,
    index,
    verdict,
    others: othersOf(state, step, workerId),
  });
}
