import type { JobId } from '../ids.ts';
import type { StepStatus } from '../lifecycle/step-rules.ts';
import type { TaskCounts } from '../lifecycle/task-counts.ts';
import type { TaskStatus } from '../lifecycle/task-transitions.ts';

/**
 * What all tasks of a step share that have no record of their own yet: a step of a million tasks is promoted or
 * canceled by writing this alone.
 */
export interface UntouchedTasks {
  readonly status: Extract<TaskStatus, 'pending' | 'ready' | 'canceled'>;
  readonly updatedAt: number;
  /** Reason of a cancel; empty otherwise. */
  readonly failureReason: string;
  /** Whether the step's `unschedulableReason` is theirs. Absent is false. */
  readonly unschedulable?: boolean;
}

/** How long attempts took, from when they were handed out. */
export interface AttemptTimes {
  readonly count: number;
  readonly totalMs: number;
}

/** A step of a job, keyed by job and order (docs/contract/resources.md#step). */
export interface StepRecord {
  readonly version: 1;
  readonly jobId: JobId;
  readonly order: number;
  readonly name: string;
  readonly status: StepStatus;
  /** Promoted from the host requirements; empty when there is none. */
  readonly computeLocation: string;
  /** Orders of the steps that must complete first. */
  readonly dependsOn: readonly number[];
  readonly taskCount: number;
  readonly taskCounts: TaskCounts;
  readonly untouched: UntouchedTasks;
  /** Of its attempts that have succeeded. Absent is none; attempts before it was counted are not in it. */
  readonly attemptTimes?: AttemptTimes;
  /**
   * Why no online worker may run the ready tasks that say so (docs/contract/resources.md#task). Absent is no reason.
   */
  readonly unschedulableReason?: string;
  readonly createdAt: number;
  readonly updatedAt: number;
}
