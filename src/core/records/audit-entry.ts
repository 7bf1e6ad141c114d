import { parseAttemptId, taskIdOf, type AttemptId, type QueueId, type WorkerId } from '../ids.ts';
import { preemptionSentence, type Preemption } from './preemption.ts';

/** `denied`: 401 or 403. `changed`: a change that succeeded. `failed`: a permitted change with another status. */
export type AuditRequestOutcome = 'denied' | 'changed' | 'failed';

/** `decided`: the service has interrupted work by itself. */
export type AuditOutcome = AuditRequestOutcome | 'decided';

/**
 * Entries of senders who have proved an identity, of all others, and of decisions of the service. Each has its own maximum
 * number of entries, so that neither a flood of unauthenticated requests nor one of decisions can push out the changes of
 * people.
 */
export const AUDIT_BUDGETS = ['people', 'strangers', 'service'] as const;
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
  readonly outcome: AuditRequestOutcome;
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

/** A running task that was taken back for another one (docs/policy.md#preemption). */
export interface AuditDecision {
  readonly kind: 'preemption';
  readonly attemptId: AttemptId;
  readonly workerId: WorkerId;
  /** Queue of the task that was taken back. */
  readonly queueId: QueueId;
  /** The queue that has decided, for which step, and why. */
  readonly preemption: Preemption;
}

/** A decision that the audit log does not have yet, stored in the commit of the decision. The key of its row is its id. */
export interface AuditDecisionRecord {
  readonly version: 1;
  readonly decision: AuditDecision;
}

/** A stored event. The key of its row ends with its id. */
export interface AuditEntryRecord extends Omit<AuditEvent, 'id' | 'outcome'> {
  readonly version: 1;
  readonly outcome: AuditOutcome;
  /** Set if the outcome is `decided`. The fields of a request are empty then, and its status is 0. */
  readonly decision?: AuditDecision;
  /** Consecutive within the budget: the numbers of the first and last row give the number of rows. */
  readonly serial: number;
}

export const AUDIT_TARGETS_MAX = 100;

/** Returns the entry of a decision, without its serial. */
export function entryOfDecision(decision: AuditDecision): Omit<AuditEntryRecord, 'serial'> {
  const { attemptId, workerId, preemption } = decision;
  const address = parseAttemptId(attemptId);
  const task = address === null ? '' : taskIdOf(address);
  const targets = [task, attemptId, workerId, preemption.jobId, preemption.queueId];
  return {
    version: 1,
    actor: '',
    actorId: null,
    method: 'PREEMPT',
    path: `/api/v1/tasks/${task}`,
    operation: null,
    permission: '',
    status: 0,
    outcome: 'decided',
    reason: preemptionSentence(preemption),
    targets,
    targetCount: targets.length,
    requestId: '',
    remoteAddress: '',
    dropped: 0,
    decision,
  };
}

export const budgetOf = ({ actorId }: Pick<AuditEvent, 'actorId'>): Exclude<AuditBudget, 'service'> =>
  actorId === null ? 'strangers' : 'people';

/** Settings of the audit log (`auth.enabled`, `auth.audit_retention`, `auth.audit_max_entries`). */
export interface AuditSettings {
  /** Whether anything is recorded. */
  readonly isOn: boolean;
  /** Milliseconds until an entry is deleted. */
  readonly retentionMs: number;
  readonly entries: Readonly<Record<AuditBudget, number>>;
}
