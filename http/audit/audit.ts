import type { AuditEvent } from '../../src/core/records/audit-entry.ts';
import type { Principal } from '../guards/principal.ts';

/** The audit log (docs/audit.md). */
export interface Audit {
  /** Stores an event. Resolves with true when it is on disk, and with false if it could not be stored. */
  record(event: AuditInput): Promise<boolean>;
  /** Stores an event soon, together with others. It may be dropped if there are too many. */
  recordLater(event: AuditInput): void;
}

/** An event without what the audit log adds. */
export type AuditInput = Omit<AuditEvent, 'id' | 'dropped'>;

/** Parts of an audit entry that only the stage that runs a handler knows. */
export interface AuditNote {
  /** Sender before the request: a request may end its own session. */
  readonly actor: string;
  readonly actorId: string | null;
  /** True if the request changes something, or signs in. */
  readonly isChange: boolean;
  /** True for a refusal whose status does not say so. */
  readonly isDenied?: boolean;
  /** At most `AUDIT_TARGETS_MAX`. */
  readonly targets: readonly string[];
  readonly targetCount: number;
  /** Reason that the user gave in the body; null without one. */
  readonly reason: string | null;
}

/** Maximum number of characters of one target: a path may have any text in place of an id. */
export const TARGET_LENGTH_MAX = 200;
export const PATH_LENGTH_MAX = 200;
export const REASON_LENGTH_MAX = 300;

/** Returns the actor of an entry for a principal. */
export const actorOf = ({ subject, username, kind }: Principal): Pick<AuditNote, 'actor' | 'actorId'> =>
  kind === 'anonymous' ? { actor: '', actorId: null } : { actor: username, actorId: subject };
