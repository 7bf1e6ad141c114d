import { collectDefaultMetrics, Counter, Registry } from 'prom-client';
import type { Count } from '../threads/shard-protocol.ts';

/** The metrics of the service (interface.md, "Public, ungated": two named counters, label `queue`). */
export class ServiceMetrics {
  private readonly registry = new Registry();
  private readonly counters: Readonly<Record<Count['counter'], Counter<'queue'>>>;

  constructor() {
    collectDefaultMetrics({ register: this.registry });
    const counter = (name: string, help: string): Counter<'queue'> =>
      new Counter({ name, help, labelNames: ['queue'], registers: [this.registry] });
    this.counters = {
      'task-retries': counter(
        'svc_scheduler_task_retries_total',
        'Automatic retries after a failure that a worker reported; reclaimed work is not counted.',
      ),
      'jobs-autoparked': counter(
        'svc_scheduler_jobs_autoparked_total',
        'Jobs that were parked because their failure limit was reached; manual pauses are not counted.',
      ),
    };
  }

  count({ counter, queueId }: Count): void {
    this.counters[counter].inc({ queue: queueId });
  }

  text(): Promise<string> {
    return this.registry.metrics();
  }
}
