import type { StagingTransfer } from '../delivery/staging-plan.ts';
import type { SessionId } from '../ids.ts';
import type { RunAs } from './task-processes.ts';

/**
 * Copies of a job's files in the directories of sessions (extension SVC_PATH_TRANSLATION, `stage_locally`). A session
 * has at most one copy in progress. Each `begin` is answered once.
 */
export interface Staging {
  /** Answered by `ended`. */
  begin(sessionId: SessionId, request: StagingRequest): void;
  /** Stops the copy in progress for the session, which is reported as failed. */
  stop(sessionId: SessionId): void;
  /** Stops the copy in progress and drops all state of the session. */
  forget(sessionId: SessionId): void;
}

export interface StagingRequest {
  /** Ascending within a session. */
  readonly run: number;
  /** `in`: copies the task's input to the session's directory. `out`: copies new and changed files back. */
  readonly direction: StagingDirection;
  readonly transfers: readonly StagingTransfer[];
  /**
   * The account that owns the files, and with which they are read and written; null if tasks run as the worker itself.
   */
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
  /** `failure` is a text for the owner of the task and names the file; null if all is copied. */
  ended(sessionId: SessionId, run: number, failure: string | null): void;
}
