import { parseAttemptId, taskIdOf, type AttemptAddress, type WorkerId } from '../../../src/core/ids.ts';
import { FAILURE_LIMIT_PARK_REASON } from '../../../src/core/lifecycle/failure-reasons.ts';
import { isTerminalJob } from '../../../src/core/lifecycle/job-transitions.ts';
import { leasableSince } from '../../../src/core/lifecycle/retry-policy.ts';
import { isLiveTask, isTerminalTask } from '../../../src/core/lifecycle/task-transitions.ts';
import { put } from '../../../src/core/records/change-set.ts';
import { keys } from '../../../src/core/records/tables.ts';
import type { RegexEngine } from '../../../src/openjd/expr/regex/regex-engine.ts';
import type { ServiceContext } from '../service-system.ts';
import { applyFailure } from './apply-failure.ts';
import { failedOnKey, failedOnOf, forgetFailedOn } from './failed-on.ts';
import { JobTurn } from './job-turn.ts';
import { judgeExcused } from './judge-failures.ts';
import type { JobMessage } from './messages.ts';
import { waitsForUpstreams, type JobState } from './state.ts';
import { taskOf, type StepState } from './step-state.ts';

/*
 * Failures in a farm that looks for outages (docs/outages.md). The lease actor decides whether a failure belongs to an
 * outage, and answers in the same unit of work. Until then the attempt is open.
 */

type JobContext = ServiceContext<'job'>;
type Of<Type extends JobMessage['type']> = Extract<JobMessage, { readonly type: Type }>;

/** Applies a failure after the answer of the lease actor, unless the attempt is not open any more. */
export const onFailureWeighed =
  (regex: RegexEngine) =>
  (state: JobState, { report, workerId, mark }: Of<'failure.weighed'>, context: JobContext): void => {
    const attempt = parseAttemptId(report.attempt_id);
    const step = attempt === null ? undefined : state.steps[attempt.stepOrder];
    if (attempt === null || step === undefined) return;
    const { index } = attempt;
    const task = taskOf(step, index);
    if (!isLiveTask(task.status) || task.attemptNumber !== attempt.attemptNumber) return;
    const turn = new JobTurn(state, context);
    applyFailure(state, step, index, { report, workerId, task }, regex, turn, context, { mark });
    turn.end();
  };

/**
 * Takes failures back that turn out to belong to an outage. A task that has failed for good because of one is retried
 * with all its attempts, unless its job has ended. A job that was parked because of failures continues.
 */
export function onFailuresExcused(
  state: JobState,
  { attempts }: Of<'failures.excused'>,
  context: JobContext,
): void {
  if (isTerminalJob(state.record.status)) return;
  const turn = new JobTurn(state, context);
  const retried = new Set<string>();
  let excused = 0;
  // The latest attempt of a task first.
  for (const { attempt, ...end } of addressed(attempts)) {
    const step = state.steps[attempt.stepOrder];
    if (step === undefined) continue;
    if (retried.has(taskIdOf(attempt)) || retryFailed(step, attempt, turn)) {
      retried.add(taskIdOf(attempt));
      excused++;
    } else if (excuse(state, step, { attempt, ...end }, turn, context)) excused++;
  }
  if (excused === 0) return;
  const { failedAttempts, status, parkReason } = state.record;
  turn.patchJob({ failedAttempts: Math.max(0, failedAttempts - excused) });
  const isParked = status === 'paused' && isParkedByFailures(parkReason);
  if (isParked) turn.resume();
  if (retried.size > 0 && !waitsForUpstreams(state)) turn.promoteFreeSteps();
  if (isParked) for (const step of state.steps) turn.offer(step);
  turn.end();
}

interface ExcusedAttempt {
  readonly attempt: AttemptAddress;
  readonly workerId: WorkerId;
  readonly isFirstOnWorker: boolean;
}

function addressed(attempts: Of<'failures.excused'>['attempts']): readonly ExcusedAttempt[] {
  return attempts
    .flatMap(({ attemptId, ...end }) => {
      const attempt = parseAttemptId(attemptId);
      return attempt === null ? [] : { attempt, ...end };
    })
    .sort((a, b) => b.attempt.attemptNumber - a.attempt.attemptNumber);
}

/** Retries a task whose last attempt is excused, if it has failed because of it. Reports whether it has. */
function retryFailed(step: StepState, { index, attemptNumber }: AttemptAddress, turn: JobTurn): boolean {
  const task = taskOf(step, index);
  if (task.status !== 'failed' || task.attemptNumber !== attemptNumber) return false;
  turn.retryTask(step, index);
  return true;
}

/** Takes back that a failure of a task that has not ended counts. Reports whether it has counted. */
function excuse(
  state: JobState,
  step: StepState,
  { attempt, workerId, isFirstOnWorker }: ExcusedAttempt,
  turn: JobTurn,
  context: JobContext,
): boolean {
  const { index } = attempt;
  const task = taskOf(step, index);
  if (isTerminalTask(task.status) || task.failedAttempts === 0) return false;
  noteExcused(state, step, attempt, context);
  turn.write(step, index, { ...task, failedAttempts: task.failedAttempts - 1 });
  if (isFirstOnWorker) {
    judgeExcused(state, step, index, workerId, context);
    forgetFailedOn(state, step, index, workerId);
  }
  if (task.status !== 'ready') return true;
  // The lease actor has it with the worker that it avoids no longer.
  const { id: jobId, farmId } = state.record;
  const stepOrder = step.record.order;
  context.send('lease', farmId, {
    type: 'task.excused',
    jobId,
    stepOrder,
    index,
    readyAt: leasableSince(task),
    avoided: failedOnOf(state.failedOn, stepOrder, index),
  });
  return true;
}

const isParkedByFailures = (reason: string): boolean =>
  reason === FAILURE_LIMIT_PARK_REASON || reason.includes('fails everywhere');

/** Notes an excused attempt in the row that a later load of the job reads. */
function noteExcused(state: JobState, step: StepState, attempt: AttemptAddress, context: JobContext): void {
  const name = failedOnKey(step.record.order, attempt.index);
  const before = state.ruleUses.get(name) ?? { version: 1, uses: {} };
  const record = { ...before, excused: [...(before.excused ?? []), attempt.attemptNumber] };
  state.ruleUses.set(name, record);
  context.change(put('taskRules', keys.taskRules(attempt), record));
}
