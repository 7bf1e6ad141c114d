import {
  attemptIdOf,
  stepIdOf,
  taskIdOf,
  type AttemptAddress,
  type AttemptId,
} from '../../../src/core/ids.ts';
import { isRetryDelayed } from '../../../src/core/lifecycle/retry-policy.ts';
import { raisesOf } from '../../../src/core/retry-rules/raised-amounts.ts';
import type { Holding } from '../../../src/core/records/holding.ts';
import type { Booking } from '../../../src/core/records/worker.ts';
import type { TaskState } from '../../../src/core/records/task-page.ts';
import { taskNameOf } from '../../../src/openjd/template/task-name.ts';
import { typedParametersOf } from '../../../src/core/wire/assignment-parts.ts';
import type { Assignment } from '../../../src/core/wire/bus-messages.ts';
import type { ServiceContext } from '../service-system.ts';
import { assignmentOf } from './assignment-of-step.ts';
import { isBehindCanaries } from './canaries.ts';
import { armAssigned } from './on-assigned-due.ts';
import { makeReady } from './reclaim.ts';
import { JobTurn } from './job-turn.ts';
import type { JobMessage } from './messages.ts';
import { isStepLeasable } from './offers.ts';
import type { JobState } from './state.ts';
import { taskOf, type StepState } from './step-state.ts';
import type { AttemptBooking } from '../worker/messages.ts';

type Take = Extract<JobMessage, { type: 'tasks.take' }>;

/**
 * Moves the selected tasks from ready to assigned (docs/contract/lease.md#first-fit: atomic, after checking the gates
 * again). Refuses tasks that cannot be leased any more. A delayed task becomes ready again at its time.
 */
export const onTasksTake = (
  staleAssignedMs: number,
  attemptFloor: number,
): ((state: JobState, message: Take, context: ServiceContext<'job'>) => void) => {
  const arm = armAssigned(staleAssignedMs);
  return (state, message, context) => {
    const { pick } = message;
    const dueAt = context.now + staleAssignedMs;
    const step = state.steps[pick.stepOrder];
    if (step === undefined) throw new Error(`job ${state.record.id} has no step ${pick.stepOrder}`);
    const turn = new JobTurn(state, context);
    state.openAttempts.recordWorker(message.workerOrdinal, message.workerId);
    const assignments: Assignment[] = [];
    const bookings: AttemptBooking[] = [];
    const leasable = isStepLeasable(state, step);
    // A retry rule has raised the requirements after the lease actor selected the worker.
    const isOutdated = (pick.raises ?? 0) !== raisesOf(step.record.raised);
    const refusedHoldings: Holding[] = [];
    let refused = 0;
    let picked = 0;
    for (const range of pick.ranges) {
      for (let index = range.start; index < range.start + range.count; index++) {
        const holding = pick.holdings?.[picked++];
        // The tasks of adaptive chunks may have become fewer since the lease actor selected these.
        const isGone = index >= step.record.taskCount;
        const task = taskOf(step, index);
        const isHeld = task.status === 'ready' && isRetryDelayed(task, context.now);
        const isBehind = leasable && !isGone && isBehindCanaries(state, step, index);
        if (isGone || !leasable || task.status !== 'ready' || isHeld || isOutdated || isBehind) {
          refused++;
          if (holding !== undefined) refusedHoldings.push(holding);
          const isAgain = isHeld || (isOutdated && !isGone && task.status === 'ready');
          if (leasable && isAgain) makeReady(state, step, index, isHeld ? task.retryAfter : null, context);
          continue;
        }
        const attempt = {
          jobId: state.record.id,
          stepOrder: step.record.order,
          index,
          attemptNumber: Math.max(task.attemptNumber + 1, attemptFloor),
        };
        const assignment = take(step, task, attempt, message, holding, turn, context);
        assignments.push(assignment);
        bookings.push({ attempt, booking: bookingOf(assignment.attempt_id, pick, holding) });
        state.assigned.add(step, index, context.now, dueAt);
      }
    }
    if (assignments.length > 0) {
      context.send('worker', message.workerId, { type: 'attempts.booked', bookings });
      turn.moveJob('first lease');
      arm(state, context);
    }
    turn.end();
    const taken = {
      type: 'tasks.taken',
      leaseId: message.leaseId,
      jobId: state.record.id,
      stepOrder: pick.stepOrder,
      queueId: state.record.queueId,
      assignments,
      step: assignmentOf(state, step),
      cores: pick.cores,
      refused,
    } as const;
    context.send(
      'lease',
      state.record.farmId,
      refusedHoldings.length === 0 ? taken : { ...taken, refusedHoldings },
    );
  };
};

function bookingOf(
  attemptId: AttemptId,
  { cores, reason }: Take['pick'],
  holding: Holding | undefined,
): Booking {
  if (holding === undefined)
    return reason === undefined ? { attemptId, cores } : { attemptId, cores, reason };
  const { amounts, gpus, policyVersion } = holding;
  // A copy by spread would have a hidden class of its own (docs/performance.md).
  if (amounts !== undefined && gpus === undefined && policyVersion !== undefined)
    return reason === undefined
      ? { attemptId, cores, amounts, policyVersion }
      : { attemptId, cores, amounts, policyVersion, reason };
  const held = { attemptId, cores, ...holding };
  return reason === undefined ? held : { ...held, reason };
}

function take(
  step: StepState,
  task: TaskState,
  attempt: AttemptAddress,
  message: Take,
  holding: Holding | undefined,
  turn: JobTurn,
  context: ServiceContext<'job'>,
): Assignment {
  const { jobId, stepOrder, index, attemptNumber } = attempt;
  const leased = { attemptNumber, assignedAt: context.now, workerOrdinal: message.workerOrdinal };
  // The attempt gets a row only with its first report. Until then the task's page has all data.
  turn.move(step, index, 'lease', leased, task);
  const values = step.space.at(index);
  const assignment = {
    task_id: taskIdOf(attempt),
    job_id: jobId,
    step_id: stepIdOf(jobId, stepOrder),
    attempt_id: attemptIdOf(attempt),
    name: taskNameOf(step.record.name, values),
    cores: message.pick.cores,
    parameters: typedParametersOf(step.plan, values),
  };
  return holding?.gpus === undefined ? assignment : { ...assignment, gpus: holding.gpus };
}
