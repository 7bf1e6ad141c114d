import type { WorkerEvent } from '../../../client/events/subjects.ts';
import type { Worker } from '../../../client/resources.ts';
import { latestById, type LatestEvents } from '../list/latest-events.ts';

/** Returns the last event of each worker. */
export const latestEvents = (events: readonly WorkerEvent[]): LatestEvents<WorkerEvent> =>
  latestById(events, (event) => event.worker_id);

/** Returns the worker after an event, or the same object if the event changes nothing. */
export function applyWorkerEvent<Row extends Worker>(worker: Row, event: WorkerEvent | undefined): Row {
  if (event === undefined || event.status === 'removed') return worker;
  const { name, hostname, status } = event;
  if (name === worker.name && hostname === worker.hostname && status === worker.status) return worker;
  return { ...worker, name, hostname, status };
}
