import type { FarmWatch } from '../../http/history/farm-watch.ts';
import { JobLists, type CurrentState } from '../../http/lists/job-lists.ts';
import { TaskLists } from '../../http/lists/task-lists.ts';
import { JobActivity } from '../../src/core/history/job-activity.ts';
import type { OpenState } from './open-state.ts';
import type { StartContext } from './start-context.ts';
import { watchFarms, type BeginHistory } from './watch-farms.ts';

/** Lists and history that the main thread keeps in memory. */
export interface OpenLists {
  readonly jobs: JobLists;
  readonly tasks: TaskLists;
  readonly history: FarmWatch;
  /** Returns the tasks of each queue; null until the lists are filled. */
  queueLoads(): ReturnType<FarmWatch['queueLoads']> | null;
  /**
   * Fills the lists of jobs in pieces. Call it when the service is ready, because the shards read the store first. A list
   * that a client requests earlier is read completely at that moment.
   */
  readonly fill: () => void;
  /** Samples the farms from now on, or once the lists are filled. For the node that owns the farms. */
  readonly begin: BeginHistory;
}

/** Creates the lists. They report the jobs that they read to the history. */
export function openLists({ stopping }: StartContext, { reader, changes }: OpenState): OpenLists {
  const activity = new JobActivity(Date.now());
  const state: CurrentState = { store: reader, renew: () => reader.refresh() };
  const jobs = new JobLists(state, changes.jobs, activity);
  changes.onArrival(() => jobs.noticesArrived());
  const farms = watchFarms(reader, activity, jobs, stopping);
  let isFilled = false;
  let history: Parameters<BeginHistory> | null = null;
  const fill = (): void => {
    if (stopping.aborted) return;
    if (jobs.fillNext()) setImmediate(fill);
    else {
      isFilled = true;
      if (history !== null) farms.begin(...history);
    }
  };
  return {
    jobs,
    tasks: new TaskLists(state, changes.pages),
    history: farms.watch,
    queueLoads: () => (isFilled ? farms.watch.queueLoads(null) : null),
    fill,
    begin: (keep, tally) => {
      history = [keep, tally];
      if (isFilled) farms.begin(keep, tally);
    },
  };
}
