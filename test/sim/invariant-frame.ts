import type { JobState } from '../../actors/service/job/state.ts';
import type { StepState } from '../../actors/service/job/step-state.ts';
import { taskIdOf } from '../../src/core/ids.ts';
import type { JobStatus } from '../../src/core/lifecycle/job-transitions.ts';
import { type TaskStatus } from '../../src/core/lifecycle/task-transitions.ts';
import type { TaskState } from '../../src/core/records/task-page.ts';
import { taskAt } from './job-snapshot.ts';
import type { FarmView, ServiceView } from './service-view.ts';

/** A condition that always holds: `check` returns the violation, or null. */
export interface Invariant {
  readonly name: string;
  readonly check: (view: ServiceView) => string | null;
}

export type Counted = Record<TaskStatus, number>;

export const LIVE: readonly TaskStatus[] = ['assigned', 'running'];

export function* tasksOf(
  step: StepState,
): Generator<{ index: number; status: TaskStatus; own: TaskState | null }> {
  for (let index = 0; index < step.record.taskCount; index++) yield { index, ...taskAt(step, index) };
}

export function countTasks(step: StepState): Counted {
  const counted: Counted = {
    pending: 0,
    ready: 0,
    assigned: 0,
    running: 0,
    succeeded: 0,
    failed: 0,
    canceled: 0,
  };
  for (const { status } of tasksOf(step)) counted[status]++;
  return counted;
}

/** Ready tasks that are marked unschedulable; NaN if a task that is not ready is marked. */
export function unschedulableTasks(step: StepState): number {
  let marked = 0;
  for (const { status, own } of tasksOf(step)) {
    const isMarked = own === null ? step.record.untouched.unschedulable === true : own.unschedulable;
    if (isMarked) marked += status === 'ready' ? 1 : NaN;
  }
  return marked;
}

export const nameOf = (job: JobState, step: StepState, index: number): string =>
  taskIdOf({ jobId: job.record.id, stepOrder: step.record.order, index });

/** Checks every step of the jobs that had a turn. */
export const ofTouchedSteps =
  (check: (job: JobState, step: StepState, view: ServiceView) => string | null) =>
  (view: ServiceView): string | null => {
    for (const job of view.touchedJobs) {
      for (const step of job.steps) {
        const wrong = check(job, step, view);
        if (wrong !== null) return wrong;
      }
    }
    return null;
  };

export const ofTouchedJobs =
  (check: (job: JobState, view: ServiceView) => string | null) =>
  (view: ServiceView): string | null => {
    for (const job of view.touchedJobs) {
      const wrong = check(job, view);
      if (wrong !== null) return wrong;
    }
    return null;
  };

export const ofFarms =
  (check: (farm: FarmView, view: ServiceView) => string | null) =>
  (view: ServiceView): string | null => {
    for (const farm of view.touchedFarms) {
      const wrong = check(farm, view);
      if (wrong !== null) return wrong;
    }
    return null;
  };

export const isLeasable = ({ record: { status, startAfter } }: JobState): boolean =>
  (status === 'pending' || status === 'running') && startAfter === undefined;
export const isTerminalStatus = (status: JobStatus): boolean =>
  status === 'completed' || status === 'failed' || status === 'canceled';
export const isTerminal = (job: JobState): boolean => isTerminalStatus(job.record.status);
