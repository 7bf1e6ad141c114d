import { put } from '../../../src/core/records/change-set.ts';
import type { AuditDecision } from '../../../src/core/records/audit-entry.ts';
import { keys } from '../../../src/core/records/tables.ts';
import { AUDIT_LOG } from '../audit/messages.ts';
import type { ServiceContext } from '../service-system.ts';

/**
 * Stores a decision for the audit log in the commit of the decision, and sends it to the audit actor, which writes its entry
 * and removes the row. After a crash in between, that actor loads it from the row.
 */
export function auditDecision(decision: AuditDecision, context: ServiceContext<'job'>): void {
  const id = context.newId();
  context.change(put('auditDecision', keys.auditDecision(id), { version: 1, decision }));
  context.effect({
    kind: 'forward',
    envelope: { actor: 'audit', id: AUDIT_LOG, message: { type: 'audit.decided', id, decision } },
  });
}
