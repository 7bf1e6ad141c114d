import { JobLists, type CurrentState } from '../../../http/lists/job-lists.ts';
import { TaskLists } from '../../../http/lists/task-lists.ts';
import type { ChangeWatch } from '../../adapters/lmdb/change-watch.ts';
import type { StateReader } from '../../adapters/lmdb/state-reader.ts';

/** The lists of jobs are read in pieces, so that the start waits for none of them. */
export function openLists(
  reader: StateReader,
  changes: ChangeWatch,
  stopping: AbortSignal,
): { readonly jobs: JobLists; readonly tasks: TaskLists } {
  const state: CurrentState = { store: reader, renew: () => reader.refresh() };
  const jobs = new JobLists(state, changes.jobs);
  changes.onArrival(() => jobs.noticesArrived());
  const fill = (): void => {
    if (!stopping.aborted && jobs.fillNext()) setImmediate(fill);
  };
  setImmediate(fill);
  return { jobs, tasks: new TaskLists(state, changes.pages) };
}
