import type { JobState } from '../../actors/service/job/state.ts';
import type { StepState } from '../../actors/service/job/step-state.ts';
import type { QueueId } from '../../src/core/ids.ts';
import type { JobStatus } from '../../src/core/lifecycle/job-transitions.ts';
import type { TaskStatus } from '../../src/core/lifecycle/task-transitions.ts';
import { pageOf, readTask, type TaskState } from '../../src/core/records/task-page.ts';

/** Checked fields of a task. Times are milliseconds since the epoch. */
export interface TaskSnapshot {
  readonly status: TaskStatus;
  readonly failedAttempts: number;
  readonly attemptNumber: number;
  readonly retryAfter: number | null;
  readonly hasText: boolean;
  readonly isUnschedulable: boolean;
  readonly isSkipped: boolean;
  /** Time of the last status change. */
  readonly since: number;
  /** The values of a task that has a record, if the chunks of its step can change their size; else null. */
  readonly values: string | null;
  /** How often retry rules have applied, by their key. */
  readonly uses: Readonly<Record<string, number>>;
}

/** An amount that a retry rule has raised. */
export interface RaisedSnapshot {
  readonly name: string;
  readonly amount: number;
  readonly times: number;
  readonly at: number;
}

/** A job between two turns, read without the functions of the actors. */
export interface JobSnapshot {
  readonly status: JobStatus;
  readonly priority: number;
  readonly queueId: QueueId;
  readonly failedAttempts: number;
  readonly parkReason: string;
  readonly waits: boolean;
  /** Null if the job has no start time, or it has come. */
  readonly startAfter: number | null;
  /** By step: whether it is held. */
  readonly held: readonly boolean[];
  /** By step. */
  readonly raised: readonly (readonly RaisedSnapshot[])[];
  readonly steps: readonly (readonly TaskSnapshot[])[];
}

/** The record of a task and its status. */
export function taskAt(
  step: StepState,
  index: number,
): { readonly status: TaskStatus; readonly own: TaskState | null } {
  const page = step.pages.get(pageOf(index));
  const own = page === undefined ? null : readTask(page, index);
  return { own, status: own?.status ?? step.record.untouched.status };
}

export function snapshotOf({ record, steps, ruleUses }: JobState): JobSnapshot {
  return {
    status: record.status,
    priority: record.priority,
    queueId: record.queueId,
    failedAttempts: record.failedAttempts,
    parkReason: record.parkReason,
    waits: record.status === 'blocked' || (record.status === 'paused' && record.waitsWhilePaused === true),
    startAfter: record.startAfter ?? null,
    held: steps.map((step) => step.record.hold !== null),
    raised: steps.map((step) =>
      step.record.raised.map(({ name, amount, times, at }) => ({ name, amount, times, at })),
    ),
    steps: steps.map((step) =>
      Array.from({ length: step.record.taskCount }, (_, index) => {
        const { own } = taskAt(step, index);
        if (own === null) return untouchedOf(step);
        const {
          status,
          failedAttempts,
          attemptNumber,
          retryAfter,
          hasText,
          unschedulable,
          skipped,
          updatedAt,
        } = own;
        return {
          status,
          failedAttempts,
          attemptNumber,
          retryAfter,
          hasText,
          isUnschedulable: unschedulable,
          isSkipped: skipped,
          since: updatedAt,
          values: step.adaptive === null ? null : JSON.stringify(step.space.at(index)),
          uses: ruleUses.get(`${step.record.order}/${index}`)?.uses ?? NO_USES,
        };
      }),
    ),
  };
}

const NO_USES: TaskSnapshot['uses'] = {};

function untouchedOf({ record: { untouched } }: StepState): TaskSnapshot {
  return {
    status: untouched.status,
    failedAttempts: 0,
    attemptNumber: 0,
    retryAfter: null,
    hasText: false,
    isUnschedulable: untouched.unschedulable === true,
    isSkipped: untouched.skip !== undefined,
    since: untouched.updatedAt,
    values: null,
    uses: NO_USES,
  };
}

/** Reports whether two snapshots have the same state. */
export function isSame(one: JobSnapshot, other: JobSnapshot): boolean {
  return (
    one.status === other.status &&
    one.priority === other.priority &&
    one.queueId === other.queueId &&
    one.failedAttempts === other.failedAttempts &&
    one.parkReason === other.parkReason &&
    one.waits === other.waits &&
    one.startAfter === other.startAfter &&
    JSON.stringify(one.raised) === JSON.stringify(other.raised) &&
    one.held.every((isHeld, order) => isHeld === other.held[order]) &&
    one.steps.every((tasks, order) => tasks.length === other.steps[order]?.length) &&
    one.steps.every((tasks, order) =>
      tasks.every((task, index) => {
        const same = other.steps[order]?.[index];
        return (
          same !== undefined &&
          task.status === same.status &&
          task.failedAttempts === same.failedAttempts &&
          task.attemptNumber === same.attemptNumber &&
          task.retryAfter === same.retryAfter &&
          task.hasText === same.hasText &&
          task.isUnschedulable === same.isUnschedulable &&
          task.isSkipped === same.isSkipped &&
          task.values === same.values &&
          (task.uses === same.uses || JSON.stringify(task.uses) === JSON.stringify(same.uses))
        );
      }),
    )
  );
}

/**
 * Returns for each step since when its oldest ready task could be leased. Later than `now` if all are held back; Infinity
 * if there are none.
 */
export const readySinceOf = (job: JobSnapshot): readonly number[] =>
  job.steps.map((tasks) =>
    Math.min(
      ...tasks.flatMap(({ status, since, retryAfter }) =>
        status === 'ready' ? [Math.max(since, retryAfter ?? since)] : [],
      ),
    ),
  );
