import { isolationWarning, type BusStanding } from '../../src/core/bus-identity/open-bus.ts';
import { preemptionVersionOf } from '../../src/core/records/preemption.ts';
import type { QueueRecord } from '../../src/core/records/queue.ts';
import { namedCapsView } from './named-caps-view.ts';
import { retryRulesView } from './retry-rules-view.ts';
import { retryView } from './retry-view.ts';
import type { Schemas } from './schemas.ts';
import { timestampOf } from '../../src/core/timestamp.ts';

/** docs/contract/resources.md#queue. */
export function queueView(queue: QueueRecord, bus: BusStanding): Schemas['Queue'] {
  const warning = isolationWarning(queue, bus);
  return {
    id: queue.id,
    farm_id: queue.farmId,
    name: queue.name,
    description: queue.description,
    priority: queue.priority,
    max_concurrent_tasks: queue.maxConcurrentTasks,
    ...namedCapsView(queue),
    paused: queue.paused,
    ...retryView(queue.retry),
    ...retryRulesView(queue.retryRules),
    ...(queue.preemptAfterSeconds !== undefined && { preempt_after_seconds: queue.preemptAfterSeconds }),
    ...(queue.preemptible === true && { preemptible: true }),
    ...(preemptionVersionOf(queue) > 0 && { preemption_version: preemptionVersionOf(queue) }),
    ...(queue.runAsUser === undefined ? {} : { run_as_user: queue.runAsUser }),
    ...(queue.runAsGroup === undefined ? {} : { run_as_group: queue.runAsGroup }),
    ...(warning === null ? {} : { isolation_warning: warning }),
    created_at: timestampOf(queue.createdAt),
    updated_at: timestampOf(queue.updatedAt),
  };
}
