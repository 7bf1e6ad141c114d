import type { JobMessage } from '../../actors/service/job/messages.ts';
import type { JobStatus } from '../../src/core/lifecycle/job-transitions.ts';
import type { TaskStatus } from '../../src/core/lifecycle/task-transitions.ts';

/**
 * Permitted changes of a task and its job in one turn, by event. A second reading of docs/contract/job-states.md and
 * docs/contract/task-states.md. A turn is atomic, so one row can combine several rows of the contract: a retried task
 * goes to pending, and on to ready if nothing holds it.
 */
type Edges<Status extends string> = readonly `${Status} ${Status}`[];

const NOT_TERMINAL_TO_CANCELED: Edges<TaskStatus> = [
  'pending canceled',
  'ready canceled',
  'assigned canceled',
  'running canceled',
];
/** Consequences of the end of a step for dependent steps. */
const DEPENDENTS: Edges<TaskStatus> = ['pending ready', 'pending canceled'];
const RETRIED: Edges<TaskStatus> = [
  'failed pending',
  'failed ready',
  'canceled pending',
  'canceled ready',
  'pending ready',
];
/** A skip (docs/scheduling.md#skipped-tasks), and a retry that undoes one: its dependents wait again. */
const SKIPPED: Edges<TaskStatus> = [
  'pending succeeded',
  'ready succeeded',
  'assigned succeeded',
  'running succeeded',
  'failed succeeded',
  'canceled succeeded',
  'succeeded pending',
  'succeeded ready',
  'ready pending',
  // The step has other tasks that failed or were canceled, and has ended with the skip.
  'pending canceled',
];
const ENDED: Edges<JobStatus> = [
  'pending completed',
  'running completed',
  'paused completed',
  'pending failed',
  'running failed',
  'paused failed',
];
const RESUMED: Edges<JobStatus> = ['paused pending', 'paused running', 'paused blocked'];

export const TASK_EDGES: Readonly<Record<JobMessage['type'], Edges<TaskStatus>>> = {
  'job.create': ['pending ready'],
  'job.activate': [],
  'upstreams.completed': ['pending ready'],
  'upstream.failed': ['pending canceled'],
  'tasks.take': ['ready assigned'],
  'step.unschedulable': [],
  'step.schedulable': [],
  'tasks.reported': [
    'assigned running',
    'assigned succeeded',
    'assigned failed',
    'assigned canceled',
    'assigned ready',
    'running succeeded',
    'running failed',
    'running canceled',
    'running ready',
    'assigned pending',
    'running pending',
    ...DEPENDENTS,
  ],
  // As a report of a failure, after the lease actor has weighed it.
  'failure.weighed': [
    'assigned failed',
    'assigned ready',
    'running failed',
    'running ready',
    'assigned pending',
    'running pending',
    ...DEPENDENTS,
  ],
  'failures.excused': [],
  'attempts.held': ['assigned running'],
  // To pending: a skip of a step before it was undone.
  'attempts.reclaim': ['assigned ready', 'running ready', 'assigned pending', 'running pending'],
  'attempts.stop': ['assigned pending', 'running pending'],
  'attempts.survey': [],
  'attempts.preempt': ['assigned pending', 'running pending'],
  'attempts.exited': ['pending ready'],
  'assigned.due': [],
  'policy.changed': [],
  'job.update': [],
  'job.retry': [...RETRIED, ...SKIPPED],
  'job.reactivate': [...RETRIED, ...SKIPPED],
  'step.hold': [],
  'start.due': [],
  // The tasks of a deleted job are not checked.
  'job.delete': [],
  'job.expire': [],
  'job.cancel': NOT_TERMINAL_TO_CANCELED,
  'task.cancel': NOT_TERMINAL_TO_CANCELED,
};

export const JOB_EDGES: Readonly<Record<JobMessage['type'], Edges<JobStatus>>> = {
  'job.create': [],
  'job.activate': [],
  'upstreams.completed': ['blocked pending'],
  'upstream.failed': ['blocked canceled', 'paused canceled'],
  'tasks.take': ['pending running'],
  'step.unschedulable': [],
  'step.schedulable': [],
  'tasks.reported': [...ENDED, 'pending paused', 'running paused'],
  'failure.weighed': [...ENDED, 'pending paused', 'running paused'],
  'failures.excused': RESUMED,
  'attempts.held': [],
  'attempts.reclaim': ['running pending'],
  'attempts.stop': [],
  'attempts.survey': [],
  'attempts.preempt': [],
  'attempts.exited': [],
  'assigned.due': [],
  'policy.changed': [],
  'job.update': ['pending paused', 'running paused', 'blocked paused', ...RESUMED],
  'job.retry': [...RESUMED, ...ENDED, 'blocked completed', 'blocked failed'],
  'job.reactivate': [
    ...ENDED,
    'failed completed',
    'canceled completed',
    'completed pending',
    'failed pending',
    'canceled pending',
    'completed blocked',
    'failed blocked',
    'canceled blocked',
    ...RESUMED,
  ],
  'step.hold': [],
  'start.due': [],
  'job.delete': [],
  'job.expire': [],
  'job.cancel': ['pending canceled', 'blocked canceled', 'paused canceled', 'running canceled'],
  'task.cancel': ['pending failed', 'blocked failed', 'running failed', 'paused failed'],
};
