import type { AttemptId, TaskId } from '../../src/core/ids.ts';
import type { Trace } from './trace.ts';
import { Violation } from './violation.ts';

/** Every process of every task on all machines, as an observer that no fault can blind would see them. */
export class RunningProcesses {
  private readonly byTask = new Map<TaskId, { readonly attemptId: AttemptId; readonly machine: string }>();
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

  ended(taskId: TaskId, attemptId: AttemptId): void {
    this.trace.note('process end', attemptId);
    this.byTask.delete(taskId);
  }
}
