import type { Outcome } from '../../../src/core/problems.ts';
import type { AuditDecision, AuditEvent } from '../../../src/core/records/audit-entry.ts';
import type { ReplyTo } from '../../kernel/address.ts';

/** Id of the actor that writes the audit log and has the timer of the sweeps, on the first shard. */
export const AUDIT_LOG = 'log';

/** Id of the actor that lasts for one piece of a sweep. */
export const AUDIT_SWEEP = 'sweep';

/** Messages of the audit actor, which writes and deletes audit entries. Id: one of the two above. */
export type AuditMessage =
  /** To the log, at the start of the first shard. */
  | { readonly type: 'audit.activate' }
  /** To the log: stores events, oldest first. Replies with null when they are on disk. */
  | {
      readonly type: 'audit.record';
      readonly events: readonly AuditEvent[];
      readonly replyTo: ReplyTo<Outcome<null>>;
    }
  /** To the log, from a job actor, after the row of the decision is on disk. */
  | { readonly type: 'audit.decided'; readonly id: string; readonly decision: AuditDecision }
  /** The log's own timer: starts a sweep. */
  | { readonly type: 'audit.due' }
  /** To the sweep, from the log and itself: delete the next entries. */
  | { readonly type: 'audit.sweep' };
