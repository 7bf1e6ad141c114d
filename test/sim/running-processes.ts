import type { AttemptId, TaskId } from '../../src/core/ids.ts';
import type { Trace } from './trace.ts';
import { Violation } from './violation.ts';

/** Every process of every task on all machines, as an observer that no fault can blind would see them. */
export class RunningProcesses {
  private readonly byTask = new Map<TaskId, { readonly attemptId: AttemptId; readonly machine: string }>();
  /** How the processes ended that were not killed. */
  private readonly exits = new Map<AttemptId, number>();
  private readonly trace: Trace;

  constructor(trace: Trace) {
    this.trace = trace;
  }

  get size(): number {
    return this.byTask.size;
  }

  /** No two processes of a task run at the same time (design.md, "The bus"; reliability.md, I20). */
  started(taskId: TaskId, attemptId: AttemptId, machine: string): void {
    this.trace.note('process', attemptId, 'on', machine);
    const other = this.byTask.get(taskId);
    if (other !== undefined) {
      throw new Violation(
        'no two processes of a task run at the same time',
        `${attemptId} starts on ${machine} while ${other.attemptId} runs on ${other.machine}`,
      );
    }
    this.byTask.set(taskId, { attemptId, machine });
  }

  /** `exitCode` is null when the process was killed. */
  ended(taskId: TaskId, attemptId: AttemptId, exitCode: number | null): void {
    this.trace.note('process end', attemptId, exitCode ?? 'killed');
    this.byTask.delete(taskId);
    if (exitCode !== null) this.exits.set(attemptId, exitCode);
  }

  /** With what the process of an attempt exited; undefined when it runs, was killed or never began. */
  exitCodeOf(attemptId: AttemptId): number | undefined {
    return this.exits.get(attemptId);
  }
}
