import type { WorkerId } from '../../../src/core/ids.ts';
import type { Verdict } from '../../../src/core/quarantine/evidence.ts';
import type { OtherAttempts } from '../../../src/core/records/worker-evidence.ts';
import type { ServiceContext } from '../service-system.ts';
import { failedOnOf } from './failed-on.ts';
import type { JobState } from './state.ts';
import type { StepState } from './step-state.ts';

/**
 * Judges workers by the attempts of the tasks that have failed on them (docs/quarantine.md#evidence). A failure is open
 * until its task has ended. Which are open follows from the workers in `failedOn`, so that a job that is loaded again
 * judges in the same way.
 */

type JobContext = ServiceContext<'job'>;

/**
 * Returns the verdict on a worker that has just failed a task, or null if the failure says nothing new about it. Notifies
 * the workers on which it failed before. Call it before the failure is recorded. `isFinal`: the task has failed.
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
  const isNew = !before.includes(workerId);
  const isElsewhereToo = before.length + Number(isNew) > 1;
  const verdict = !isFinal ? 'open' : isElsewhereToo ? 'everywhere' : 'unknown';
  if (isNew || isFinal)
    for (const worker of before) sendVerdict(state, step, index, worker, verdict, context);
  return isNew && verdict !== 'unknown' ? verdict : null;
}

/** Judges the open failures of a task that has just succeeded on a worker. Call it before the task ends. */
export function judgeSuccess(
  state: JobState,
  step: StepState,
  index: number,
  workerId: WorkerId,
  context: JobContext,
): void {
  for (const worker of openFailures(state, step, index))
    sendVerdict(state, step, index, worker, worker === workerId ? 'unknown' : 'elsewhere', context);
}

/** Judges the open failures of a task that ends otherwise. Call it before the task is forgotten. */
export function judgeUnknown(state: JobState, step: StepState, index: number, context: JobContext): void {
  for (const worker of openFailures(state, step, index))
    sendVerdict(state, step, index, worker, 'unknown', context);
}

/** Judges an open failure that turns out to belong to an outage. Call it before the failure is forgotten. */
export function judgeExcused(
  state: JobState,
  step: StepState,
  index: number,
  workerId: WorkerId,
  context: JobContext,
): void {
  if (openFailures(state, step, index).includes(workerId))
    sendVerdict(state, step, index, workerId, 'unknown', context);
}

const openFailures = (state: JobState, step: StepState, index: number): readonly WorkerId[] =>
  state.failedOn.size === 0 ? [] : failedOnOf(state.failedOn, step.record.order, index);

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
  verdict: Verdict,
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
