import { isTerminalJob } from '../../../src/core/lifecycle/job-transitions.ts';
import { refused } from '../../../src/core/problems.ts';
import type { ActorDefinition } from '../../kernel/actor.ts';
import type { ServiceContext, ServiceSettings, ServiceSystem } from '../service-system.ts';
import { triesCanaries } from './canaries.ts';
import { JobTurn } from './job-turn.ts';
import type { JobMessage } from './messages.ts';
import { forgetPatterns } from './assignment-of-step.ts';
import { armAssigned, onAssignedDue } from './on-assigned-due.ts';
import { onAttemptsExited } from './on-attempts-exited.ts';
import { onAttemptsHeld } from './on-attempts-held.ts';
import { onJobDelete, onJobExpire } from './on-delete.ts';
import { onAttemptsStop } from './on-attempts-stop.ts';
import { onAttemptsPreempt, onAttemptsSurvey } from './on-attempts-preempt.ts';
import { onAttemptsReclaim } from './on-attempts-reclaim.ts';
import { onJobCancel, onTaskCancel, onUpstreamFailed } from './on-cancel.ts';
import { newJobState, onJobCreated } from './on-job-created.ts';
import { onJobRetry, onJobReactivate } from './on-retry.ts';
import { onJobUpdate } from './on-job-update.ts';
import { onStepHold } from './on-step-hold.ts';
import { armStart, offerOpenSteps, onStartDue } from './on-start-due.ts';
import { onStepSchedulable, onStepUnschedulable } from './on-step-unschedulable.ts';
import { onTasksReported } from './on-tasks-reported.ts';
import { onFailuresExcused, onFailureWeighed } from './outage-failures.ts';
import { onTasksTake } from './on-tasks-take.ts';
import { onUpstreamsCompleted } from './on-upstreams-completed.ts';
import { saveJob } from './save-job.ts';
import { loadJob, type JobState } from './state.ts';

export { loadJob, type JobState };

/** Returns the state of a job that was loaded before, if it equals that of the store; else undefined. */
export type PreloadedJob = (id: string) => JobState | undefined;

/**
 * The job actor owns one job with its steps, tasks and attempts. No other actor writes them. It stays in memory until
 * the job is terminal, and is loaded again for later requests.
 */
export function jobActor(
  settings: ServiceSettings,
  preloaded: PreloadedJob = () => undefined,
): ActorDefinition<ServiceSystem, 'job', JobState> {
  return {
    kind: 'job',
    load: (id, reader) => preloaded(id) ?? loadJob(id, reader, settings.retry, settings.staleAssignedMs),
    onActivated: (state, context) => {
      armAssigned(settings.staleAssignedMs)(state, context);
      armStart(state, context);
    },
    save: saveJob,
    isEvictable: (state) => isTerminalJob(state.record.status),
    isDeleted: (state) => state.isDeleted,
    onMissing,
    handlers: {
      'job.create': onJobCreated,
      'job.activate': (state, _message, context) => {
        if (isTerminalJob(state.record.status)) return;
        const turn = new JobTurn(state, context);
        for (const step of state.steps) turn.offer(step);
        turn.publishReadySteps();
      },
      'upstreams.completed': onUpstreamsCompleted,
      'upstream.failed': onUpstreamFailed,
      'tasks.take': onTasksTake(settings.staleAssignedMs, settings.attemptFloor),
      'step.unschedulable': onStepUnschedulable,
      'step.schedulable': onStepSchedulable,
      'tasks.reported': onTasksReported(settings.regex),
      'attempts.held': onAttemptsHeld,
      'failure.weighed': onFailureWeighed(settings.regex),
      'failures.excused': onFailuresExcused,
      'attempts.reclaim': onAttemptsReclaim,
      'attempts.stop': onAttemptsStop,
      'attempts.survey': onAttemptsSurvey,
      'attempts.preempt': onAttemptsPreempt(settings.audit),
      'attempts.exited': onAttemptsExited,
      'assigned.due': onAssignedDue(settings.staleAssignedMs),
      'start.due': onStartDue,
      'policy.changed': onPolicyChanged,
      'job.update': onJobUpdate,
      'job.retry': onJobRetry,
      'job.reactivate': onJobReactivate,
      'step.hold': onStepHold,
      'job.delete': onJobDelete,
      'job.expire': onJobExpire,
      'job.cancel': onJobCancel,
      'task.cancel': onTaskCancel,
    },
  };
}

/** Applies settings of farm, queue and pools. Other tasks may start if canary tasks are now tried first, or no longer. */
function onPolicyChanged(
  state: JobState,
  { inherited }: Extract<JobMessage, { type: 'policy.changed' }>,
  context: ServiceContext<'job'>,
): void {
  const triedCanaries = triesCanaries(state);
  state.inherited = inherited;
  forgetPatterns(state);
  if (triesCanaries(state) === triedCanaries) return;
  const turn = new JobTurn(state, context);
  offerOpenSteps(turn, state);
  turn.publishReadySteps();
}

function onMissing(id: string, message: JobMessage, context: ServiceContext<'job'>): JobState | null {
  switch (message.type) {
    case 'job.create':
      return newJobState(message);
    case 'job.update':
    case 'job.retry':
    case 'job.reactivate':
    case 'step.hold':
    case 'job.delete':
    case 'job.cancel':
    case 'task.cancel':
      context.reply(message.replyTo, refused('not-found', `there is no job ${id}`));
      return null;
    case 'tasks.reported':
      for (const { attempt_id } of message.reports)
        context.log('warn', 'status report ignored: unknown job', { attempt_id });
      return null;
    case 'tasks.take':
      throw new Error(`tasks of job ${id} were selected, but there is no such job`);
    case 'attempts.survey':
      context.send('lease', message.farmId, { type: 'attempts.surveyed', attempts: [] });
      return null;
    case 'job.activate':
    case 'step.unschedulable':
    case 'step.schedulable':
    case 'job.expire':
    case 'upstreams.completed':
    case 'upstream.failed':
    case 'attempts.held':
    case 'failure.weighed':
    case 'failures.excused':
    case 'attempts.reclaim':
    case 'attempts.stop':
    case 'attempts.preempt':
    case 'attempts.exited':
    case 'assigned.due':
    case 'start.due':
    case 'policy.changed':
      return null;
  }
}
