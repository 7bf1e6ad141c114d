import { JobLists, type CurrentState } from '../../../http/lists/job-lists.ts';
import { TaskLists } from '../../../http/lists/task-lists.ts';
import type { ChangeWatch } from '../../adapters/lmdb/change-watch.ts';
import type { StateReader } from '../../adapters/lmdb/state-reader.ts';

/**
 * The lists of jobs. From `fill` on they are read in pieces; who asks for one before that has all of it read at once. To be
 * called once the service is ready: what the shards read at their start comes first.
 */
export function openLists(
  reader: StateReader,
  changes: ChangeWatch,
  stopping: AbortSignal,
): { readonly jobs: JobLists; readonly tasks: TaskLists; readonly fill: () => void } {
  const state: CurrentState = { store: reader, renew: () => reader.refresh() };
  const jobs = new JobLists(state, changes.jobs);
  changes.onArrival(() => jobs.noticesArrived());
  const fill = (): void => {
    if (!stopping.aborted && jobs.fillNext()) setImmediate(fill);
  };
  return { jobs, tasks: new TaskLists(state, changes.pages), fill };
}
