import { copyOfCounts, replaceCounts } from '../../../src/core/lifecycle/task-counts.ts';
import { put } from '../../../src/core/records/change-set.ts';
import { keys } from '../../../src/core/records/tables.ts';
import { copyOfPage } from '../../../src/core/records/task-page.ts';
import type { ServiceContext } from '../service-system.ts';
import { toStepRecord } from './mutable-step.ts';
import type { JobState } from './state.ts';

/** Writes the job's record, steps and task pages that changed in a commit window, each row once. */
export function saveJob(state: JobState, context: ServiceContext<'job'>): void {
  // The rows of a deleted job are removed already. The purge removes the pages (docs/decisions/deletion.md).
  if (state.isDeleted) return;
  updateRecord(state, context.now);
  const { record } = state;
  for (const step of state.dirtySteps) {
    const { order } = step.record;
    for (const number of step.dirtyPages) {
      const page = step.pages.get(number);
      if (page !== undefined)
        context.change(put('taskPage', keys.taskPage(record.id, order, number), copyOfPage(page)));
    }
    step.dirtyPages.clear();
    if (!step.isDirty) continue;
    step.isDirty = false;
    step.record.updatedAt = context.now;
    context.change(put('step', keys.step(record.id, order), toStepRecord(step.record)));
  }
  state.dirtySteps.clear();
  context.change(put('job', keys.job(record.id), record));
}

/** Updates the counts and the time of a job's record. `now` is the time of the commit window. */
export function updateRecord(state: JobState, now: number): void {
  if (!state.isRecordStale) return;
  state.isRecordStale = false;
  let { taskCounts } = state.record;
  for (const step of state.dirtySteps) {
    taskCounts = replaceCounts(taskCounts, step.countsInJob, step.record.taskCounts);
    step.countsInJob = copyOfCounts(step.record.taskCounts);
  }
  state.record = { ...state.record, taskCounts, updatedAt: now };
}
