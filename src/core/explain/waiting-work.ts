import { isTerminalJob } from '../lifecycle/job-transitions.ts';
import { isTerminalStep } from '../lifecycle/step-rules.ts';
import type { TaskCounts } from '../lifecycle/task-counts.ts';
import type { JobRecord } from '../records/job.ts';
import type { StepRecord } from '../records/step.ts';

/** Reports whether tasks wait and either none is live, or no online worker may run some of them. */
const isHeld = ({ ready, pending, assigned, running, unschedulable }: TaskCounts): boolean =>
  ready + pending > 0 && (assigned + running === 0 || unschedulable > 0);

/**
 * Reports whether lists show why the job waits: it has tasks that wait, and it is paused or blocked, none of its tasks
 * is live, or no online worker may run some of them.
 */
export function isWaitingJob({
  status,
  taskCounts: counts,
}: Pick<JobRecord, 'status' | 'taskCounts'>): boolean {
  if (isTerminalJob(status)) return false;
  const isHalted = status === 'paused' || status === 'blocked';
  return isHeld(counts) || (isHalted && counts.ready + counts.pending > 0);
}

/** Reports whether lists show why the step waits. */
export const isWaitingStep = ({ status, taskCounts }: Pick<StepRecord, 'status' | 'taskCounts'>): boolean =>
  !isTerminalStep(status) && isHeld(taskCounts);

/**
 * Returns the step whose reason stands for the job: the first one that no online worker may run, or the first one with
 * ready tasks, or the first one with pending tasks. Null if no step waits.
 */
export function decisiveStepOf(steps: readonly StepRecord[]): StepRecord | null {
  const open = steps.filter(({ status }) => !isTerminalStep(status));
  return (
    open.find(({ taskCounts: { ready, unschedulable } }) => ready > 0 && unschedulable > 0) ??
    open.find(({ taskCounts: { ready } }) => ready > 0) ??
    open.find(({ taskCounts: { pending } }) => pending > 0) ??
    null
  );
}
