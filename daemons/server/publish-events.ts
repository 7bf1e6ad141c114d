import { tasksSubject } from '../../http/ws/hub.ts';
import type { StateReader } from '../../src/adapters/lmdb/state-reader.ts';
import { eventsOf, type EventBatch } from '../../src/core/wire/event-batch.ts';
import type { Observers } from './observers.ts';

/** Publishes events of committed windows to the subscribers in this process and to WebSocket clients. */
export function publishEvents(
  batches: readonly EventBatch[],
  { taskEvents, events }: Pick<Observers, 'taskEvents' | 'events'>,
  reader: Pick<StateReader, 'refresh'>,
): void {
  const hasLocalSubscribers = taskEvents.hasListeners;
  if (hasLocalSubscribers && batches.length > 0) reader.refresh();
  for (const batch of batches) {
    // Shards may send events without a subscriber: these are not even parsed.
    const isWanted =
      batch.subject !== 'tasks' ||
      taskEvents.watches(batch.jobId) ||
      events.find(tasksSubject(batch.jobId)) !== undefined;
    if (!isWanted) continue;
    const domainEvents = eventsOf(batch);
    events.publish(domainEvents);
    if (hasLocalSubscribers) for (const event of domainEvents) taskEvents.publishDomain(event);
  }
}
