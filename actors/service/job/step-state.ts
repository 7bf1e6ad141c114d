import { openAdaptiveSpace, type AdaptiveSpace } from '../../../src/openjd/template/space/adaptive-space.ts';
import { openSpace, type Space } from '../../../src/openjd/template/space/open-space.ts';
import type { StepPlan } from '../../../src/openjd/template/plan.ts';
import { chunksOfPlan } from '../../../src/core/lifecycle/chunk-sizes.ts';
import type { TaskCounts } from '../../../src/core/lifecycle/task-counts.ts';
import type { PageArena } from '../../../src/core/records/page-arena.ts';
import type { StepRecord } from '../../../src/core/records/step.ts';
import {
  pageOf,
  readTask,
  TASKS_PER_PAGE,
  untouchedTask,
  type TaskState,
} from '../../../src/core/records/task-page.ts';
import type { StepAssignment } from '../../../src/core/wire/bus-messages.ts';
import { toMutableStep, type MutableStepRecord } from './mutable-step.ts';

/** A step with its packed tasks. Pages without any task record are absent. */
export interface StepState {
  readonly record: MutableStepRecord;
  readonly plan: StepPlan;
  /** Replaced when its chunks change their size. */
  space: Space;
  /** The same space, if its chunks can change their size; else null. */
  adaptive: AdaptiveSpace | null;
  readonly pages: Map<number, Uint8Array>;
  /** Allocator of new pages; null until the first. */
  arena: PageArena | null;
  /** Data that all its tasks share in a lease; null before the first lease. */
  assignment: StepAssignment | null;
  /** The counts of the step that are included in the job's counts. */
  countsInJob: TaskCounts;
  /** Pages to write with the commit window, and whether the record is to be written. */
  readonly dirtyPages: Set<number>;
  isDirty: boolean;
  /** The last turn that changed the step. */
  touchedBy: object | null;
}

export const stepStateOf = (
  record: StepRecord,
  plan: StepPlan,
  pages: Map<number, Uint8Array> = new Map(),
): StepState => {
  const mutable = toMutableStep(record, chunksOfPlan(plan));
  const { chunks } = mutable;
  const adaptive = chunks === null ? null : openAdaptiveSpace(plan.space, chunks.sections);
  return {
    record: mutable,
    plan,
    space: adaptive ?? openSpace(plan.space),
    adaptive,
    pages,
    arena: null,
    assignment: null,
    countsInJob: record.taskCounts,
    dirtyPages: new Set(),
    isDirty: false,
    touchedBy: null,
  };
};

/** Returns the state of a task, with or without a record of its own. */
export function taskOf(step: StepState, index: number): TaskState {
  const page = step.pages.get(pageOf(index));
  const own = page === undefined ? null : readTask(page, index);
  return own ?? untouchedTask(step.record.untouched);
}

/** Iterates over the tasks of a step that have a record of their own, in order. */
export function* materializedTasks(
  step: StepState,
): Generator<{ readonly index: number; readonly task: TaskState }> {
  for (const number of [...step.pages.keys()].sort((a, b) => a - b)) {
    const page = step.pages.get(number);
    if (page === undefined) continue;
    for (let slot = 0; slot < TASKS_PER_PAGE; slot++) {
      const index = number * TASKS_PER_PAGE + slot;
      const task = readTask(page, index);
      if (task !== null) yield { index, task };
    }
  }
}
