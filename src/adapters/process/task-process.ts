import type { ActionEnd, OutputBatch } from '../../core/ports/task-processes.ts';
import type { KnownProcesses } from './process-tree.ts';

/** What is told of one process of an action. */
export interface ActionEvents {
  started(): void;
  output(batch: OutputBatch): void;
  /** What it has left running and may: told before `ended`. */
  left(known: KnownProcesses): void;
  /** Once, after all output. */
  ended(end: ActionEnd): void;
}

/** One process of an action with its output, in a process group and session of its own, however it was started. */
export interface TaskProcess {
  /** Bytes of output that have been dealt with: reading goes on when it had paused. */
  consumed(bytes: number): void;
  /** SIGTERM to the process group. */
  askToEnd(): void;
  /** SIGKILL to everything that the action has started. Gives the processes that could not be ended. */
  kill(): Promise<readonly number[]>;
  /** Nobody guards its processes any more: they are killed, and the action ends as fenced. */
  supervisorLost(): Promise<readonly number[]>;
}
