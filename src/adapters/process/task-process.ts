import type { ActionEnd, OutputBatch } from '../../core/ports/task-processes.ts';
import type { KnownProcesses } from './process-tree.ts';

/** Events of one process of an action. */
export interface ActionEvents {
  started(): void;
  output(batch: OutputBatch): void;
  /** Remaining processes that may continue: called before `ended`. */
  left(known: KnownProcesses): void;
  /** Once, after all output. */
  ended(end: ActionEnd): void;
}

/**
 * One process of an action with its output, in its own process group and session, independent of the way it was
 * started.
 */
export interface TaskProcess {
  /** This number of output bytes is processed: a paused reader continues. */
  consumed(bytes: number): void;
  /** Sends SIGTERM to the process group. */
  askToEnd(): void;
  /** Sends SIGKILL to everything that the action has started. Returns the processes that could not be ended. */
  kill(): Promise<readonly number[]>;
  /** The guard of its processes is lost: they are killed, and the action ends as fenced. */
  supervisorLost(): Promise<readonly number[]>;
}
