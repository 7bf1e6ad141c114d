import type { WorkerEvent } from '../../../client/events/subjects.ts';
import type { Worker } from '../../../client/resources.ts';

/** What events say about workers: how each is now, and which are gone. */
export interface WorkerNews {
  readonly changed: ReadonlyMap<string, WorkerEvent>;
  readonly gone: ReadonlySet<string>;
}

/** The last word of events about each worker. */
export function latestEvents(events: readonly WorkerEvent[]): WorkerNews {
  const changed = new Map<string, WorkerEvent>();
  const gone = new Set<string>();
  for (const event of events) {
    changed.delete(event.worker_id);
    gone.delete(event.worker_id);
    if (event.status === 'removed') gone.add(event.worker_id);
    else changed.set(event.worker_id, event);
  }
  return { changed, gone };
}

/** The worker as the event tells; the worker itself when nothing of it differs. */
export function workerAfter<Seen extends Worker>(worker: Seen, event: WorkerEvent | undefined): Seen {
  if (event === undefined || event.status === 'removed') return worker;
  const { name, hostname, status } = event;
  if (name === worker.name && hostname === worker.hostname && status === worker.status) return worker;
  return { ...worker, name, hostname, status };
}
