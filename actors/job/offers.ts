import { isHeldBack } from '../../src/core/lifecycle/retry-policy.ts';
import { TaskRanges } from '../../src/core/lease/task-ranges.ts';
import type { StepOffer } from '../lease/messages.ts';
import { touchedTasks, type JobState, type StepState } from './state.ts';

/** Whether tasks of the job may be leased at all: not while it is blocked, paused or over. */
export const isLeasable = (state: JobState): boolean =>
  state.record.status === 'pending' || state.record.status === 'running';

/** All that is ready of a step at `now`: what the lease actor must know of it. */
export function offerOfStep(state: JobState, step: StepState, now: number): StepOffer {
  const ready = new TaskRanges();
  const held: { index: number; until: number }[] = [];
  if (isLeasable(state)) {
    if (step.record.untouched.status === 'ready') ready.add({ start: 0, count: step.record.taskCount });
    for (const { index, task } of touchedTasks(step)) {
      if (task.status !== 'ready') ready.remove(index);
      else if (!isHeldBack(task, now)) ready.add({ start: index, count: 1 });
      else {
        ready.remove(index);
        held.push({ index, until: task.retryAfter });
      }
    }
  }
  const { taskCounts } = step.record;
  return {
    jobId: state.record.id,
    stepOrder: step.record.order,
    queueId: state.record.queueId,
    priority: state.record.priority,
    jobCreatedAt: state.record.createdAt,
    requirements: step.plan.requirements,
    live: taskCounts.assigned + taskCounts.running,
    ready: [...ready],
    held,
  };
}
