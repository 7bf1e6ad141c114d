import type { SessionId } from '../ids.ts';
import type { ResourceUsage } from '../resource-usage.ts';

/**
 * The processes of tasks on a worker (docs/architecture.md#the-bus: a supervisor, leftovers ended). A session is a
 * working directory and the guard process of the actions in it. Actions of a session run one after another.
 */
export interface TaskProcesses {
  /** Creates the directory and starts the guard. Answered by `opened`. */
  open(sessionId: SessionId, opening: SessionOpening): void;
  /** Writes the files and starts the process. Answered by `started` (unless it cannot be started) and `ended`. */
  start(sessionId: SessionId, action: ActionStart): void;
  /**
   * Writes `cancel_info.json` into the session's directory, then sends SIGTERM to the process group. `notifyEndAt`:
   * milliseconds since the epoch.
   */
  notify(sessionId: SessionId, run: number, notifyEndAt: number): void;
  /** Sends SIGTERM to the process group. */
  askToEnd(sessionId: SessionId, run: number): void;
  /** Sends SIGKILL to all processes that the action has started. */
  kill(sessionId: SessionId, run: number): void;
  /**
   * Sets how long tasks may run without contact with the service, in milliseconds; null for no limit. Tasks that run
   * longer are killed, even if this process is stopped meanwhile.
   */
  contactLasts(leftMs: number | null): void;
  /** Reports that this many bytes of output are processed. */
  consumed(sessionId: SessionId, bytes: number): void;
  /**
   * Ends the remaining processes of the session, and then removes its directory unless it is to be kept. Answered by
   * `closed` once no process is left.
   */
  close(sessionId: SessionId, closing: SessionClosing): void;
}

/** Events of sessions. There are none before `open` or after `closed`. */
export interface TaskProcessEvents {
  /** `failure`: why the session cannot be used, or null. */
  opened(sessionId: SessionId, failure: string | null): void;
  started(sessionId: SessionId, run: number): void;
  output(sessionId: SessionId, run: number, batch: OutputBatch): void;
  /** Once for each start, after all output of the action. `usage` is absent if the machine reports none. */
  ended(sessionId: SessionId, run: number, end: ActionEnd, usage?: ResourceUsage): void;
  closed(sessionId: SessionId): void;
}

export interface SessionOpening {
  /** Absolute; must not exist yet. */
  readonly directory: string;
  /** The account that its actions run under; null for the worker's own. */
  readonly runAs: RunAs | null;
  /** Resources that its tasks request. Absent: unknown. */
  readonly request?: ResourceRequest;
}

/** Requests of the tasks of a session, from which its limits are derived (docs/isolation.md#limits). */
export interface ResourceRequest {
  /** Null if none is requested. */
  readonly memoryMib: number | null;
  readonly cores: number;
}

/**
 * An account of the machine that job code runs under (docs/contract/isolation.md): names only, resolved on the worker.
 */
export interface RunAs {
  readonly user: string;
  /** Replaces the account's primary group; null keeps it. */
  readonly group: string | null;
}

export interface SessionClosing {
  /** Keeps the directory, for debugging. */
  readonly keepDirectory: boolean;
}

export interface ActionStart {
  /** Number of the action in its session, ascending. */
  readonly run: number;
  readonly command: string;
  readonly args: readonly string[];
  /** Added to the worker's own variables, or replacing them; null removes one. */
  readonly variables: Readonly<Record<string, string | null>>;
  /** If set, child processes may run until the session is closed; otherwise they are ended before `ended` is called. */
  readonly keepsChildren: boolean;
  /** Written before the process is started; existing files are replaced. */
  readonly files: readonly SessionFile[];
}

export interface SessionFile {
  /** Absolute, inside the session's directory. */
  readonly path: string;
  readonly data: string;
  /** Sets the owner's execute permission. */
  readonly runnable: boolean;
}

export type OutputStream = 'stdout' | 'stderr';

/** Lines of a process's output, without their line feeds. */
export interface OutputBatch {
  readonly stream: OutputStream;
  readonly lines: readonly string[];
  /** Indices of lines that continue in the next line of the stream, because they are too long. Absent means none. */
  readonly cut?: readonly number[];
  /** Bytes that count against the output limit until they are processed (`consumed`). */
  readonly bytes: number;
  /**
   * Lines of the other stream that request redaction and that are in a later or earlier batch. They may have been
   * written before these lines. Absent means none.
   */
  readonly hiding?: readonly HidingLine[];
}

export interface HidingLine {
  readonly line: string;
  /** Set if the line is only the beginning of one that is too long. */
  readonly isCut: boolean;
}

export type ActionEnd =
  | { readonly kind: 'exited'; readonly code: number }
  | { readonly kind: 'signaled'; readonly signal: string }
  /** `reason` is a text for the owner of the task: `command not found: blender`. */
  | { readonly kind: 'not-started'; readonly reason: string }
  /** Its processes were killed because the worker had stopped, or because their guard was lost. */
  | { readonly kind: 'fenced' };
