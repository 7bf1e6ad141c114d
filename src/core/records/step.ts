import type { ChunkSection } from '../../openjd/template/space-description.ts';
import type { JobId } from '../ids.ts';
import type { RaisedAmount } from '../retry-rules/raised-amounts.ts';
import type { StepStatus } from '../lifecycle/step-rules.ts';
import type { TaskCounts } from '../lifecycle/task-counts.ts';
import type { TaskStatus } from '../lifecycle/task-transitions.ts';
import type { SkipNote } from './task-text.ts';

/**
 * State of all tasks of a step that have no record of their own yet. Writing it promotes or cancels a step of a million
 * tasks in one change.
 */
export interface UntouchedTasks {
  readonly status: Extract<TaskStatus, 'pending' | 'ready' | 'canceled' | 'succeeded'>;
  readonly updatedAt: number;
  /** Reason of a cancel. Stored as an empty text for every other status. */
  readonly failureReason: string;
  /** Set if the step's `unschedulableReason` applies to them. Absent is false. */
  readonly unschedulable?: boolean;
  /** Who skipped them, and why. Set exactly while their status is succeeded: only a skip ends a task without a record. */
  readonly skip?: SkipNote;
}

/** Durations of attempts, from their assignment. */
export interface AttemptTimes {
  readonly count: number;
  readonly totalMs: number;
}

/** Returns the average duration in milliseconds; null without an attempt. */
export const meanOf = ({ count, totalMs }: AttemptTimes): number | null =>
  count === 0 ? null : Math.round(totalMs / count);

/** A successful attempt of a task whose chunks change their size. */
export interface MeasuredChunk {
  /** Number of values of the chunked parameter in the task. */
  readonly items: number;
  /** Milliseconds from the assignment to the end. */
  readonly ms: number;
}

/** Chunks of a step whose size follows the run times of its tasks (docs/decisions/adaptive-chunks.md). */
export interface StepChunks {
  /** Name of the chunked parameter. */
  readonly parameter: string;
  readonly targetSeconds: number;
  /** In order; the first begins with task 0. */
  readonly sections: readonly ChunkSection[];
  /** How often the sections have changed. */
  readonly changes: number;
  /** The latest successful attempts, oldest first. */
  readonly measured: readonly MeasuredChunk[];
}

/** A hold of a step by a user (docs/scheduling.md#held-steps). */
export interface StepHold {
  /** Username. */
  readonly by: string;
  /** Text of the user; may be empty. */
  readonly reason: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** A step of a job, keyed by job and order (docs/contract/resources.md#step). */
export interface StepRecord {
  readonly version: 1;
  readonly jobId: JobId;
  readonly order: number;
  readonly name: string;
  readonly status: StepStatus;
  /** Name that the host requirements demand. Stored as an empty text if they demand none, as in the plan. */
  readonly computeLocation: string;
  /** Orders of the steps that must complete first. */
  readonly dependsOn: readonly number[];
  readonly taskCount: number;
  readonly taskCounts: TaskCounts;
  readonly untouched: UntouchedTasks;
  /** Of its successful attempts. Absent is none. Attempts before this field existed are not included. */
  readonly attemptTimes?: AttemptTimes;
  /**
   * Why no online worker may run the ready tasks that are marked unschedulable (docs/contract/resources.md#task).
   * Absent means no reason.
   */
  readonly unschedulableReason?: string;
  /** Set once a task of the step was skipped, also if the skip was undone later. Absent is false. */
  readonly hasSkipped?: boolean;
  /** Set while the step is held: its tasks are not leased. */
  readonly hold?: StepHold;
  /** Amounts that retry rules have raised. Absent: none. */
  readonly raised?: readonly RaisedAmount[];
  /** Of a step whose chunks have a target run time. Absent for other steps, and in records of earlier versions. */
  readonly chunks?: StepChunks;
  readonly createdAt: number;
  readonly updatedAt: number;
}
