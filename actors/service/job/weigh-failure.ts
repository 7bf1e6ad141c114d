import { attemptIdOf, type WorkerId } from '../../../src/core/ids.ts';
import { errorLineOf } from '../../../src/core/failure/error-line.ts';
import { messageKeyOf } from '../../../src/core/outages/message-key.ts';
import type { OutageMark } from '../../../src/core/outages/outage.ts';
import type { TaskState } from '../../../src/core/records/task-page.ts';
import type { AttemptReport } from '../../../src/core/wire/bus-messages.ts';
import type { ServiceContext } from '../service-system.ts';
import { failedOnOf } from './failed-on.ts';
import type { ClosedAttempt, JobTurn } from './job-turn.ts';
import { makeReady } from './reclaim.ts';
import type { JobState } from './state.ts';
import type { StepState } from './step-state.ts';

type JobContext = ServiceContext<'job'>;

/** A task of which a worker reports a failure, before the failure. */
export interface FailedTask {
  readonly report: AttemptReport;
  readonly workerId: WorkerId;
  readonly task: TaskState;
}

/** Asks the lease actor whether the failure of the open attempt of a task belongs to an outage. */
export function sendToWeigh(
  state: JobState,
  step: StepState,
  index: number,
  { report, workerId, task }: FailedTask,
  context: JobContext,
): void {
  const { id: jobId, farmId } = state.record;
  const { key, text } = messageKeyOf(report.message ?? '', errorLineOf(report.failure_excerpt ?? ''));
  const stepOrder = step.record.order;
  const failure = {
    attemptId: attemptIdOf({ jobId, stepOrder, index, attemptNumber: task.attemptNumber }),
    workerId,
    startedAt: task.assignedAt ?? context.now,
    pools: step.plan.requirements.pools,
    key,
    text,
    isFirstOnWorker: !failedOnOf(state.failedOn, stepOrder, index).includes(workerId),
  };
  context.send('lease', farmId, { type: 'failure.weigh', jobId, failure, report });
}

/** Makes a task ready again after a failure that belongs to an outage: neither the task nor the job counts it. */
export function retryAfterOutage(
  state: JobState,
  step: StepState,
  index: number,
  closed: ClosedAttempt & { readonly outage: OutageMark },
  turn: JobTurn,
  context: JobContext,
): void {
  turn.closeAttempt(step, index, { ...closed, isWeighed: true });
  turn.move(step, index, 'auto-retry', { assignedAt: null, retryAfter: null, workerOrdinal: null });
  makeReady(state, step, index, null, context);
  context.effect({ kind: 'count', counter: 'task-retries', queueId: state.record.queueId });
}
