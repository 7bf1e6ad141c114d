import type { Visitor } from '../guards/principal.ts';
import { actorOf, PATH_LENGTH_MAX, REASON_LENGTH_MAX, type AuditInput } from './audit.ts';

/** Status that a REST request for the same data gets. */
const FORBIDDEN = 403;

/** Returns the event of a subscription that was refused because the visitor must not see the subject (docs/audit.md). */
export const refusedSubscription = (
  { principal, address, requestId }: Visitor,
  subject: string,
  permission: string,
  reason: string,
): AuditInput => ({
  ...actorOf(principal),
  method: 'SUBSCRIBE',
  path: subject.slice(0, PATH_LENGTH_MAX),
  operation: null,
  permission,
  status: FORBIDDEN,
  outcome: 'denied',
  reason: reason.slice(0, REASON_LENGTH_MAX),
  targets: [],
  targetCount: 0,
  requestId,
  remoteAddress: address,
});
