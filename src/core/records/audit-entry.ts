/** `denied`: 401 or 403. `changed`: a change that succeeded. `failed`: a permitted change with another status. */
export type AuditOutcome = 'denied' | 'changed' | 'failed';

/**
 * Entries of senders who have proved an identity, and of all others. Each has its own maximum number of entries, so that
 * a flood of unauthenticated requests cannot push out the changes of people.
 */
export const AUDIT_BUDGETS = ['people', 'strangers'] as const;
export type AuditBudget = (typeof AUDIT_BUDGETS)[number];

/** A denied request or a change by a person (docs/audit.md). Contains no body, no query and no credential. */
export interface AuditEvent {
  /** UUIDv7 of the time of the event. */
  readonly id: string;
  /** Username; empty if the sender is not known. */
  readonly actor: string;
  /** Account that has proved its identity; null if none has. */
  readonly actorId: string | null;
  readonly method: string;
  readonly path: string;
  /** Null if the path or method does not exist. */
  readonly operation: string | null;
  /** Empty if the path or method does not exist. */
  readonly permission: string;
  readonly status: number;
  readonly outcome: AuditOutcome;
  /** Why the request was denied, or the reason that the user of a change gave in its body. Null without one. */
  readonly reason: string | null;
  /** Ids or names of what was created or changed, at most `AUDIT_TARGETS_MAX`. */
  readonly targets: readonly string[];
  /** Number of targets, of which `targets` may have only the first. */
  readonly targetCount: number;
  readonly requestId: string;
  readonly remoteAddress: string;
  /** Number of denied requests before this one that were not recorded, because there were too many. */
  readonly dropped: number;
}

/** A stored event. The key of its row ends with its id. */
export interface AuditEntryRecord extends Omit<AuditEvent, 'id'> {
  readonly version: 1;
  /** Consecutive within the budget: the numbers of the first and last row give the number of rows. */
  readonly serial: number;
}

export const AUDIT_TARGETS_MAX = 100;

export const budgetOf = ({ actorId }: Pick<AuditEvent, 'actorId'>): AuditBudget =>
  actorId === null ? 'strangers' : 'people';

/** Limits of the audit log (`auth.audit_retention`, `auth.audit_max_entries`). */
export interface AuditLimits {
  /** Milliseconds until an entry is deleted. */
  readonly retentionMs: number;
  readonly entries: Readonly<Record<AuditBudget, number>>;
}
