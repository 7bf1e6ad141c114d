import { JobLists, type CurrentState } from '../../http/lists/job-lists.ts';
import { TaskLists } from '../../http/lists/task-lists.ts';
import type { JobActivity } from '../../src/core/history/job-activity.ts';
import type { ChangeSubscription } from '../../src/adapters/lmdb/change-subscription.ts';
import type { StateReader } from '../../src/adapters/lmdb/state-reader.ts';

/**
 * The lists of jobs, which tell `activity` of what they read. From `fill` on they are read in pieces; who asks for one before that has all of it read at once. To be
 * called once the service is ready: what the shards read at their start comes first.
 */
export function openLists(
  reader: StateReader,
  changes: ChangeSubscription,
  activity: JobActivity,
  stopping: AbortSignal,
): { readonly jobs: JobLists; readonly tasks: TaskLists; readonly fill: (whenFilled: () => void) => void } {
  const state: CurrentState = { store: reader, renew: () => reader.refresh() };
  const jobs = new JobLists(state, changes.jobs, activity);
  changes.onArrival(() => jobs.noticesArrived());
  const fill = (whenFilled: () => void): void => {
    if (stopping.aborted) return;
    if (jobs.fillNext()) setImmediate(fill, whenFilled);
    else whenFilled();
  };
  return { jobs, tasks: new TaskLists(state, changes.pages), fill };
}
