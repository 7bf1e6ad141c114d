import type { StagingTransfer } from '../delivery/staging-plan.ts';
import type { SessionId } from '../ids.ts';
import type { RunAs } from './task-processes.ts';

/**
 * Copies of a job's files in the directories of sessions (extension SVC_PATH_TRANSLATION, `stage_locally`). A session has one copy under way
 * at most; each `begin` is answered once.
 */
export interface Staging {
  /** Answered by `ended`. */
  begin(sessionId: SessionId, request: StagingRequest): void;
  /** Ends what is under way for the session: it is answered as a failure. */
  stop(sessionId: SessionId): void;
  /** Ends what is under way, and forgets what was copied: the session is over. */
  forget(sessionId: SessionId): void;
}

export interface StagingRequest {
  /** Rising in a session. */
  readonly run: number;
  /** `in`: what the task reads, to the session's directory. `out`: what is new or changed there, back to where it belongs. */
  readonly direction: StagingDirection;
  readonly transfers: readonly StagingTransfer[];
  /** The account whose the files are, and whose rights they are read and written with; null where tasks run as the worker itself. */
  readonly runAs: RunAs | null;
}

export type StagingDirection = 'in' | 'out';

/** An account by its ids. */
export interface FileOwner {
  readonly uid: number;
  readonly gid: number;
  /** Supplementary groups. */
  readonly groups?: readonly number[];
}

export interface StagingEvents {
  /** `failure` names the file, in words for the one whose task it is; null when all is copied. */
  ended(sessionId: SessionId, run: number, failure: string | null): void;
}
