import type { AuditDecision } from '../../src/core/records/audit-entry.ts';
import { timestampOf } from '../../src/core/timestamp.ts';
import { timeOfUuid7 } from '../../src/core/uuid-time.ts';
import type { FoundEntry } from '../audit/audit-query.ts';
import { preemptionView } from './preemption-view.ts';
import type { Schemas } from './schemas.ts';

/** docs/contract/resources.md#audit-entry */
export const auditView = ({ id, entry }: FoundEntry): Schemas['AuditEntry'] => ({
  id,
  at: timestampOf(timeOfUuid7(id)),
  actor: entry.actor,
  ...(entry.actorId !== null && { actor_id: entry.actorId }),
  method: entry.method,
  path: entry.path,
  ...(entry.operation !== null && { operation: entry.operation }),
  permission: entry.permission,
  status: entry.status,
  outcome: entry.outcome,
  ...(entry.reason !== null && { reason: entry.reason }),
  ...(entry.targets.length > 0 && { targets: entry.targets }),
  ...(entry.targetCount > entry.targets.length && { target_count: entry.targetCount }),
  request_id: entry.requestId,
  remote_addr: entry.remoteAddress,
  ...(entry.dropped > 0 && { dropped: entry.dropped }),
  ...(entry.decision !== undefined && { decision: decisionView(entry.decision) }),
});

const decisionView = (decision: AuditDecision): Schemas['AuditDecision'] => ({
  kind: decision.kind,
  attempt_id: decision.attemptId,
  worker_id: decision.workerId,
  from_queue_id: decision.queueId,
  // Those who read the audit log see all jobs.
  preemption: preemptionView(decision.preemption, () => true),
});
