import type { JobMessage } from '../../actors/service/job/messages.ts';
import type { JobRetention } from '../../actors/service/service-system.ts';
import type { JobRecord } from '../../src/core/records/job.ts';
import type { JobSnapshot } from './job-snapshot.ts';
import { Violation } from './violation.ts';

/**
 * A job may be deleted by a client, or by retention after it has ended (docs/contract/rest.md#jobs,
 * docs/contract/events.md#subjects, docs/contract/job-states.md#retention). Retention keeps upstream jobs of a blocked
 * job (docs/decisions/deletion.md).
 */
export function judgeDeletion(
  { status }: JobSnapshot,
  { id, endedAt = Infinity }: JobRecord,
  { type }: JobMessage,
  now: number,
  { afterMs, includeFailed }: JobRetention,
  isClockSteady: boolean,
  isWaitedFor: boolean,
): Violation | null {
  if (type === 'job.delete') return null;
  const isKind = status === 'completed' || (includeFailed && (status === 'failed' || status === 'canceled'));
  const isOld = !isClockSteady || now - endedAt >= afterMs;
  if (type === 'job.expire' && afterMs > 0 && isKind && isOld && !isWaitedFor) return null;
  const detail = `${id}, ${type}: ${status} for ${now - endedAt} ms${isWaitedFor ? ', and another job depends on it' : ''}`;
  return new Violation('a job is deleted by a client, or after its retention time', detail);
}
