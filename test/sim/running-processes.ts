import type { AttemptId, TaskId } from '../../src/core/ids.ts';
import type { Trace } from './trace.ts';
import { Violation } from './violation.ts';

/** Every process of every task on all machines, as an observer that no fault can blind would see them. */
export class RunningProcesses {
  /** Whether a client has canceled the attempt: its process may live on for a while, and the task be tried again meanwhile. */
  isCanceled: ((attemptId: AttemptId, taskId: TaskId) => boolean) | null = null;
  private readonly running = new Map<
    AttemptId,
    { readonly taskId: TaskId; readonly attemptId: AttemptId; readonly machine: string }
  >();
  /** How the processes ended that were not killed. */
  private readonly exits = new Map<AttemptId, number>();
  private readonly trace: Trace;

  constructor(trace: Trace) {
    this.trace = trace;
  }

  get size(): number {
    return this.running.size;
  }

  /** No two processes of a task run at the same time (design.md, "The bus"; reliability.md, I20). */
  started(taskId: TaskId, attemptId: AttemptId, machine: string): void {
    this.trace.note('process', attemptId, 'on', machine);
    // One that was canceled before it began is told so with the next heartbeat.
    const isDoomed = this.isCanceled?.(attemptId, taskId) === true;
    for (const other of this.running.values()) {
      if (isDoomed || other.taskId !== taskId || this.isCanceled?.(other.attemptId, taskId) === true)
        continue;
      throw new Violation(
        'no two processes of a task run at the same time',
        `${attemptId} starts on ${machine} while ${other.attemptId} runs on ${other.machine}`,
      );
    }
    this.running.set(attemptId, { taskId, attemptId, machine });
  }

  /** `exitCode` is null when the process was killed. */
  ended(attemptId: AttemptId, exitCode: number | null): void {
    this.trace.note('process end', attemptId, exitCode ?? 'killed');
    this.running.delete(attemptId);
    if (exitCode !== null) this.exits.set(attemptId, exitCode);
  }

  /** An environment of the attempt could not be entered: its process has exited with that. */
  exited(attemptId: AttemptId, exitCode: number): void {
    this.trace.note('environment failed', attemptId, exitCode);
    this.exits.set(attemptId, exitCode);
  }

  /** With what the process of an attempt exited; undefined when it runs, was killed or never began. */
  exitCodeOf(attemptId: AttemptId): number | undefined {
    return this.exits.get(attemptId);
  }
}
