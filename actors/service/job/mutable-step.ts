import { copyOfCounts, type MutableCounts } from '../../../src/core/lifecycle/task-counts.ts';
import type { RaisedAmount } from '../../../src/core/retry-rules/raised-amounts.ts';
import type { AttemptTimes, StepChunks, StepHold, StepRecord } from '../../../src/core/records/step.ts';
import type { RequireAllFields } from '../../../src/core/records/require-all-fields.ts';

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

/**
 * A step's record in the memory of its job. Mutable; every task transition changes it. Not shared: writes use a copy.
 * It is built field by field and fields are never added or removed, so that all steps have one hidden class. A spread
 * copy would get a class of its own, which makes every access slow (docs/performance.md).
 */
export interface MutableStepRecord extends Mutable<
  Omit<
    StepRecord,
    'taskCounts' | 'attemptTimes' | 'unschedulableReason' | 'hasSkipped' | 'hold' | 'raised' | 'chunks'
  >
> {
  taskCounts: MutableCounts;
  readonly attemptTimes: Mutable<AttemptTimes>;
  unschedulableReason: string | null;
  hasSkipped: boolean;
  hold: StepHold | null;
  raised: readonly RaisedAmount[];
  /** Null for a step whose chunks have no target run time. */
  chunks: StepChunks | null;
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
  | 'hasSkipped'
  | 'hold'
  | 'raised'
  | 'chunks'
  | 'createdAt'
  | 'updatedAt'
>;

const NOTHING_RAISED: readonly RaisedAmount[] = [];

/** Returns a mutable copy of a stored step. `chunks`: for a record of an earlier version, which has no such field. */
export const toMutableStep = (written: WholeStep, chunks: StepChunks | null): MutableStepRecord => ({
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
  unschedulableReason: written.unschedulableReason ?? null,
  hasSkipped: written.hasSkipped ?? false,
  hold: written.hold ?? null,
  raised: written.raised ?? NOTHING_RAISED,
  chunks: written.chunks ?? chunks,
  createdAt: written.createdAt,
  updatedAt: written.updatedAt,
});

/** Returns the step's record for the store. */
export function toStepRecord(live: MutableStepRecord): StepRecord {
  const { attemptTimes, unschedulableReason, hasSkipped, hold, raised, chunks, ...record } = live;
  return {
    ...record,
    taskCounts: copyOfCounts(live.taskCounts),
    ...(attemptTimes.count > 0 && { attemptTimes: { ...attemptTimes } }),
    ...(unschedulableReason !== null && { unschedulableReason }),
    ...(hasSkipped && { hasSkipped }),
    ...(hold !== null && { hold }),
    ...(raised.length > 0 && { raised }),
    ...(chunks !== null && { chunks }),
  };
}
