import { attemptIdOf, parseAttemptId, taskIdOf } from '../../../src/core/ids.ts';
import type { AuditSettings } from '../../../src/core/records/audit-entry.ts';
import { put } from '../../../src/core/records/change-set.ts';
import { preemptionText } from '../../../src/core/records/preemption.ts';
import { keys } from '../../../src/core/records/tables.ts';
import type { SurveyedAttempt } from '../lease/messages.ts';
import type { ServiceContext } from '../service-system.ts';
import { auditDecision } from './audit-preemption.ts';
import { failedOnKey } from './failed-on.ts';
import { JobTurn } from './job-turn.ts';
import type { JobMessage } from './messages.ts';
import type { JobState } from './state.ts';
import { taskOf, type StepState } from './step-state.ts';

/** Answers since when those of the attempts run that are open, and how often their tasks were taken back. */
export function onAttemptsSurvey(
  state: JobState,
  { attemptIds }: Extract<JobMessage, { type: 'attempts.survey' }>,
  context: ServiceContext<'job'>,
): void {
  const attempts: SurveyedAttempt[] = [];
  for (const attemptId of attemptIds) {
    const address = parseAttemptId(attemptId);
    const step = address === null ? undefined : state.steps[address.stepOrder];
    if (address === null || step === undefined) continue;
    const { index } = address;
    const open = state.openAttempts.of(step, index);
    if (open?.id !== attemptId) continue;
    const { preemptions = null } = state.ruleUses.get(failedOnKey(step.record.order, index)) ?? {};
    attempts.push({ attemptId, startedAt: open.startedAt, preemptions });
  }
  context.send('lease', state.record.farmId, { type: 'attempts.surveyed', attempts });
}

/**
 * Stops attempts in favor of a task that waits (docs/policy.md#preemption). Their tasks wait until the worker has
 * confirmed that the processes have ended, and become ready then.
 */
export const onAttemptsPreempt =
  ({ isOn: isAudited }: Pick<AuditSettings, 'isOn'>) =>
  (
    state: JobState,
    { attemptIds, preemption }: Extract<JobMessage, { type: 'attempts.preempt' }>,
    context: ServiceContext<'job'>,
  ): void => {
    const turn = new JobTurn(state, context);
    let stopped = 0;
    for (const attemptId of attemptIds) {
      const attempt = parseAttemptId(attemptId);
      const step = attempt === null ? undefined : state.steps[attempt.stepOrder];
      if (attempt === null || step === undefined) continue;
      const { index } = attempt;
      if (taskOf(step, index).attemptNumber !== attempt.attemptNumber) continue;
      const message = preemptionText(preemption);
      const workerId = state.openAttempts.of(step, index)?.workerId;
      if (!turn.stopAttempt(step, index, { status: 'canceled', message, preemption })) continue;
      const patch = { assignedAt: null, workerOrdinal: null, exiting: true };
      turn.move(step, index, 'preempted', patch, undefined, preemption);
      countPreemption(state, step, index, turn, context);
      if (isAudited && workerId !== undefined)
        auditDecision(
          { kind: 'preemption', attemptId, workerId, queueId: state.record.queueId, preemption },
          context,
        );
      stopped++;
      context.effect({ kind: 'count', counter: 'task-preemptions', queueId: state.record.queueId });
      context.log('info', 'task taken back for a queue that preempts', {
        task_id: taskIdOf(attempt),
        attempt_id: attemptIdOf(attempt),
        for_job: preemption.jobId,
        queue: preemption.queue,
        decision: message,
      });
    }
    if (stopped > 0) turn.end();
  };

/** Counts that a task was taken back, in the row that a later load of the job reads. */
function countPreemption(
  state: JobState,
  step: StepState,
  index: number,
  turn: JobTurn,
  context: ServiceContext<'job'>,
): void {
  const name = failedOnKey(step.record.order, index);
  const before = state.ruleUses.get(name);
  const times = (before?.preemptions?.times ?? 0) + 1;
  const record = {
    version: 1,
    uses: before?.uses ?? {},
    ...(before?.avoided !== undefined && { avoided: before.avoided }),
    preemptions: { times, lastAt: context.now },
    ...(before?.excused !== undefined && { excused: before.excused }),
  } as const;
  state.ruleUses.set(name, record);
  context.change(put('taskRules', keys.taskRules(turn.addressOf(step, index)), record));
}
