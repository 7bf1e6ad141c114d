import { copyOfCounts, type MutableCounts } from '../../../src/core/lifecycle/task-counts.ts';
import type { AttemptTimes, StepRecord } from '../../../src/core/records/step.ts';
import type { RequireAllFields } from '../../../src/core/records/require-all-fields.ts';

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

/**
 * A step's record as its job has it in memory. It changes in place, with every task that moves, and nobody else has it: what is written
 * is a copy. It is put together field by field and no field comes or goes, so that all steps are of one hidden class: a copy by a spread
 * has one of its own each time, and every look at it is slow then (docs/performance.md).
 */
export interface MutableStepRecord extends Mutable<
  Omit<StepRecord, 'taskCounts' | 'attemptTimes' | 'unschedulableReason'>
> {
  taskCounts: MutableCounts;
  readonly attemptTimes: Mutable<AttemptTimes>;
  /** Empty for no reason. */
  unschedulableReason: string;
}

type WholeStep = RequireAllFields<
  StepRecord,
  | 'version'
  | 'jobId'
  | 'order'
  | 'name'
  | 'status'
  | 'computeLocation'
  | 'dependsOn'
  | 'taskCount'
  | 'taskCounts'
  | 'untouched'
  | 'attemptTimes'
  | 'unschedulableReason'
  | 'createdAt'
  | 'updatedAt'
>;

/** The step as it was written, to be changed. */
export const liveStepOf = (written: WholeStep): MutableStepRecord => ({
  version: 1,
  jobId: written.jobId,
  order: written.order,
  name: written.name,
  status: written.status,
  computeLocation: written.computeLocation,
  dependsOn: written.dependsOn,
  taskCount: written.taskCount,
  taskCounts: copyOfCounts(written.taskCounts),
  untouched: written.untouched,
  attemptTimes: { count: written.attemptTimes?.count ?? 0, totalMs: written.attemptTimes?.totalMs ?? 0 },
  unschedulableReason: written.unschedulableReason ?? '',
  createdAt: written.createdAt,
  updatedAt: written.updatedAt,
});

/** The step as it is now, to be written. */
export function toStepRecord(live: MutableStepRecord): StepRecord {
  const { attemptTimes, unschedulableReason, ...record } = live;
  return {
    ...record,
    taskCounts: copyOfCounts(live.taskCounts),
    ...(attemptTimes.count > 0 && { attemptTimes: { ...attemptTimes } }),
    ...(unschedulableReason !== '' && { unschedulableReason }),
  };
}
