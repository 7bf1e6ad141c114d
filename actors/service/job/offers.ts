import { isRetryDelayed, leasableSince } from '../../../src/core/lifecycle/retry-policy.ts';
import { TaskRanges, type TaskRange } from '../../../src/core/lease/task-ranges.ts';
import { capOfStep } from '../../../src/core/records/job-caps.ts';
import { raisesOf, withRaised } from '../../../src/core/retry-rules/raised-amounts.ts';
import { meanOf } from '../../../src/core/records/step.ts';
import type { ReadyStep } from '../lease/messages.ts';
import { probesOf } from './canaries.ts';
import { failedOnOf } from './failed-on.ts';
import type { JobState } from './state.ts';
import { materializedTasks, type StepState } from './step-state.ts';

/** Reports whether tasks of the job may be leased: not while it waits for its start time, is blocked, paused or terminal. */
export const isLeasable = ({ record: { status, startAfter } }: Pick<JobState, 'record'>): boolean =>
  (status === 'pending' || status === 'running') && startAfter === undefined;

/** Reports whether tasks of the step may be leased: not while it is held, or the job is not leasable. */
export const isStepLeasable = (state: JobState, { record: { hold } }: StepState): boolean =>
  hold === null && isLeasable(state);

/** Returns the ready and delayed tasks of a step at `now`, with the data that the lease actor needs. */
export function offerOfStep(state: JobState, step: StepState, now: number): ReadyStep {
  const { record } = step;
  const { maxConcurrentTasks: ofJob = 0 } = state.record;
  const ofStep = capOfStep(state.record, record.name);
  return {
    jobId: state.record.id,
    stepOrder: record.order,
    queueId: state.record.queueId,
    priority: state.record.priority,
    jobCreatedAt: state.record.createdAt,
    requirements: withRaised(step.plan.requirements, step.record.raised),
    ...(record.raised.length > 0 && { raises: raisesOf(record.raised) }),
    owner: state.record.owner,
    project: state.record.project,
    meanMs: meanOf(record.attemptTimes),
    live: record.taskCounts.assigned + record.taskCounts.running,
    ...(step.plan.requirements.pools.length > 0 && { liveOn: state.openAttempts.workersOf(step) }),
    ...(ofStep > 0 && { maxConcurrentTasks: ofStep }),
    ...(ofJob > 0 && { jobMaxConcurrentTasks: ofJob }),
    ...readyOf(state, step, now),
    unschedulableReason: record.unschedulableReason,
  };
}

function readyOf(
  state: JobState,
  step: StepState,
  now: number,
): Pick<ReadyStep, 'ready' | 'failed' | 'held' | 'lastReadyAt'> {
  const untouchedReady = new TaskRanges();
  const readyAt = new Map<number, TaskRanges>();
  const failed: ReadyStep['failed'][number][] = [];
  const held: ReadyStep['held'][number][] = [];
  const { untouched, order, taskCount } = step.record;
  let lastReadyAt = 0;
  if (!isStepLeasable(state, step)) return { ready: [], failed, held, lastReadyAt };
  if (untouched.status === 'ready') untouchedReady.add({ start: 0, count: taskCount });
  for (const { index, task } of materializedTasks(step)) {
    untouchedReady.remove(index);
    if (task.status !== 'ready') continue;
    const avoided = failedOnOf(state.failedOn, order, index);
    if (isRetryDelayed(task, now)) {
      held.push({ index, until: task.retryAfter, avoided });
      continue;
    }
    const since = leasableSince(task);
    if (avoided.length > 0) failed.push({ index, since, avoided });
    addAt(readyAt, since, [{ start: index, count: 1 }]);
    lastReadyAt = Math.max(lastReadyAt, since);
  }
  if (untouchedReady.size > 0) {
    addAt(readyAt, untouched.updatedAt, untouchedReady);
    lastReadyAt = Math.max(lastReadyAt, untouched.updatedAt);
  }
  const probes = probesOf(state, step);
  const isOffered = (index: number): boolean => probes === null || probes.includes(index);
  return {
    ready: [...readyAt].flatMap(([since, tasks]) =>
      [...(probes === null ? tasks : among(tasks, probes))].map((range) => ({ ...range, since })),
    ),
    failed: failed.filter(({ index }) => isOffered(index)),
    held: held.filter(({ index }) => isOffered(index)),
    lastReadyAt,
  };
}

/** Adds tasks that became ready at a time. */
function addAt(readyAt: Map<number, TaskRanges>, since: number, ranges: Iterable<TaskRange>): void {
  const tasks = readyAt.get(since) ?? new TaskRanges();
  readyAt.set(since, tasks);
  for (const range of ranges) tasks.add(range);
}

/** Returns those of the tasks that are at the given positions. */
function among(tasks: TaskRanges, positions: readonly number[]): TaskRanges {
  const found = new TaskRanges();
  for (const index of positions) if (tasks.has(index)) found.add({ start: index, count: 1 });
  return found;
}
