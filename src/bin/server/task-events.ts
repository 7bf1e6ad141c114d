import type { TaskEvent } from '../../../http/ports.ts';
import type { DomainEvent } from '../../core/wire/events.ts';

type Listener = (event: TaskEvent) => void;

/** Tells followers in this process that a task, its job or its log has changed; what they then read from the store is new. */
export class TaskEventHub {
  private readonly listeners = new Set<Listener>();

  get hasListeners(): boolean {
    return this.listeners.size > 0;
  }

  /** Gives the function that ends the subscription. */
  subscribe(listener: Listener): () => void {
    this.listeners.add(listener);
    return () => {
      this.listeners.delete(listener);
    };
  }

  publish(event: TaskEvent): void {
    for (const listener of this.listeners) listener(event);
  }

  publishDomain(event: DomainEvent): void {
    if (event.subject === 'tasks') this.publish({ kind: 'status', taskId: event.payload.task_id });
    if (event.subject === 'jobs') this.publish({ kind: 'job', jobId: event.payload.job_id });
  }
}
