import type { AttemptId } from '../ids.ts';

/**
 * The processes of tasks on a worker (design.md, "The bus": a supervisor per task, leftovers ended). A session is the working
 * directory and the guard of one attempt; actions run in it one after another.
 */
export interface TaskProcesses {
  /** Makes the directory and starts the guard. Answered by `opened`. */
  open(attemptId: AttemptId, directory: string): void;
  /** Writes the files and starts the process. Answered by `started` (unless it cannot be started) and `ended`. */
  start(attemptId: AttemptId, action: ActionStart): void;
  /** Writes `cancel_info.json` into the session's directory, then sends SIGTERM to the process group. `notifyEndAt`: milliseconds since the epoch. */
  notify(attemptId: AttemptId, run: number, notifyEndAt: number): void;
  /** SIGTERM to the process group. */
  askToEnd(attemptId: AttemptId, run: number): void;
  /** SIGKILL to all that the action has started. */
  kill(attemptId: AttemptId, run: number): void;
  /** So many bytes of output have been dealt with. */
  consumed(attemptId: AttemptId, bytes: number): void;
  /** Ends what the session has left running, and then removes its directory. Answered by `closed` once nothing runs any more. */
  close(attemptId: AttemptId): void;
}

/** What is told of them. Nothing is told of an attempt before `open` or after `closed`. */
export interface TaskProcessEvents {
  /** `failure`: why the session cannot be used, or null. */
  opened(attemptId: AttemptId, failure: string | null): void;
  started(attemptId: AttemptId, run: number): void;
  output(attemptId: AttemptId, run: number, batch: OutputBatch): void;
  /** Once for each start, after all output of the action. */
  ended(attemptId: AttemptId, run: number, end: ActionEnd): void;
  closed(attemptId: AttemptId): void;
}

export interface ActionStart {
  /** Number of the action in its session: rising. */
  readonly run: number;
  readonly command: string;
  readonly args: readonly string[];
  /** In place of and beside the worker's own variables; null removes one. */
  readonly variables: Readonly<Record<string, string | null>>;
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
  /** Bytes that hold back further output until they are dealt with (`consumed`). */
  readonly bytes: number;
}

export type ActionEnd =
  | { readonly kind: 'exited'; readonly code: number }
  | { readonly kind: 'signaled'; readonly signal: string }
  /** `reason` is in words for the one whose task it is: `command not found: blender`. */
  | { readonly kind: 'not-started'; readonly reason: string }
  /** Its processes were killed because the worker did not run, or because their guard was lost. */
  | { readonly kind: 'fenced' };
