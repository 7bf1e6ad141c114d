import type { SessionId } from '../ids.ts';

/**
 * The processes of tasks on a worker (docs/architecture.md#the-bus: a supervisor, leftovers ended). A session is a
 * working directory and the guard of what runs in it; actions run in it one after another.
 */
export interface TaskProcesses {
  /** Makes the directory and starts the guard. Answered by `opened`. */
  open(sessionId: SessionId, opening: SessionOpening): void;
  /** Writes the files and starts the process. Answered by `started` (unless it cannot be started) and `ended`. */
  start(sessionId: SessionId, action: ActionStart): void;
  /** Writes `cancel_info.json` into the session's directory, then sends SIGTERM to the process group. `notifyEndAt`: milliseconds since the epoch. */
  notify(sessionId: SessionId, run: number, notifyEndAt: number): void;
  /** SIGTERM to the process group. */
  askToEnd(sessionId: SessionId, run: number): void;
  /** SIGKILL to all that the action has started. */
  kill(sessionId: SessionId, run: number): void;
  /**
   * How long tasks may run on without another word of the service, in milliseconds; null for no limit. What runs longer is killed, also when
   * this process is stopped meanwhile.
   */
  contactLasts(leftMs: number | null): void;
  /** So many bytes of output have been dealt with. */
  consumed(sessionId: SessionId, bytes: number): void;
  /**
   * Ends what the session has left running, and then removes its directory, unless it is to be kept. Answered by `closed` once nothing runs
   * any more.
   */
  close(sessionId: SessionId, closing: SessionClosing): void;
}

/** What is told of them. Nothing is told of a session before `open` or after `closed`. */
export interface TaskProcessEvents {
  /** `failure`: why the session cannot be used, or null. */
  opened(sessionId: SessionId, failure: string | null): void;
  started(sessionId: SessionId, run: number): void;
  output(sessionId: SessionId, run: number, batch: OutputBatch): void;
  /** Once for each start, after all output of the action. */
  ended(sessionId: SessionId, run: number, end: ActionEnd): void;
  closed(sessionId: SessionId): void;
}

export interface SessionOpening {
  /** Absolute; must not be there yet. */
  readonly directory: string;
  /** Whose account its actions run under; null for the worker's own. */
  readonly runAs: RunAs | null;
}

/**
 * An account of the machine that job code runs under (docs/contract/isolation.md): names only, resolved on the worker.
 */
export interface RunAs {
  readonly user: string;
  /** In place of the account's primary group; null keeps that. */
  readonly group: string | null;
}

export interface SessionClosing {
  /** For debugging: the directory stays. */
  readonly keepDirectory: boolean;
}

export interface ActionStart {
  /** Number of the action in its session: rising. */
  readonly run: number;
  readonly command: string;
  readonly args: readonly string[];
  /** In place of and beside the worker's own variables; null removes one. */
  readonly variables: Readonly<Record<string, string | null>>;
  /** What it leaves running may go on until the session is closed; otherwise that is ended before `ended` is told. */
  readonly keepsChildren: boolean;
  /** Written before the process is started, in place of what is there. */
  readonly files: readonly SessionFile[];
}

export interface SessionFile {
  /** Absolute, inside the session's directory. */
  readonly path: string;
  readonly data: string;
  /** May be run by its owner. */
  readonly runnable: boolean;
}

export type OutputStream = 'stdout' | 'stderr';

/** Lines that a process wrote, without their line feeds. */
export interface OutputBatch {
  readonly stream: OutputStream;
  readonly lines: readonly string[];
  /** Which of the lines were too long and have lost their end: indices. Absent means none. */
  readonly cut?: readonly number[];
  /** Bytes that hold back further output until they are dealt with (`consumed`). */
  readonly bytes: number;
  /**
   * Lines of the other stream that want something hidden and that come in a later batch, or came in an earlier one: they may have been written
   * before these. Absent means none.
   */
  readonly hiding?: readonly HidingLine[];
}

export interface HidingLine {
  readonly line: string;
  /** It was too long and has lost its end. */
  readonly isCut: boolean;
}

export type ActionEnd =
  | { readonly kind: 'exited'; readonly code: number }
  | { readonly kind: 'signaled'; readonly signal: string }
  /** `reason` is in words for the one whose task it is: `command not found: blender`. */
  | { readonly kind: 'not-started'; readonly reason: string }
  /** Its processes were killed because the worker did not run, or because their guard was lost. */
  | { readonly kind: 'fenced' };
